// app/text/log.h — messages for people (or log collectors) on stderr. Results never go through here.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace beatscan {

enum class LogFormat { text, json };

class Log {
 public:
  // verbosity: 0 errors and warnings, 1 also information, 2 also details
  Log(int verbosity, LogFormat format);

  void error(const std::string& message) const { write("error", message); }
  void error_out_of_memory() const noexcept;  // takes none
  void warning(const std::string& message) const { write("warning", message); }
  void info(const std::string& message) const;
  void detail(const std::string& message) const;

  // A line that is drawn over itself, on a terminal that can (not TERM=dumb) only; cut to the terminal's width. `share`
  // is 0 .. 1.
  void progress(const std::string& what, double share, const std::string& figures);
  void end_progress() noexcept;

 private:
  void write(const char* level, const std::string& message) const;
  int verbosity_;
  LogFormat format_;
  bool terminal_, colour_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace beatscan
