#include "import/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cutaway {

namespace {

Diagnostic os_error(const std::string& what) {
  const char* hint = errno == ENOENT ? "check the path" : errno == EACCES ? "check the file's permissions" : "";
  return bad_input("", what + ": " + std::strerror(errno), hint);
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return bad_input("", "the path is empty or holds a zero byte");
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return os_error("cannot open '" + path + "'");
  struct Close {
    int fd;
    ~Close() { ::close(fd); }
  } close_later{fd};
  struct stat st = {};
  if (::fstat(fd, &st) != 0) return os_error("cannot look at '" + path + "'");
  if (S_ISDIR(st.st_mode)) return bad_input("", "'" + path + "' is a folder", "name a file in it");
  if (!S_ISREG(st.st_mode))
    return bad_input("", "'" + path + "' is no regular file", "copy its contents to a file first");
  if (st.st_size == 0) return bad_input("", "'" + path + "' is empty", "fetch or write it again");
  void* data = ::mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return os_error("cannot map '" + path + "'");

  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->data_ = static_cast<const std::byte*>(data);
  file->size_ = static_cast<size_t>(st.st_size);
  file->device_ = st.st_dev;
  file->inode_ = st.st_ino;
  file->seconds_ = st.st_mtim.tv_sec;
  file->nanoseconds_ = st.st_mtim.tv_nsec;
  return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

bool MappedFile::changed() const {
  struct stat st = {};
  if (::stat(path_.c_str(), &st) != 0) return true;
  return static_cast<size_t>(st.st_size) != size_ || st.st_dev != device_ || st.st_ino != inode_ ||
         st.st_mtim.tv_sec != seconds_ || st.st_mtim.tv_nsec != nanoseconds_;
}

} // namespace cutaway
