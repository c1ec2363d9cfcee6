#pragma once
#include "backend/cpu/jit/protocol.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cutaway::cpu {

// One cutaway-kernelc process and this end of its socket. Nothing here blocks but the destructor and death(), which
// kill and reap the process.
class Helper {
 public:
  static Result<std::unique_ptr<Helper>> start(const std::string& path);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void queue(const CompileRequest& request);
  void send(); // moves what is queued as far as it goes
  // Moves bytes both ways as far as they go; the reply, once it is whole.
  std::optional<CompileReply> pump();

  int fd() const { return fd_; }
  bool wants_write() const { return sent_ < outgoing_.size(); }
  bool dead() const { return dead_; }       // no reply will come: it ended, or speaks nonsense
  bool greeted() const { return greeted_; } // it came up and speaks this protocol
  // Kills it if need be; says how it ended: "signal 11 (Segmentation fault)".
  std::string death();

 private:
  Helper(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  void receive();

  pid_t pid_;
  int fd_;
  bool dead_ = false;
  bool greeted_ = false;
  std::string outgoing_;
  size_t sent_ = 0;
  std::string incoming_;
};

} // namespace cutaway::cpu
