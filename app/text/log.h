// app/text/log.h — messages on stderr, for people or log collectors. Results never go through here.
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
  void error_out_of_memory() const noexcept;  // allocates nothing
  void warning(const std::string& message) const { write("warning", message); }
  void info(const std::string& message) const;
  void detail(const std::string& message) const;

  // Draws a line over itself, cut to the terminal's width. Does nothing where stderr is no terminal, or TERM is dumb.
  // `share` is the part that is done, 0 to 1.
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
