#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cutaway::cpu {

// What the program and its helper (cutaway-kernelc) say to each other over one stream socket, the helper's fd 0:
// the helper sends one hello, then answers each request with one reply. A message is a frame {u32 magic, u32 length,
// payload} in host byte order; both ends are one build on one machine, and the hello's version says so.
struct CompileRequest {
  enum class Output : uint32_t { object, assembly };
  Output output = Output::object;
  std::string symbol;            // names the kernel in messages
  std::vector<std::string> args; // of `clang -cc1`
  std::string text;
};

struct CompileReply {
  enum class Outcome : uint32_t {
    hello,
    done,    // bytes: the object or the assembly
    refused, // bytes: Clang's messages
    fatal    // bytes: the message; the helper ends after it
  };
  Outcome outcome = Outcome::done;
  double ms = 0;
  std::string bytes;
};

inline constexpr std::string_view protocol_version = "cutaway-kernelc 1";

// A whole frame.
std::string encode(const CompileRequest& request);
std::string encode(const CompileReply& reply);

// Take the first frame off `buffer`. Nothing: not all of it is there yet; `broken` is set where it is no frame.
std::optional<CompileRequest> take_request(std::string& buffer, bool& broken);
std::optional<CompileReply> take_reply(std::string& buffer, bool& broken);

} // namespace cutaway::cpu
