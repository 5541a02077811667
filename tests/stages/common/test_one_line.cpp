#include "stages/common/one_line.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(InOneLine, ControlCharactersAreReplaced) {
  EXPECT_EQ(in_one_line("a\nb\r\t\x1b[31m\x7f"), "a?b???[31m?");
  EXPECT_EQ(in_one_line("\u0080a\u0085\u009b\u009f"), "?a???") << "of the second set";
  EXPECT_EQ(in_one_line("a\u2028b\u2029\u2029"), "a?b??") << "separators of lines and paragraphs";
}

// "a\u202Efdp.exe" would be read as "aexe.pdf".
TEST(InOneLine, CharactersThatTurnTheTextRoundAreNamed) {
  EXPECT_EQ(in_one_line("a\u202Efdp.exe"), "a[U+202E]fdp.exe");
  EXPECT_EQ(in_one_line("\u202a\u202b\u202c\u202d\u202e"), "[U+202A][U+202B][U+202C][U+202D][U+202E]");
  EXPECT_EQ(in_one_line("\u2066x\u2067\u2068\u2069"), "[U+2066]x[U+2067][U+2068][U+2069]");
  EXPECT_EQ(in_one_line("\xe2\x80"), "\xe2\x80") << "cut off";
}

TEST(InOneLine, OtherTextStays) {
  for (const char* text : {"", "µV", "\u00a0\u00bf", "Ü", "…", "心電図", "\u2027\u202f", "\u200f\u2065\u206a", "\xc2",
                           "\xc2z", "\x85\x9b"})
    EXPECT_EQ(in_one_line(text), text);
}

}  // namespace
}  // namespace beatscan
