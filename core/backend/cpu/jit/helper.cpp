#include "backend/cpu/jit/helper.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cutaway::cpu {

namespace {

// The child gets the socket as fd 0, nothing else of ours, default signals, and a group of its own: an interrupt from
// the terminal is this program's to handle.
int spawn(const std::string& path, int socket, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_t attr;
  posix_spawnattr_init(&attr);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  char* const argv[] = {const_cast<char*>(path.c_str()), nullptr};
  int error = posix_spawn(&pid, path.c_str(), &files, &attr, argv, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

} // namespace

Result<std::unique_ptr<Helper>> Helper::start(const std::string& path) {
  int ends[2];
  int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
  pid_t pid = -1;
  if (!error) {
    error = spawn(path, ends[1], pid);
    close(ends[1]);
    if (error) close(ends[0]);
  }
  if (error)
    return unsupported("cpu kernels", "cannot start " + path + ": " + std::strerror(error),
                       "install cutaway-kernelc beside the program, or name it in CUTAWAY_KERNELC");
  return std::unique_ptr<Helper>(new Helper(pid, ends[0]));
}

Helper::~Helper() {
  death();
}

void Helper::queue(const CompileRequest& request) {
  outgoing_.erase(0, sent_);
  sent_ = 0;
  outgoing_ += encode(request);
}

void Helper::send() {
  while (wants_write()) {
    ssize_t n = ::send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR) continue;
      // What it said before it went is still to be read.
      if (errno != EAGAIN) sent_ = outgoing_.size();
      return;
    }
    sent_ += size_t(n);
  }
}

void Helper::receive() {
  char chunk[1 << 16];
  for (;;) {
    ssize_t n = ::recv(fd_, chunk, sizeof chunk, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      dead_ = true;
      return;
    }
    incoming_.append(chunk, size_t(n));
  }
}

std::optional<CompileReply> Helper::pump() {
  send();
  receive();
  bool broken = false;
  while (auto reply = take_reply(incoming_, broken)) {
    if (greeted_) return reply;
    greeted_ = reply->outcome == CompileReply::Outcome::hello && reply->bytes == protocol_version;
    if (!greeted_) broken = true;
    if (broken) break;
  }
  if (broken) dead_ = true;
  return {};
}

std::string Helper::death() {
  if (pid_ < 0) return {};
  int status = 0;
  pid_t gone = dead_ ? waitpid(pid_, &status, WNOHANG) : 0;
  if (gone == 0) {
    // It may be on its way out, the socket closed but the status not yet there.
    if (dead_) {
      for (int i = 0; i < 50 && gone == 0; ++i) {
        usleep(1000);
        gone = waitpid(pid_, &status, WNOHANG);
      }
    }
    if (gone == 0) {
      kill(pid_, SIGKILL);
      while ((gone = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
      }
    }
  }
  close(fd_);
  pid_ = -1;
  fd_ = -1;
  if (gone < 0) return "reason unknown";
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace cutaway::cpu
