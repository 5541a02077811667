#include "app/common/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "stages/common/one_line.h"

namespace beatscan {
namespace {

// The width of the terminal on stderr.
int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

bool terminal_is_dumb() {
  const char* name = std::getenv("TERM");
  return name && std::string_view(name) == "dumb";
}

}  // namespace

struct Log::Line {
  std::mutex mutex;
  bool drawn = false;
  std::chrono::steady_clock::time_point last_draw{};
};

Log::Log(int verbosity, LogFormat format)
    : verbosity_(verbosity),
      format_(format),
      terminal_(isatty(STDERR_FILENO) && !terminal_is_dumb()),
      colour_(terminal_ && !is_set("NO_COLOR")),
      line_(std::make_shared<Line>()) {}

Log Log::without_progress() const {
  Log log = *this;
  log.draws_ = false;
  return log;
}

void Log::error_out_of_memory() const noexcept {
  std::fputs(format_ == LogFormat::json
                 ? "{\"level\":\"error\",\"message\":\"out of memory: this machine, or what it grants the process, "
                   "has too little for this run\"}\n"
                 : "error: out of memory: this machine, or what it grants the process, has too little for this run\n",
             stderr);
}

void Log::info(const std::string& message) const {
  if (verbosity_ >= 1) write("info", message);
}

void Log::detail(const std::string& message) const {
  if (verbosity_ >= 2) write("detail", message);
}

void Log::figures(const std::string& message, const Figures& figures) const {
  if (verbosity_ < 1) return;
  if (format_ == LogFormat::text) return write("progress", message);
  nlohmann::ordered_json line = {{"level", "progress"}, {"message", in_one_line(message)}};
  for (const auto& [name, value] : figures)
    if (value < 0)
      line[name] = nullptr;
    else if (value == std::floor(value) && value < 0x1p53)
      line[name] = static_cast<std::int64_t>(value);
    else
      line[name] = value;
  const std::lock_guard lock(line_->mutex);
  std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void Log::write(const char* level, const std::string& text) const {
  if (verbosity_ < 0) return;
  const std::string_view name(level);
  const std::string message = in_one_line(text);
  const std::lock_guard lock(line_->mutex);
  if (format_ == LogFormat::json) {
    const nlohmann::ordered_json line = {{"level", level}, {"message", message}};
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  if (line_->drawn) std::fputs("\r\033[K", stderr);
  if (name == "error" || name == "warning") {
    const char* colour = name == "error" ? "\033[31m" : "\033[33m";
    std::fprintf(stderr, "%s%s:%s %s\n", colour_ ? colour : "", level, colour_ ? "\033[0m" : "", message.c_str());
  } else {
    std::fprintf(stderr, "%s\n", message.c_str());
  }
}

void Log::progress(const std::string& what, double share, const std::string& figures) {
  if (!draws()) return;
  const std::lock_guard lock(line_->mutex);
  const auto now = std::chrono::steady_clock::now();
  if (line_->drawn && now - line_->last_draw < std::chrono::milliseconds(50)) return;
  line_->last_draw = now;
  line_->drawn = true;
  constexpr int kWidth = 16;
  const int filled = static_cast<int>(share * kWidth);
  char head[64];
  std::snprintf(head, sizeof head, "%-8s [%.*s%*s] %3.0f %%  ", what.c_str(), filled, "################",
                kWidth - filled, "", share * 100);
  std::string line = head + figures;
  const std::size_t most = columns() - 1;  // the next line would not cover a longer one
  if (line.size() > most) line = what + " " + std::to_string(std::lround(share * 100)) + " %  " + figures;
  line.resize(std::min(line.size(), most));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Log::results(const std::string& text) const {
  const std::lock_guard lock(line_->mutex);
  if (std::exchange(line_->drawn, false)) std::fputs("\r\033[K", stderr);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // written at once, so that no message interrupts it if stderr goes to the same file
}

void Log::end_progress() noexcept {
  if (!draws_) return;
  const std::lock_guard lock(line_->mutex);
  if (line_->drawn) std::fputs("\r\033[K", stderr);
  line_->drawn = false;
}

}  // namespace beatscan
