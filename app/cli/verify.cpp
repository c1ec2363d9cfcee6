#include "cli/case_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cutaway::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// All folders below that hold a model.onnx and something to compare with.
std::vector<std::string> find_cases(const std::string& root) {
  std::vector<std::string> out;
  const auto is_case = [](const fs::path& p) {
    if (!fs::exists(p / "model.onnx")) return false;
    if (fs::exists(p / "expect_error.txt")) return true;
    return std::any_of(fs::directory_iterator(p), fs::directory_iterator(), [](const auto& e) { return e.path().filename().string().rfind("test_data_set_", 0) == 0; });
  };
  std::error_code error;
  if (is_case(root)) out.push_back(root);
  for (auto it = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, error); it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (it->is_directory(error) && is_case(it->path())) out.push_back(it->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// One case in a child process: what it crashes or hangs on costs that case alone.
struct Child {
  pid_t pid = -1;
  int fd = -1;
  size_t index = 0;
  Clock::time_point deadline;
  std::string text;
};

Child start(size_t index, const std::string& folder, const VerifyOptions& o) {
  int fds[2];
  if (pipe(fds) != 0) return {};
  std::fflush(nullptr);
  Child c{fork(), fds[0], index, Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(o.timeout * 1000)), {}};
  if (c.pid == 0) {
    close(fds[0]);
    setpgid(0, 0);
    const CaseResult r = run_case(folder, o);
    const std::string line = Json{{"status", r.status}, {"breaks", r.breaks}, {"detail", r.detail}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (size_t at = 0; at < line.size();) {
      const ssize_t n = write(fds[1], line.data() + at, line.size() - at);
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    _exit(0);
  }
  close(fds[1]);
  return c;
}

CaseResult finish(Child& c, const std::string& folder, bool timed_out) {
  int status = 0;
  if (timed_out) kill(-c.pid, SIGKILL), kill(c.pid, SIGKILL);
  waitpid(c.pid, &status, 0);
  close(c.fd);
  CaseResult r{folder, "crashed", 0, ""};
  if (timed_out) return r.status = "timeout", r;
  const Json j = Json::parse(c.text, nullptr, false);
  if (!j.is_object()) {
    r.detail = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit code " + std::to_string(WEXITSTATUS(status));
    return r;
  }
  return {folder, j.value("status", "crashed"), j.value("breaks", 0), j.value("detail", "")};
}

std::vector<CaseResult> run_all(const std::vector<std::string>& cases, const VerifyOptions& o) {
  std::vector<CaseResult> results(cases.size());
  std::vector<Child> running;
  size_t next = 0;
  while (next < cases.size() || !running.empty()) {
    while (next < cases.size() && running.size() < static_cast<size_t>(o.jobs)) {
      running.push_back(start(next, cases[next], o));
      ++next;
    }
    std::vector<pollfd> fds;
    for (const Child& c : running) fds.push_back({c.fd, POLLIN, 0});
    poll(fds.data(), fds.size(), 100);
    for (size_t i = running.size(); i-- > 0;) {
      Child& c = running[i];
      bool done = false;
      if (fds[i].revents & (POLLIN | POLLHUP)) {
        char buffer[4096];
        const ssize_t n = read(c.fd, buffer, sizeof buffer);
        if (n > 0) c.text.append(buffer, static_cast<size_t>(n));
        else done = true;
      }
      const bool late = !done && Clock::now() > c.deadline;
      if (!done && !late) continue;
      results[c.index] = finish(c, cases[c.index], late);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return results;
}

int verify(const VerifyOptions& o) {
  std::vector<std::string> cases;
  for (const std::string& p : o.paths) {
    std::error_code error;
    if (!fs::is_directory(p, error)) return report(p, bad_input("", "is no folder", "give folders in the ONNX test layout"));
    for (std::string& c : find_cases(p)) cases.push_back(std::move(c));
  }
  const auto results = run_all(cases, o);
  int passed = 0, unsupported = 0;
  Json list = Json::array();
  for (const CaseResult& r : results) {
    passed += r.status == "passed";
    unsupported += r.status == "unsupported";
    list.push_back({{"path", r.path}, {"status", r.status}, {"breaks", r.breaks}, {"detail", r.detail}});
    if (!o.json && (r.status != "passed" || results.size() <= 50)) std::printf("%-11s %s%s%s\n", r.status.c_str(), r.path.c_str(), r.detail.empty() ? "" : ": ", r.detail.c_str());
  }
  const int total = static_cast<int>(results.size()), failed = total - passed - unsupported;
  if (o.json) print_json(Json{{"total", total}, {"passed", passed}, {"failed", failed}, {"unsupported", unsupported}, {"cases", list}});
  else std::printf("%d cases: %d passed, %d failed, %d unsupported\n", total, passed, failed, unsupported);
  return failed ? 1 : unsupported ? 3 : 0;
}

} // namespace

void add_verify(CLI::App& app, int& code) {
  auto o = std::make_shared<VerifyOptions>();
  CLI::App* verb = app.add_subcommand("verify", "runs folders in the ONNX test layout and compares");
  verb->add_option("PATH", o->paths, "folders, searched recursively")->required();
  verb->add_option("--rtol", o->rtol)->capture_default_str();
  verb->add_option("--atol", o->atol)->capture_default_str();
  verb->add_option("--mode", o->mode, "compiled, eager or oracle")->capture_default_str();
  verb->add_option("--jobs", o->jobs, "cases at a time")->capture_default_str()->check(CLI::Range(1, 64));
  verb->add_option("--timeout", o->timeout, "seconds a case")->capture_default_str();
  verb->add_option("--set", o->sets, "K=V: a setting")->take_all();
  verb->add_option("--device", o->device)->capture_default_str();
  verb->add_option("--threads", o->threads)->capture_default_str()->check(CLI::Range(1, 256));
  verb->add_flag("--json", o->json);
  verb->callback([o, &code] { code = verify(*o); });
}

} // namespace cutaway::cli
