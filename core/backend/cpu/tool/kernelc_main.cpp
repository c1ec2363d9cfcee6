// cutaway-kernelc: compiles C texts to objects or assembly for the program that started it, over the socket on its
// fd 0 (backend/cpu/jit/protocol.h). It ends when that socket closes. It reads no file.
#include "backend/cpu/jit/protocol.h"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace cutaway::cpu;
using Clock = std::chrono::steady_clock;

constexpr int channel = 0;
constexpr size_t longest_message = 8192;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void answer(const CompileReply& reply) {
  std::string frame = encode(reply);
  for (size_t sent = 0; sent < frame.size();) {
    ssize_t n = send(channel, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) _exit(1);
    sent += size_t(n);
  }
}

// LLVM ends the process after a fatal error; the program hears why first.
void on_fatal_error(void*, const char* reason, bool) {
  answer({CompileReply::Outcome::fatal, 0, reason});
  _exit(70);
}

// The main thread may be deep in a compile that no longer interests anyone.
void end_with_the_program() {
  std::thread([] {
    pollfd fd{channel, 0, 0};
    while (poll(&fd, 1, -1) < 0 || !(fd.revents & (POLLHUP | POLLERR))) {
    }
    _exit(0);
  }).detach();
}

// -mllvm options are global in LLVM and stay; each request names those that it cares for.
void set_llvm_options(const std::vector<std::string>& options) {
  static std::vector<std::string> present;
  if (options == present) return;
  present = options;
  std::vector<const char*> argv = {"clang (LLVM option parsing)"};
  for (const std::string& option : options) argv.push_back(option.c_str());
  llvm::cl::ResetAllOptionOccurrences();
  llvm::cl::ParseCommandLineOptions(int(argv.size()), argv.data(), "", &llvm::nulls());
}

std::unique_ptr<clang::CodeGenAction> action_for(CompileRequest::Output output) {
  if (output == CompileRequest::Output::assembly) return std::make_unique<clang::EmitAssemblyAction>();
  return std::make_unique<clang::EmitObjAction>();
}

// The text is the one file there is: an #include finds nothing.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> only_the_text(const std::string& text) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  files->addFile("/kernel.c", 0, llvm::MemoryBuffer::getMemBuffer(text, "kernel.c"));
  return files;
}

CompileReply compile(const CompileRequest& request) {
  auto start = Clock::now();
  std::string messages;
  llvm::raw_string_ostream message_stream(messages);
  llvm::SmallVector<char, 0> code;
  clang::CompilerInstance instance;
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  clang::TextDiagnosticPrinter printer(message_stream, &invocation->getDiagnosticOpts());

  std::vector<const char*> args;
  for (const std::string& arg : request.args) args.push_back(arg.c_str());
  bool assembly = request.output == CompileRequest::Output::assembly;
  for (const char* arg : {assembly ? "-S" : "-emit-obj", "-mllvm",
                          assembly ? "-x86-asm-syntax=intel" : "-x86-asm-syntax=att", "kernel.c"})
    args.push_back(arg);
  auto early = clang::CompilerInstance::createDiagnostics(&invocation->getDiagnosticOpts(), &printer, false);
  bool good = clang::CompilerInvocation::CreateFromArgs(*invocation, args, *early);
  if (good) {
    set_llvm_options(invocation->getFrontendOpts().LLVMArgs);
    instance.setInvocation(invocation);
    instance.createDiagnostics(&printer, false);
    instance.createFileManager(only_the_text(request.text));
    instance.setVerboseOutputStream(llvm::nulls());
    instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(code));
    good = instance.ExecuteAction(*action_for(request.output));
  }
  message_stream.flush();
  if (messages.size() > longest_message) messages.resize(longest_message);
  if (!good) return {CompileReply::Outcome::refused, ms_since(start), messages};
  return {CompileReply::Outcome::done, ms_since(start), std::string(code.data(), code.size())};
}

} // namespace

int main() {
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  end_with_the_program();
  llvm::install_fatal_error_handler(on_fatal_error);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  answer({CompileReply::Outcome::hello, 0, std::string(protocol_version)});

  std::string buffer;
  bool broken = false;
  char chunk[1 << 16];
  for (;;) {
    ssize_t n = recv(channel, chunk, sizeof chunk, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(0);
    buffer.append(chunk, size_t(n));
    while (auto request = take_request(buffer, broken)) answer(compile(*request));
    if (broken) _exit(2);
  }
}
