#include "base/disk_cache.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace cutaway {

namespace {

bool make_dirs(const std::string& dir) {
  for (size_t slash = dir.find('/', 1);; slash = dir.find('/', slash + 1)) {
    std::string part = dir.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (slash == std::string::npos) return true;
  }
}

} // namespace

Status check_cache_dir(const std::string& dir) {
  auto refuse = [&](std::string what) {
    return bad_input(dir, std::move(what),
                     "kernels are compiled without a cache; remove the directory or mend its mode");
  };
  if (dir.empty()) return refuse("no cache directory is named");
  if (!make_dirs(dir)) return refuse(std::string("cannot make the kernel cache: ") + std::strerror(errno));
  struct stat st;
  // lstat: a link could be turned to a directory of someone else after this look.
  if (lstat(dir.c_str(), &st) != 0) return refuse(std::strerror(errno));
  if (!S_ISDIR(st.st_mode)) return refuse("the kernel cache is no directory");
  if (st.st_uid != geteuid()) return refuse("the kernel cache belongs to another user");
  if (st.st_mode & (S_IWGRP | S_IWOTH)) return refuse("the kernel cache can be written by other users");
  return {};
}

std::string default_cache_dir() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string base;
  if (xdg && xdg[0] == '/') {
    base = xdg;
  } else if (home && home[0] == '/') {
    base = std::string(home) + "/.cache";
  } else {
    return {};
  }
  std::string dir = base + "/cutaway/kernels";
  return check_cache_dir(dir) ? dir : std::string();
}

} // namespace cutaway
