#include "backend/cpu/jit/protocol.h"

#include <cstring>

namespace cutaway::cpu {

namespace {

constexpr uint32_t magic = 0x4b545543; // "CUTK"
constexpr uint32_t longest = 256u << 20;

struct Writer {
  std::string out = std::string(8, '\0');

  template <class T> void number(T v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void text(std::string_view s) {
    number(uint32_t(s.size()));
    out.append(s);
  }
  std::string frame() {
    uint32_t head[2] = {magic, uint32_t(out.size() - 8)};
    std::memcpy(out.data(), head, sizeof head);
    return std::move(out);
  }
};

struct Reader {
  std::string_view in;
  bool ok = true;

  template <class T> T number() {
    T v{};
    if (in.size() < sizeof v) {
      ok = false;
      return v;
    }
    std::memcpy(&v, in.data(), sizeof v);
    in.remove_prefix(sizeof v);
    return v;
  }
  std::string text() {
    auto n = number<uint32_t>();
    if (n > in.size()) {
      ok = false;
      return {};
    }
    std::string s(in.substr(0, n));
    in.remove_prefix(n);
    return s;
  }
};

void read(Reader& r, CompileRequest& request) {
  request.output = CompileRequest::Output(r.number<uint32_t>());
  request.symbol = r.text();
  auto n = r.number<uint32_t>();
  for (uint32_t i = 0; i < n && r.ok; ++i) request.args.push_back(r.text());
  request.text = r.text();
}

void read(Reader& r, CompileReply& reply) {
  reply.outcome = CompileReply::Outcome(r.number<uint32_t>());
  reply.ms = r.number<double>();
  reply.bytes = r.text();
}

template <class Message> std::optional<Message> take(std::string& buffer, bool& broken) {
  if (buffer.size() < 8) return {};
  uint32_t head[2];
  std::memcpy(head, buffer.data(), sizeof head);
  if (head[0] != magic || head[1] > longest) {
    broken = true;
    return {};
  }
  if (buffer.size() - 8 < head[1]) return {};
  Message message;
  Reader reader{std::string_view(buffer).substr(8, head[1])};
  read(reader, message);
  broken = !reader.ok || !reader.in.empty();
  buffer.erase(0, 8 + size_t(head[1]));
  if (broken) return {};
  return message;
}

} // namespace

std::string encode(const CompileRequest& request) {
  Writer w;
  w.number(uint32_t(request.output));
  w.text(request.symbol);
  w.number(uint32_t(request.args.size()));
  for (const std::string& arg : request.args) w.text(arg);
  w.text(request.text);
  return w.frame();
}

std::string encode(const CompileReply& reply) {
  Writer w;
  w.number(uint32_t(reply.outcome));
  w.number(reply.ms);
  w.text(reply.bytes);
  return w.frame();
}

std::optional<CompileRequest> take_request(std::string& buffer, bool& broken) {
  return take<CompileRequest>(buffer, broken);
}

std::optional<CompileReply> take_reply(std::string& buffer, bool& broken) {
  return take<CompileReply>(buffer, broken);
}

} // namespace cutaway::cpu
