#include "stages/io/recording/lead_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/csv/decimal.h"
#include "stages/common/letters.h"
#include "stages/io/recording/other_languages.h"

namespace beatscan {

bool is_voltage(const std::string& unit) {
  static constexpr std::array kUnits = {"V", "mV", "uV", "\xc2\xb5V", "\xce\xbcV", "\xb5V", "nV", "mv", "uv"};  // µ, μ
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

namespace {

bool is_lead_name(std::string_view name) {
  static constexpr std::array kLeads = {
      "i",    "ii",  "iii", "avr", "avl", "avf", "v",    "v1",    "v2",  "v3",  "v4",  "v5",  "v6",   "v7",
      "v8",   "v9",  "vx",  "vy",  "vz",  "mli", "mlii", "mliii", "ml1", "ml2", "ml3", "mcl", "mcl1", "mcl5",
      "mcl6", "cm1", "cm2", "cm4", "cm5", "cb5", "cc5",  "d1",    "d2",  "d3",  "d4",  "di",  "dii",  "diii",
      "ml5",  "mv1", "mv2", "mv3", "mv4", "mv5", "mv6",  "v3r",   "v4r", "v5r", "v6r", "nasa"};
  return std::ranges::find(kLeads, name) != kLeads.end();
}

bool is_number(std::string_view word) { return std::ranges::all_of(word, decimal::is_digit); }

// Returns whether a word of a name, in small letters, is a unit of voltage. "v" is not: it is a lead.
bool is_unit(std::string_view word) { return word == "mv" || word == "uv" || word == "nv"; }

bool is_channel(std::string_view word) {
  static constexpr std::array kChannels = {"ch", "chan", "channel", "sig", "signal"};
  return std::ranges::find(kChannels, word) != kChannels.end();
}

// Returns the part before the first digit, and the rest.
std::pair<std::string_view, std::string_view> cut_before_digits(std::string_view word) {
  const std::size_t letters = std::min(word.find_first_of("0123456789"), word.size());
  return {word.substr(0, letters), word.substr(letters)};
}

// The classes of the words of an ECG lead's name.
enum class Word { lead, beside, other };
Word kind_of_word(std::string_view word) {
  static constexpr std::array kBeside = {"lead", "derivation", "ref", "la", "ra", "ll", "rl", "raw", "mdc", "mod"};
  if (is_lead_name(word)) return Word::lead;
  if (is_number(word) || is_unit(word) || std::ranges::find(kBeside, word) != kBeside.end()) return Word::beside;
  if (const auto [start, number] = cut_before_digits(word); is_channel(start) && is_number(number)) return Word::beside;
  for (const std::string_view start : {"ecg", "ekg", "lead"})
    if (word.starts_with(start))
      if (const auto rest = word.substr(start.size()); is_number(rest) || is_lead_name(rest)) return Word::lead;
  return Word::other;
}

// Classifies a word, given the word before it: a number after "lead" numbers a lead. Of letters after "ECG", L and R
// are the sides of a polysomnography's electrodes, and A, B and C count leads. Leads of Nehb are D, A, J and I, and
// those of Frank X, Y and Z.
Word kind_of_word(std::string_view word, std::string_view before) {
  static constexpr std::string_view kLetters = "lrabc";
  static constexpr std::string_view kOfNehb = "daji", kOfFrank = "xyz";
  if (before == "lead" && is_number(word)) return Word::lead;
  if (word == "nehb" || word == "frank") return Word::beside;
  const auto follows = [&](std::string_view name, std::string_view letters) {
    return before == name && word.size() == 1 && letters.find(word[0]) != letters.npos;
  };
  if (follows("nehb", kOfNehb) || follows("frank", kOfFrank)) return Word::lead;
  if ((before == "ecg" || before == "ekg") && word.size() == 1 && kLetters.find(word[0]) != kLetters.npos)
    return Word::beside;
  return kind_of_word(word);
}

// Returns a name in Latin letters, without a unit of voltage in brackets at its end, and with "u" for the micro sign.
std::string without_unit(std::string name) {
  name = in_latin_letters(with_u_for_micro(std::move(name)));
  const auto opening = name.find_last_of("([");
  if (opening == name.npos || (name.back() != ')' && name.back() != ']')) return name;
  return is_voltage(name.substr(opening + 1, name.size() - opening - 2)) ? name.substr(0, opening) : name;
}

// Returns the words of a name in small letters: runs of letters and digits. A unit at its end is left out, and
// "derivation" stands for the word lead of other languages.
std::vector<std::string> words_of(const std::string& as_given) {
  std::vector<std::string> words(1);
  for (const char c : in_small_letters(without_unit(as_given)))
    if ((c >= 'a' && c <= 'z') || decimal::is_digit(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty()) words.pop_back();
  if (words.size() > 1 && is_unit(words.back())) words.pop_back();
  std::ranges::replace_if(words, is_word_for_lead, "derivation");
  return words;
}

// Returns whether a name has letters of other alphabets, which its words leave out.
bool has_other_letters(const std::string& name) {
  return std::ranges::any_of(without_unit(name), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

template <std::size_t N>
bool is_listed(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_electrode(std::string_view word) { return word == "la" || word == "ra" || word == "ll" || word == "rl"; }

// Returns whether a word is ECG or EKG, with a lead or a number behind it or not.
bool is_ecg_word(std::string_view word) {
  return (word.starts_with("ecg") || word.starts_with("ekg")) &&
         (is_number(word.substr(3)) || is_lead_name(word.substr(3)));
}

// The words of quantities that are derived from an ECG or recorded beside it, and those of an ECG that was processed.
constexpr std::array<std::string_view, 32> kDerived = {
    "rate",    "quality", "peak",    "phase", "time",     "timestamp", "onset",       "offset",
    "label",   "status",  "state",   "flag",  "event",    "valid",     "marker",      "annotation",
    "annot",   "rr",      "hr",      "bpm",   "sqi",      "index",     "counter",     "count",
    "battery", "off",     "leadoff", "error", "interval", "artifact",  "temperature", "class"};
constexpr std::array<std::string_view, 12> kProcessed = {"clean",     "cleaned",  "filtered",   "filt",
                                                         "filter",    "smoothed", "smooth",     "bandpass",
                                                         "detrended", "squared",  "normalized", "integrated"};

// Returns whether a word of a name, with its number or its plural or behind ECG, is one of a derived quantity.
bool is_derived(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](std::string_view word) {
    if (word.size() > 3 && (word.starts_with("ecg") || word.starts_with("ekg"))) word.remove_prefix(3);
    word = cut_before_digits(word).first;
    if (word == "counts") return false;  // a unit
    return is_listed(kDerived, word) || (word.ends_with('s') && is_listed(kDerived, word.substr(0, word.size() - 1)));
  });
}

bool is_letter_that_counts(std::string_view word) { return word.size() == 1 && word[0] >= 'a' && word[0] <= 'l'; }

}  // namespace

bool called_like_an_ecg(const std::string& as_given) {
  std::string name = in_small_letters(in_latin_letters(as_given));
  if (name.find("ecg") != name.npos || name.find("ekg") != name.npos) return true;
  for (const std::string_view prefix : {"lead ", "lead_", "lead"})
    if (name.starts_with(prefix)) {
      name.erase(0, prefix.size());
      break;
    }
  return is_lead_name(name);
}

bool is_ecg_by_name(const std::string& name) {
  bool names_a_lead = false, any_other = false, names_ecg = false, is_code = false;
  int electrodes = 0;
  std::string_view before;
  const auto words = words_of(name);
  for (const auto& word : words) {
    const Word kind = kind_of_word(word, before);
    any_other |= kind == Word::other;
    is_code |= names_ecg && kind == Word::other && word.size() == 1;
    names_a_lead |= kind == Word::lead;
    electrodes += is_electrode(word);
    names_ecg |= kind == Word::lead && (before == "lead" || is_ecg_word(word));
    before = word;
  }
  if (!any_other) return names_a_lead || electrodes > 1;
  return names_ecg && !is_code && !is_derived(words) && !names_another_signal(name) &&
         std::ranges::none_of(words, [](const auto& word) { return is_listed(kProcessed, word); });
}

bool mentions_ecg(const std::string& name) {
  const auto words = words_of(name);
  const std::string small = in_small_letters(in_latin_letters(name));
  return (small.find("ecg") != small.npos || small.find("ekg") != small.npos) && !is_derived(words);
}

bool numbers_a_channel(const std::string& name) {
  const auto words = words_of(name);
  if (words.empty() || words.size() > 2 || has_other_letters(name)) return false;
  const auto [start, number] = cut_before_digits(words[0]);
  if (!is_channel(start) || !is_number(number)) return false;
  if (words.size() == 1) return !number.empty();
  return number.empty() && (is_number(words[1]) || is_letter_that_counts(words[1]));
}

bool says_nothing(const std::string& name) {
  static constexpr std::array kOrthogonal = {"x", "y", "z"}, kEasi = {"es", "as", "ai"};
  const auto words = words_of(name);
  if (has_other_letters(name)) return false;
  if (words.empty() || numbers_a_channel(name)) return true;
  std::string joined;
  for (const std::string& word : words) joined += word;
  if (std::ranges::find(kEasi, joined) != kEasi.end()) return true;
  if (words.size() == 1)
    return is_number(joined) || is_letter_that_counts(joined) || joined == "unknown" ||
           std::ranges::find(kOrthogonal, joined) != kOrthogonal.end();
  if (words.size() == 2 && words[0] == "code") return is_number(words[1]);
  return words[0] == "record" && words[words.size() - 2] == "signal" && is_number(words.back());  // WFDB's own name
}

bool names_another_signal(const std::string& name) {
  static constexpr std::array<std::string_view, 21> kOthers = {
      "abp", "acc",   "art",           "co2", "eda",  "eeg",         "emg",  "eog",         "event",   "gsr",  "marker",
      "nbp", "pleth", "plethysmogram", "ppg", "resp", "respiration", "spo2", "temperature", "trigger", "valid"};
  return std::ranges::any_of(words_of(name),
                             [](const auto& word) { return std::ranges::find(kOthers, word) != kOthers.end(); });
}

}  // namespace beatscan
