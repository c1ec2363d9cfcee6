#include "backend/cuda/sim/program.h"

#include "backend/cpu/jit/clang_args.h"
#include "backend/cpu/jit/linker.h"
#include "base/prelude/cuda/prelude.h"

#include <llvm/Object/ELFObjectFile.h>

#include <cctype>
#include <cstring>
#include <set>

namespace cutaway::cuda::sim {

namespace {

constexpr std::string_view magic = "CWSIMOB1";

struct ImageHead {
  char magic[8];
  uint64_t checked, bytes;
};

std::vector<std::string> kernel_names(std::string_view text) {
  constexpr std::string_view mark = "CW_KERNEL(";
  std::vector<std::string> names;
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    at += mark.size();
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end > at) names.emplace_back(text.substr(at, end - at));
  }
  return names;
}

// The kernels as members of a struct, two entries for each, and the table that names them.
std::string whole_text(const std::string& text) {
  std::string source = std::string("#line 1 \"prelude\"\n") + cuda_sim_prelude() +
                       "struct CwModule : Cw {\n#line 1 \"kernel.cu\"\n" + text + "\n};\n";
  std::string table;
  for (const std::string& n : kernel_names(text)) {
    source += "extern \"C\" void cw_entry_" + n + "(CwThread* t, void** p) { cw_call((CwModule*)t, &CwModule::" + n + ", p); }\n" +
              "extern \"C\" void cw_loop_" + n + "(CwThread* t, void** p) { cw_loop(*(CwModule*)t, &CwModule::" + n + ", p); }\n";
    table += "{\"" + n + "\", cw_entry_" + n + ", cw_loop_" + n + ", cw_sizes(&CwModule::" + n + "), CwModule::cw_threads_" + n + "},\n";
  }
  return source + "extern \"C\" { extern const CwKernel cw_module[] = {\n" + table + "{nullptr, nullptr, nullptr, nullptr, 0}}; }\n";
}

// Which functions of an object reach a collective, by its relocations: each function stands in a section of its own.
class Reach {
 public:
  explicit Reach(const std::string& object) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel"));
    if (!file) {
      llvm::consumeError(file.takeError());
      return;
    }
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
      auto target = section.getRelocatedSection();
      if (!target || *target == (*file)->section_end()) {
        llvm::consumeError(target.takeError());
        continue;
      }
      for (const llvm::object::RelocationRef& relocation : section.relocations())
        calls_[(*target)->getIndex()].insert(callee(**file, relocation));
    }
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
      auto name = symbol.getName();
      auto section = symbol.getSection();
      if (name && section && *section != (*file)->section_end()) home_[name->str()] = (*section)->getIndex();
      if (!name) llvm::consumeError(name.takeError());
      if (!section) llvm::consumeError(section.takeError());
    }
  }

  bool collective(const std::string& function) const {
    const auto start = home_.find(function);
    if (start == home_.end()) return true;
    std::set<uint64_t> seen = {start->second};
    std::vector<uint64_t> open = {start->second};
    while (!open.empty()) {
      const auto calls = calls_.find(open.back());
      open.pop_back();
      if (calls == calls_.end()) continue;
      for (const Callee& to : calls->second) {
        if (to.name == "cw_block_sync" || to.name == "cw_warp_sync") return true;
        if (to.section && seen.insert(to.section).second) open.push_back(to.section);
      }
    }
    return false;
  }

 private:
  struct Callee {
    std::string name;
    uint64_t section = 0;
    auto operator<=>(const Callee&) const = default;
  };

  static Callee callee(const llvm::object::ObjectFile& file, const llvm::object::RelocationRef& relocation) {
    Callee to;
    const auto symbol = relocation.getSymbol();
    if (symbol == file.symbol_end()) return to;
    if (auto name = symbol->getName()) to.name = name->str();
    else llvm::consumeError(name.takeError());
    auto section = symbol->getSection();
    if (!section) llvm::consumeError(section.takeError());
    else if (*section != file.section_end()) to.section = (*section)->getIndex();
    return to;
  }

  std::map<uint64_t, std::set<Callee>> calls_; // by section
  std::map<std::string, uint64_t> home_;
};

} // namespace

Result<std::string> compile_image(cpu::KernelCompiler& compiler, const std::string& text, const ProgramOptions& options) {
  cpu::CppUnit unit{"cw_module", whole_text(text), options.contract, options.fast, options.checked};
  Result<std::string> object = compiler.object(unit);
  if (!object) return object.error();
  ImageHead head{};
  std::memcpy(head.magic, magic.data(), magic.size());
  head.checked = options.checked;
  head.bytes = object->size();
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + *object;
}

namespace {

std::string identity(bool checked) {
  cpu::CppUnit unit{"cw_module", whole_text("CW_KERNEL(k, 1)() {}")};
  unit.checked = checked;
  std::string out = std::string(magic) + ", LLVM " + cpu::host_cpu().llvm_version;
  for (const std::string& argument : cpu::clang_args(unit)) out += " " + argument;
  return out + "\n" + unit.text;
}

} // namespace

const std::string& image_identity(bool checked) {
  static const std::string of[] = {identity(false), identity(true)};
  return of[checked];
}

Result<Kernels> load_image(cpu::Linker& linker, const void* image) {
  ImageHead head;
  if (std::memcmp(image, magic.data(), magic.size()) != 0) return bad_input("module", "it is no image of the simulator");
  std::memcpy(&head, image, sizeof head);
  const std::string object(static_cast<const char*>(image) + sizeof head, head.bytes);
  auto code = linker.link("cw_module", object);
  if (!code) return code.error();
  const Reach reach(object);
  Kernels kernels;
  for (const auto* row = static_cast<const CwKernel*>((*code)->address()); row->name; ++row) {
    auto entry = std::make_shared<KernelEntry>();
    entry->name = row->name;
    entry->thread = row->thread;
    if (!head.checked && !reach.collective("cw_entry_" + entry->name)) entry->block = row->block;
    for (const unsigned* size = row->sizes; *size; ++size) entry->sizes.push_back(*size);
    if (entry->sizes.size() > max_params) return bad_input("kernel " + entry->name, "it has too many parameters");
    entry->threads = row->threads;
    entry->code = *code;
    kernels[entry->name] = std::move(entry);
  }
  return kernels;
}

} // namespace cutaway::cuda::sim
