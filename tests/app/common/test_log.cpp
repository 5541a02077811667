#include "app/common/log.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace beatscan {
namespace {

// Returns the terminal output when a progress line is drawn.
std::string drawn_on_a_terminal(unsigned short columns) {
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t drawer = forkpty(&terminal, nullptr, nullptr, &size);
  if (drawer < 0) return "none";
  if (drawer == 0) {
    setenv("TERM", "xterm", 1);
    Log(1, LogFormat::text).progress("batch", 0.62, "8 of 13 recordings, 0 failed, 4.98 a second, 12 s left");
    _exit(0);
  }
  std::string text;
  char part[256];
  for (ssize_t got; (got = read(terminal, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  waitpid(drawer, nullptr, 0);
  close(terminal);
  return text;
}

TEST(LogOnATerminal, ALineOfProgressFitsItsWidth) {
  const std::string figures = "8 of 13 recordings, 0 failed, 4.98 a second, 12 s left", clear = "\r\033[K";
  if (drawn_on_a_terminal(80) == "none") GTEST_SKIP() << "this system gives no pseudo-terminal (/dev/pts)";
  EXPECT_EQ(drawn_on_a_terminal(120), clear + "batch    [#########       ]  62 %  " + figures);
  EXPECT_EQ(drawn_on_a_terminal(80), clear + "batch 62 %  " + figures);
  EXPECT_EQ(drawn_on_a_terminal(30), clear + "batch 62 %  8 of 13 recording");
}

}  // namespace
}  // namespace beatscan
