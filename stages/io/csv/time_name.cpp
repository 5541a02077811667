#include "stages/io/csv/time_name.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kernels/csv/decimal.h"
#include "stages/common/letters.h"

namespace beatscan {
namespace {

// Splits a name into words in small letters: "Time [s]" into "time" and "s". The micro sign is "u".
std::vector<std::string> words_in(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : with_u_for_micro(name)) {
    const char lower = decimal::lower(c);
    const bool in_word = decimal::is_digit(c) || (lower >= 'a' && lower <= 'z') || static_cast<unsigned char>(c) >= 128;
    if (in_word)
      words.back() += lower;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

constexpr std::array<std::string_view, 8> kMilliseconds = {"ms",           "msec", "msecs", "millis",
                                                           "milliseconds", "мс",   "мсек",  "毫秒"};
constexpr std::array<std::string_view, 6> kMicroseconds = {"us", "usec", "micros", "microseconds", "мкс", "微秒"};
constexpr std::array<std::string_view, 3> kNanoseconds = {"ns", "nsec", "nanoseconds"};
constexpr std::array<std::string_view, 4> kMinutes = {"min", "mins", "minute", "minutes"};
constexpr std::array<std::string_view, 5> kHours = {"h", "hr", "hrs", "hour", "hours"};
constexpr std::array<std::string_view, 9> kSeconds = {"s",        "sec", "secs", "second", "seconds",
                                                      "sekunden", "с",   "сек",  "秒"};
// A name of a time has one of these words, or one of kMilliseconds.
constexpr std::array<std::string_view, 29> kTimes = {
    "time", "times",       "t",     "ts",     "timestamp", "timestamps", "elapsed", "secs",  "sec", "seconds",
    "zeit", "zeitstempel", "temps", "tiempo", "tempo",     "czas",       "tijd",    "zaman", "tid", "aika",
    "čas",  "время",       "Время", "ВРЕМЯ",  "时间",      "時間",       "時刻",    "时刻",  "시간"};
// A name of a time may have these words and units besides, and no others.
constexpr std::array<std::string_view, 15> kBeside = {"s",    "date",  "datetime", "of",    "recording",
                                                      "utc",  "unix",  "epoch",    "local", "stamp",
                                                      "from", "since", "start",    "in",    "and"};

}  // namespace

bool states_time(const std::string& name) {
  const auto words = words_in(name);
  const auto is_time = [](const std::string& word) {
    return is_one_of(kTimes, word) || is_one_of(kMilliseconds, word) || word == "datetime";
  };
  const auto is_unit = [](const std::string& word) {
    return is_one_of(kMicroseconds, word) || is_one_of(kNanoseconds, word) || is_one_of(kMinutes, word) ||
           is_one_of(kHours, word) || is_one_of(kSeconds, word);
  };
  return std::ranges::any_of(words, is_time) && std::ranges::all_of(words, [&](const std::string& word) {
           return is_time(word) || is_unit(word) || is_one_of(kBeside, word);
         });
}

bool mentions_time(const std::string& name) {
  return std::ranges::any_of(words_in(name), [](const std::string& word) { return is_one_of(kTimes, word); });
}

std::optional<double> time_unit_of(const std::string& unit) {
  const auto words = words_in(unit);
  if (words.size() != 1) return std::nullopt;
  if (is_one_of(kSeconds, words[0])) return 1;
  const double unit_s = time_unit_s(words[0]);
  return unit_s == 1 ? std::nullopt : std::optional(unit_s);
}

double time_unit_s(const std::string& name) {
  for (const auto& word : words_in(name)) {
    if (is_one_of(kMilliseconds, word)) return 1e-3;
    if (is_one_of(kMicroseconds, word)) return 1e-6;
    if (is_one_of(kNanoseconds, word)) return 1e-9;
    if (is_one_of(kMinutes, word)) return 60;
    if (is_one_of(kHours, word)) return 3600;
  }
  return 1;
}

}  // namespace beatscan
