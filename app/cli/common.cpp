#include "cli/verbs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>

namespace cutaway::cli {

void ModelOptions::add_to(CLI::App& verb) {
  verb.add_option("FILE", file, "an ONNX model")->required();
  verb.add_option("--dim", dims, "NAME=N: binds a symbolic dim")->take_all();
  verb.add_option("--input", inputs, "NAME=FILE.npy|FILE.pb|random:SEED")->take_all();
  verb.add_option("--set", sets, "K=V: a setting")->take_all();
  verb.add_option("--device", device, "cpu, cuda[:N], sim:h100, sim:a100 or sim:laptop")->capture_default_str();
  verb.add_option("--threads", threads, "threads of the pool")->capture_default_str()->check(CLI::Range(1, 256));
  verb.add_flag("--json", json, "one JSON object on standard output and nothing else");
}

Result<driver::Session::Options> ModelOptions::session() const {
  driver::Session::Options options;
  options.threads = threads;
  for (const std::string& s : sets) {
    const size_t at = s.find('=');
    if (at == std::string::npos) return bad_input("--set", "'" + s + "' has no '='", "give K=V");
    if (Status st = options.settings.set(s.substr(0, at), s.substr(at + 1)); !st) return st.error();
  }
  options.device = device;
  return options;
}

Result<driver::Bindings> ModelOptions::bindings() const {
  driver::Bindings out;
  for (const std::string& d : dims) {
    const size_t at = d.rfind('=');
    int64_t n = -1;
    if (at != std::string::npos) std::from_chars(d.data() + at + 1, d.data() + d.size(), n);
    if (n < 0) return bad_input("--dim", "'" + d + "' binds nothing", "give NAME=N with N a whole number");
    out[d.substr(0, at)] = n;
  }
  return out;
}

Status ModelOptions::open(std::unique_ptr<driver::Session>& session, driver::Feeds& feeds, bool journal) const {
  auto options = this->session();
  if (!options) return options.error();
  options->journal = journal;
  auto bound = bindings();
  if (!bound) return bound.error();
  auto opened = driver::Session::open(file, *options);
  if (!opened) return opened.error();
  session = std::move(*opened);
  std::vector<std::string> notes = session->model().warnings;
  auto made = driver::make_feeds(session->model(), inputs, *bound, notes);
  print_notes(file, notes);
  if (!made) return made.error();
  feeds = std::move(*made);
  return {};
}

int report(const std::string& file, const Diagnostic& d) {
  std::fprintf(stderr, "%s: %s\n", file.c_str(), d.str().c_str());
  return exit_code(d.fault);
}

void print_notes(const std::string& file, const std::vector<std::string>& notes) {
  for (const std::string& n : notes) std::fprintf(stderr, "%s: note: %s\n", file.c_str(), n.c_str());
}

void print_json(const Json& j) { std::printf("%s\n", j.dump(-1, ' ', false, Json::error_handler_t::replace).c_str()); }

Status write_json(const std::string& path, const Json& j, const std::string& option) {
  std::ofstream file(path + ".new");
  file << j.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  file.close();
  if (!file || std::rename((path + ".new").c_str(), path.c_str()) != 0) return bad_input(option, "'" + path + "' cannot be written");
  return {};
}

Json breaks_json(const driver::RunInfo& info) {
  Json out = Json::array();
  for (const driver::BreakInfo& b : info.breaks) out.push_back({{"node", b.node}, {"cause", b.cause}, {"reason", b.reason}});
  return out;
}

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

} // namespace cutaway::cli
