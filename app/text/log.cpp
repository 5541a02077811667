#include "app/text/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

Log::Log(int verbosity, LogFormat format)
    : verbosity_(verbosity),
      format_(format),
      terminal_(isatty(STDERR_FILENO) && !terminal_is_dumb()),
      colour_(terminal_ && !is_set("NO_COLOR")) {}

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

void Log::write(const char* level, const std::string& text) const {
  const std::string_view name(level);
  const std::string message = in_one_line(text);
  if (format_ == LogFormat::json) {
    const nlohmann::ordered_json line = {{"level", level}, {"message", message}};
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  if (drawn_) std::fputs("\r\033[K", stderr);
  if (name == "error" || name == "warning") {
    const char* colour = name == "error" ? "\033[31m" : "\033[33m";
    std::fprintf(stderr, "%s%s:%s %s\n", colour_ ? colour : "", level, colour_ ? "\033[0m" : "", message.c_str());
  } else {
    std::fprintf(stderr, "%s\n", message.c_str());
  }
}

void Log::progress(const std::string& what, double share, const std::string& figures) {
  if (!terminal_ || verbosity_ < 1 || format_ != LogFormat::text) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_draw_ < std::chrono::milliseconds(50)) return;
  last_draw_ = now;
  drawn_ = true;
  constexpr int kWidth = 16;
  const int filled = static_cast<int>(share * kWidth);
  char head[64];
  std::snprintf(head, sizeof head, "%-8s [%.*s%*s] %3.0f %%  ", what.c_str(), filled, "################",
                kWidth - filled, "", share * 100);
  const std::string line = (head + figures).substr(0, columns() - 1);  // the next line would not cover a longer one
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Log::end_progress() noexcept {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace beatscan
