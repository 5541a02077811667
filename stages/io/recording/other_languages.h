// stages/io/recording/other_languages.h — the words lead and ECG of other languages and alphabets.
#pragma once

#include <string>
#include <string_view>

namespace beatscan {

// Returns a name with "lead" and "ecg" for such words of other alphabets, "i" to "iii" for Roman numerals that are one
// character, and letters without their accents: "Отведение II", "导联II" and "第Ⅱ誘導" become "lead ii" but for blanks.
std::string in_latin_letters(std::string name);

// Returns whether a word in small letters is that for lead in another language whose letters are Latin ones.
bool is_word_for_lead(std::string_view word);

}  // namespace beatscan
