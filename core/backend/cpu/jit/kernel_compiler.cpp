#include "backend/cpu/jit/kernel_compiler.h"

#include "backend/cpu/jit/assembly.h"
#include "backend/cpu/jit/clang_args.h"
#include "backend/cpu/jit/helper_pool.h"
#include "backend/cpu/jit/linker.h"

#include <algorithm>
#include <cstdlib>
#include <limits.h>
#include <map>
#include <mutex>
#include <unistd.h>

namespace cutaway::cpu {

namespace {

// Raised when objects change for a reason that the key does not hold.
constexpr std::string_view cache_schema = "kernels 1";

std::string find_helper() {
  if (const char* named = std::getenv("CUTAWAY_KERNELC"); named && *named) return named;
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  std::string_view path(self, n > 0 ? size_t(n) : 0);
  return std::string(path.substr(0, path.rfind('/') + 1)) + "cutaway-kernelc";
}

CacheKey key_of(std::string_view symbol, std::string_view text, const std::vector<std::string>& args) {
  std::vector<std::string_view> parts = {cache_schema, protocol_version, host_cpu().llvm_version, symbol, text};
  parts.insert(parts.end(), args.begin(), args.end());
  return cache_key(parts);
}

class JitCompiler final : public KernelCompiler {
 public:
  JitCompiler(const CompilerConfig& config, std::shared_ptr<Linker> linker)
      : linker_(std::move(linker)), pool_(config.helper_path.empty() ? find_helper() : config.helper_path,
                                          std::max(config.jobs, 1), std::max(config.timeout_ms, 1)) {
    if (config.cache_dir.empty()) return;
    refusal_ = check_cache_dir(config.cache_dir);
    if (refusal_) cache_.emplace(config.cache_dir, config.cache_limit_bytes);
  }

  std::vector<Result<Compiled>> compile(std::span<const KernelUnit> units, const std::atomic<bool>* cancel,
                                        const std::function<void(size_t, size_t)>& progress) override;
  Result<std::string> object(const CppUnit& unit, const std::atomic<bool>* cancel) override;
  Result<Assembly> assembly(const KernelUnit& unit, const std::atomic<bool>* cancel) override;
  Status cache_refusal() const override { return refusal_; }
  std::string target() const override {
    return host_cpu().triple + " " + host_cpu().name + ", LLVM " + host_cpu().llvm_version;
  }

 private:
  friend class Batch;
  void forget_freed_code();
  std::shared_ptr<const KernelCode> find_linked(const CacheKey& key);
  Result<Compiled> link(const KernelUnit& unit, const CacheKey& key, std::string object);

  std::shared_ptr<Linker> linker_;
  HelperPool pool_;
  std::optional<DiskCache> cache_;
  Status refusal_;
  std::mutex mutex_; // of linked_
  std::map<CacheKey, std::weak_ptr<const KernelCode>> linked_;
};

KernelCompiler::Compiled compiled(std::shared_ptr<const KernelCode> code, bool from_cache) {
  KernelCompiler::Compiled c;
  c.fn = code->fn();
  c.code_bytes = code->object_bytes();
  c.keep_alive = std::move(code);
  c.from_cache = from_cache;
  return c;
}

// One call of compile(): the distinct units, and which of the caller's share them.
class Batch {
 public:
  Batch(JitCompiler& compiler, std::span<const KernelUnit> units, const std::function<void(size_t, size_t)>& progress)
      : compiler_(compiler), units_(units), progress_(progress),
        results_(units.size(), unsupported("cpu kernels", "not compiled")) {
    std::map<CacheKey, size_t> known;
    std::vector<std::string> args[3];
    for (size_t i = 0; i < units.size(); ++i) {
      std::vector<std::string>& a = args[units[i].strict ? 0 : units[i].fast ? 1 : 2];
      if (a.empty()) a = clang_args(units[i]);
      CacheKey key = key_of(units[i].symbol, units[i].text, a);
      auto [at, fresh] = known.emplace(key, distinct_.size());
      if (fresh) distinct_.push_back({key, &a == &args[0] ? 0 : &a == &args[1] ? 1 : 2, {}});
      distinct_[at->second].units.push_back(i);
    }
    args_.assign(std::begin(args), std::end(args));
  }

  void take_from_caches() {
    for (size_t d = 0; d < distinct_.size(); ++d) {
      const Distinct& it = distinct_[d];
      if (auto code = compiler_.find_linked(it.key)) {
        settle(d, compiled(std::move(code), true));
        continue;
      }
      std::optional<std::string> object = compiler_.cache_ ? compiler_.cache_->load(it.key) : std::nullopt;
      if (!object) {
        missing_.push_back(d);
        continue;
      }
      Result<KernelCompiler::Compiled> result = compiler_.link(unit(d), it.key, std::move(*object));
      if (result) result->from_cache = true;
      settle(d, std::move(result));
    }
  }

  void compile_the_rest(const std::atomic<bool>* cancel) {
    std::vector<CompileRequest> requests;
    for (size_t d : missing_)
      requests.push_back(
          {CompileRequest::Output::object, unit(d).symbol, args_[size_t(distinct_[d].args)], unit(d).text});
    compiler_.pool_.run(requests, cancel, [&](size_t r, Result<CompileReply> reply) {
      size_t d = missing_[r];
      if (!reply) return settle(d, reply.error());
      if (compiler_.cache_) compiler_.cache_->store(distinct_[d].key, reply->bytes);
      Result<KernelCompiler::Compiled> result = compiler_.link(unit(d), distinct_[d].key, std::move(reply->bytes));
      if (result) result->compile_ms = reply->ms;
      settle(d, std::move(result));
    });
  }

  std::vector<Result<KernelCompiler::Compiled>> results() { return std::move(results_); }

 private:
  struct Distinct {
    CacheKey key;
    int args; // index into args_
    std::vector<size_t> units;
  };

  const KernelUnit& unit(size_t d) const { return units_[distinct_[d].units.front()]; }

  void settle(size_t d, const Result<KernelCompiler::Compiled>& result) {
    for (size_t i : distinct_[d].units) results_[i] = result;
    done_ += distinct_[d].units.size();
    if (progress_) progress_(done_, units_.size());
  }

  JitCompiler& compiler_;
  std::span<const KernelUnit> units_;
  const std::function<void(size_t, size_t)>& progress_;
  std::vector<Result<KernelCompiler::Compiled>> results_;
  std::vector<Distinct> distinct_;
  std::vector<std::vector<std::string>> args_;
  std::vector<size_t> missing_;
  size_t done_ = 0;
};

std::vector<Result<KernelCompiler::Compiled>>
JitCompiler::compile(std::span<const KernelUnit> units, const std::atomic<bool>* cancel,
                     const std::function<void(size_t, size_t)>& progress) {
  forget_freed_code();
  Batch batch(*this, units, progress);
  batch.take_from_caches();
  batch.compile_the_rest(cancel);
  return batch.results();
}

Result<std::string> JitCompiler::object(const CppUnit& unit, const std::atomic<bool>* cancel) {
  CompileRequest request{CompileRequest::Output::object, unit.symbol, clang_args(unit), unit.text};
  const CacheKey key = key_of(unit.symbol, unit.text, request.args);
  if (std::optional<std::string> stored = cache_ ? cache_->load(key) : std::nullopt) return std::move(*stored);
  Result<std::string> object = unsupported("kernel " + unit.symbol, "not compiled");
  pool_.run({&request, 1}, cancel, [&](size_t, Result<CompileReply> reply) {
    if (!reply) {
      object = reply.error();
      return;
    }
    if (cache_) cache_->store(key, reply->bytes);
    object = std::move(reply->bytes);
  });
  return object;
}

Result<Assembly> JitCompiler::assembly(const KernelUnit& unit, const std::atomic<bool>* cancel) {
  CompileRequest request{CompileRequest::Output::assembly, unit.symbol, clang_args(unit), unit.text};
  for (const char* arg : {"-debug-info-kind=line-directives-only", "-dwarf-version=4", "-gno-column-info"}) request.args.push_back(arg);
  Result<Assembly> text = unsupported("kernel " + unit.symbol, "not compiled");
  pool_.run({&request, 1}, cancel, [&](size_t, Result<CompileReply> reply) {
    if (reply) {
      text = readable_assembly(reply->bytes);
    } else {
      text = reply.error();
    }
  });
  return text;
}

void JitCompiler::forget_freed_code() {
  std::lock_guard lock(mutex_);
  std::erase_if(linked_, [](const auto& entry) { return entry.second.expired(); });
}

std::shared_ptr<const KernelCode> JitCompiler::find_linked(const CacheKey& key) {
  std::lock_guard lock(mutex_);
  auto at = linked_.find(key);
  return at == linked_.end() ? nullptr : at->second.lock();
}

Result<KernelCompiler::Compiled> JitCompiler::link(const KernelUnit& unit, const CacheKey& key, std::string object) {
  Result<std::shared_ptr<const KernelCode>> code = linker_->link(unit.symbol, std::move(object));
  if (!code) return code.error();
  {
    std::lock_guard lock(mutex_);
    linked_[key] = *code;
  }
  return compiled(std::move(*code), false);
}

} // namespace

Result<std::shared_ptr<KernelCompiler>> KernelCompiler::create(CompilerConfig config) {
  Result<std::shared_ptr<Linker>> linker = Linker::create();
  if (!linker) return linker.error();
  return std::shared_ptr<KernelCompiler>(std::make_shared<JitCompiler>(config, std::move(*linker)));
}

} // namespace cutaway::cpu
