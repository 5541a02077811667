#include "stages/common/one_line.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(InOneLine, ControlCharactersAreReplaced) {
  EXPECT_EQ(in_one_line("a\nb\r\t\x1b[31m\x7f"), "a?b???[31m?");
  EXPECT_EQ(in_one_line("\u0080a\u0085\u009b\u009f"), "?a???") << "of the second set";
  EXPECT_EQ(in_one_line("a\u2028b\u2029\u2029"), "a?b??") << "separators of lines and paragraphs";
}

TEST(InOneLine, OtherTextStays) {
  for (const char* text : {"", "µV", "\u00a0\u00bf", "Ü", "…", "心電図", "\u2027\u202a", "\xc2", "\xc2z", "\x85\x9b"})
    EXPECT_EQ(in_one_line(text), text);
}

}  // namespace
}  // namespace beatscan
