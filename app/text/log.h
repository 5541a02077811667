// app/text/log.h — messages on stderr, for people or log collectors. Any thread may write.
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

  // Writes a message of level "progress" with figures, which JSON has as fields: whole numbers as such, and null for
  // one below 0, which is not known.
  using Figures = std::vector<std::pair<std::string, double>>;
  void figures(const std::string& message, const Figures& figures) const;

  // Returns whether progress() draws.
  bool draws() const { return draws_ && terminal_ && verbosity_ >= 1 && format_ == LogFormat::text; }

  // Draws a line over itself. A narrow terminal gets it without the bar, and cut to its width. Does nothing where
  // stderr is no terminal, or TERM is dumb. `share` is the part that is done, 0 to 1.
  void progress(const std::string& what, double share, const std::string& figures);
  void end_progress() noexcept;

  // Writes what was found to stdout. A line that is drawn on the terminal is not in its way.
  void results(const std::string& text) const;

  // Returns a log of the same stderr that draws no progress: for recordings that are analysed side by side.
  Log without_progress() const;

 private:
  struct Line;  // what is drawn on the terminal now
  void write(const char* level, const std::string& message) const;
  int verbosity_;
  LogFormat format_;
  bool terminal_, colour_;
  bool draws_ = true;
  std::shared_ptr<Line> line_;  // one for all copies
};

}  // namespace beatscan
