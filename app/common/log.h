// app/common/log.h — messages on stderr, for people or log collectors. Any thread may write.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace beatscan {

enum class LogFormat { text, json };

class Log {
 public:
  // verbosity: -1 nothing, 0 errors and warnings, 1 also information, 2 also details
  Log(int verbosity, LogFormat format);

  void error(const std::string& message) const { write("error", message); }
  void error_out_of_memory() const noexcept;  // allocates nothing
  void warning(const std::string& message) const { write("warning", message); }
  void info(const std::string& message) const;
  void detail(const std::string& message) const;

  // Writes a message of level "progress" with figures, which are fields in JSON: integers, or null for a negative one,
  // which means unknown.
  using Figures = std::vector<std::pair<std::string, double>>;
  void figures(const std::string& message, const Figures& figures) const;

  // Returns whether progress() draws.
  bool draws() const { return draws_ && terminal_ && verbosity_ >= 1 && format_ == LogFormat::text; }

  // Draws a line that replaces the previous one. On a narrow terminal the bar is omitted and the line truncated. Does
  // nothing if stderr is not a terminal, or TERM is dumb. `share` is the completed part, 0 to 1.
  void progress(const std::string& what, double share, const std::string& figures);
  void end_progress() noexcept;

  // Writes results to stdout, after clearing a progress line on the terminal.
  void results(const std::string& text) const;

  // Returns a log on the same stderr without progress, for recordings that are analysed concurrently.
  Log without_progress() const;

 private:
  struct Line;  // the line on the terminal now
  void write(const char* level, const std::string& message) const;
  int verbosity_;
  LogFormat format_;
  bool terminal_, colour_;
  bool draws_ = true;
  std::shared_ptr<Line> line_;  // shared by all copies
};

}  // namespace beatscan
