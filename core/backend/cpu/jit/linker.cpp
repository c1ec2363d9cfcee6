#include "backend/cpu/jit/linker.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstring>
#include <mutex>

namespace cutaway::cpu {

namespace orc = llvm::orc;

namespace {

// All that the code of a kernel may call: what Clang itself emits calls to.
const char* const permitted[] = {
    "memcpy",       "memmove",        "memset",         "memcmp",       "bcmp",          "fmaf",
    "fma",          "floorf",         "floor",          "ceilf",        "ceil",          "truncf",
    "trunc",        "rintf",          "rint",           "nearbyintf",   "nearbyint",     "roundf",
    "round",        "roundevenf",     "roundeven",      "sqrtf",        "sqrt",          "fmodf",
    "fmod",         "ldexpf",         "ldexp",          "fminf",        "fmin",          "fmaxf",
    "fmax",         "__truncsfhf2",   "__extendhfsf2",  "__truncdfhf2", "__extendhfdf2", "__truncsfbf2",
    "__truncdfbf2", "__gnu_f2h_ieee", "__gnu_h2f_ieee", "__divti3",     "__modti3",      "__udivti3",
    "__umodti3",    "__multi3",       "__fixsfti",      "__fixdfti",    "__floattisf",   "__floattidf"};

class OrcLinker final : public Linker {
 public:
  OrcLinker(std::unique_ptr<orc::ExecutionSession> session, std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory)
      : session_(std::move(session)), memory_(std::move(memory)), layer_(*session_, *memory_),
        process_(session_->createBareJITDylib("process")) {
    session_->setErrorReporter([this](llvm::Error error) {
      std::lock_guard lock(mutex_);
      reported_ += llvm::toString(std::move(error)) + "\n";
    });
  }
  ~OrcLinker() override { llvm::consumeError(session_->endSession()); }

  Status define_process_symbols(std::span<const Symbol> more);
  Result<std::shared_ptr<const KernelCode>> link(const std::string& symbol, std::string object) override;
  void remove(orc::JITDylib& code) { llvm::consumeError(session_->removeJITDylib(code)); }

 private:
  Diagnostic refusal(const std::string& symbol, llvm::Error error);

  std::unique_ptr<orc::ExecutionSession> session_;
  std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib& process_;
  std::mutex mutex_; // of what follows
  std::string reported_;
  uint64_t serial_ = 0;
};

class OrcCode final : public KernelCode {
 public:
  OrcCode(std::shared_ptr<OrcLinker> linker, orc::JITDylib& code, size_t object_bytes)
      : linker_(std::move(linker)), code_(code), object_bytes_(object_bytes) {}
  ~OrcCode() override { linker_->remove(code_); }
  void* address() const override { return address_; }
  int64_t object_bytes() const override { return int64_t(object_bytes_); }
  void set(void* address) { address_ = address; }

 private:
  std::shared_ptr<OrcLinker> linker_;
  orc::JITDylib& code_;
  size_t object_bytes_;
  void* address_ = nullptr;
};

Status OrcLinker::define_process_symbols(std::span<const Symbol> more) {
  std::string why;
  auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr, &why);
  if (!library.isValid()) return unsupported("cpu kernels", "cannot read this program's symbols: " + why);
  orc::SymbolMap symbols;
  for (const char* name : permitted)
    if (void* address = library.getAddressOfSymbol(name))
      symbols[session_->intern(name)] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  for (const auto& [name, address] : more)
    symbols[session_->intern(name)] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  if (auto error = process_.define(orc::absoluteSymbols(std::move(symbols)))) return refusal("", std::move(error));
  return {};
}

Diagnostic OrcLinker::refusal(const std::string& symbol, llvm::Error error) {
  std::string what = llvm::toString(std::move(error));
  std::lock_guard lock(mutex_);
  if (!reported_.empty()) what = reported_ + what;
  reported_.clear();
  return unsupported("kernel " + symbol, "its code cannot be linked: " + what);
}

Result<std::shared_ptr<const KernelCode>> OrcLinker::link(const std::string& symbol, std::string object) {
  std::string name;
  {
    std::lock_guard lock(mutex_);
    name = symbol + "#" + std::to_string(serial_++);
  }
  orc::JITDylib& dylib = session_->createBareJITDylib(name);
  auto code = std::make_shared<OrcCode>(std::static_pointer_cast<OrcLinker>(shared_from_this()), dylib, object.size());
  dylib.addToLinkOrder(process_);
  if (auto error = layer_.add(dylib, llvm::MemoryBuffer::getMemBufferCopy(object, name)))
    return refusal(symbol, std::move(error));
  auto address = session_->lookup({&dylib}, session_->intern(symbol));
  if (!address) return refusal(symbol, address.takeError());
  code->set(address->getAddress().toPtr<void*>());
  return std::shared_ptr<const KernelCode>(std::move(code));
}

} // namespace

Result<std::shared_ptr<Linker>> Linker::create(std::span<const Symbol> more) {
  auto control = orc::SelfExecutorProcessControl::Create();
  if (!control) return unsupported("cpu kernels", llvm::toString(control.takeError()));
  size_t page = (*control)->getPageSize();
  auto linker = std::make_shared<OrcLinker>(std::make_unique<orc::ExecutionSession>(std::move(*control)),
                                            std::make_unique<llvm::jitlink::InProcessMemoryManager>(page));
  if (Status defined = linker->define_process_symbols(more); !defined) return defined.error();
  return std::shared_ptr<Linker>(std::move(linker));
}

} // namespace cutaway::cpu
