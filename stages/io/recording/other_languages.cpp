#include "stages/io/recording/other_languages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace beatscan {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// A word stands before those that it contains.
constexpr std::array<Pair, 22> kWords = {{{"Отведение", " lead "},
                                          {"отведение", " lead "},
                                          {"Отв.", " lead "},
                                          {"отв.", " lead "},
                                          {"ЭКГ", " ecg "},
                                          {"экг", " ecg "},
                                          {"Канал", " channel "},
                                          {"канал", " channel "},
                                          {"导联", " lead "},
                                          {"導聯", " lead "},
                                          {"誘導", " lead "},
                                          {"유도", " lead "},
                                          {"心电图", " ecg "},
                                          {"心電図", " ecg "},
                                          {"心電圖", " ecg "},
                                          {"심전도", " ecg "},
                                          {"通道", " channel "},
                                          {"第", " "},
                                          {"Ⅰ", " i "},
                                          {"Ⅱ", " ii "},
                                          {"Ⅲ", " iii "},
                                          {"ⅰ", " i "}}};

// Letters with accents, two bytes each.
constexpr std::array<Pair, 10> kAccents = {{{"áàâäãåÁÀÂÄÃÅ", "a"},
                                            {"éèêëÉÈÊË", "e"},
                                            {"íìîïÍÌÎÏ", "i"},
                                            {"óòôöõÓÒÔÖÕ", "o"},
                                            {"úùûüÚÙÛÜ", "u"},
                                            {"çÇ", "c"},
                                            {"ñÑ", "n"},
                                            {"ýÝ", "y"},
                                            {"øØ", "o"},
                                            {"šŠ", "s"}}};

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string in_latin_letters(std::string name) {
  if (std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return name;
  for (const auto& [word, latin] : kWords) replace_all(name, word, latin);
  for (const auto& [letters, latin] : kAccents)
    for (std::size_t i = 0; i < letters.size(); i += 2) replace_all(name, letters.substr(i, 2), latin);
  return name;
}

bool is_word_for_lead(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kLeads = {
      "ableitung", "abl",       "derivation", "derivacion", "derivazione", "derivacao",
      "afleiding", "avledning", "afledning",  "derivasyon", "kytkenta",    "odprowadzenie"};
  return std::ranges::find(kLeads, word) != kLeads.end();
}

}  // namespace beatscan
