#include "stages/io/csv/csv_metadata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "stages/common/from_chars.h"
#include "stages/common/letters.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/opensignals.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/lead_names.h"

namespace beatscan {
namespace {

constexpr double kLowestRate_hz = 1, kHighestRate_hz = 100'000;

template <std::size_t N>
bool is_listed(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

struct KeyAndValue {
  std::string key, value;    // the key in small letters, blanks for '_' and '-', without brackets and what is in them
  std::string unit;          // what the key has in brackets
  bool of_labchart = false;  // "Interval=" before a tab: the interval from sample to sample
};

// Splits a line at the first character that may separate a key from its value.
std::optional<KeyAndValue> key_and_value(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t#%\"'");
  if (begin == line.npos) return std::nullopt;
  line.remove_prefix(begin);
  const auto at = line.find_first_of(",;\t:=|");
  if (at == line.npos || at == 0 || at > 80) return std::nullopt;
  KeyAndValue pair{.of_labchart = line.starts_with("Interval=\t")};
  std::string key = in_small_letters(line.substr(0, at));
  if (const auto open = key.find_first_of("(["); open != key.npos) {
    const auto close = key.find_first_of(")]", open);
    pair.unit = trimmed(std::string_view(key).substr(open + 1, close == key.npos ? close : close - open - 1));
    key.erase(open);
  }
  std::ranges::replace_if(
      key, [](char c) { return c == '_' || c == '-' || c == '"' || c == '\''; }, ' ');
  pair.key = trimmed(key);
  std::string_view value = line.substr(at + 1);
  while (!value.empty() && std::string_view(" \t,;:=|\r").find(value.back()) != value.npos) value.remove_suffix(1);
  while (!value.empty() && std::string_view(" \t,;:=|").find(value.front()) != value.npos) value.remove_prefix(1);
  pair.value = trimmed(value);
  return pair;
}

struct Quantity {
  double value;
  std::string unit;  // in small letters
};

// Reads "512 hertz", "360Hz" or "4". A comma with three digits after it may separate thousands: that is no number.
std::optional<Quantity> quantity_of(std::string_view text) {
  std::string number(text.substr(0, text.find_first_not_of("0123456789.,+-eE")));
  while (!number.empty() && !decimal::is_digit(number.back()) && number.back() != '.') number.pop_back();  // "5e"
  const std::string unit = in_small_letters(trimmed(text.substr(number.size())));
  if (has_decimal_comma(number) && !may_be_thousands(number)) swap_points_and_commas(number);
  double value = 0;
  const auto [end, error] = from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) return std::nullopt;
  return Quantity{value, unit};
}

constexpr std::array<std::string_view, 42> kRateKeys = {"fs",
                                                        "sf",
                                                        "sfreq",
                                                        "srate",
                                                        "sps",
                                                        "samplerate",
                                                        "samplingrate",
                                                        "samplefrequency",
                                                        "samplingfrequency",
                                                        "sample rate",
                                                        "sampling rate",
                                                        "sample rate hz",
                                                        "sampling rate hz",
                                                        "samplerate hz",
                                                        "samplingrate hz",
                                                        "fs hz",
                                                        "sample frequency",
                                                        "sampling frequency",
                                                        "sample frequency hz",
                                                        "sampling frequency hz",
                                                        "sample freq",
                                                        "sampling freq",
                                                        "ecg sample rate",
                                                        "ecg sampling rate",
                                                        "ecg sampling frequency",
                                                        "samples per second",
                                                        "abtastrate",
                                                        "abtastfrequenz",
                                                        "messfrequenz",
                                                        "fréquence d échantillonnage",
                                                        "frecuencia de muestreo",
                                                        "frequenza di campionamento",
                                                        "bemonsteringsfrequentie",
                                                        "taxa de amostragem",
                                                        "采样率",
                                                        "采样频率",
                                                        "採樣率",
                                                        "サンプリング周波数",
                                                        "частота дискретизации",
                                                        "Частота дискретизации",
                                                        "częstotliwość próbkowania",
                                                        "samplingsfrekvens"};
constexpr std::array<std::string_view, 9> kIntervalKeys = {"sampling interval", "sample interval",  "sampling period",
                                                           "sample period",     "samplinginterval", "sampleinterval",
                                                           "samplingperiod",    "sampleperiod",     "abtastintervall"};
constexpr std::array<std::string_view, 11> kHertz = {
    "", "hz", "hertz", "sps", "samples/s", "samples/sec", "samples per second", "1/s", "гц", "Гц", "赫兹"};

std::optional<double> within_bounds(double hz) {
  return hz >= kLowestRate_hz && hz <= kHighestRate_hz ? std::optional(hz) : std::nullopt;
}

std::optional<double> rate_of(const KeyAndValue& pair) {
  const bool is_rate = is_listed(kRateKeys, pair.key);
  const bool is_interval = is_listed(kIntervalKeys, pair.key) || pair.of_labchart;
  if (!is_rate && !is_interval && pair.key != "frequency") return std::nullopt;
  const auto quantity = quantity_of(pair.value);
  if (!quantity) return std::nullopt;
  const std::string& unit = quantity->unit.empty() ? pair.unit : quantity->unit;
  if (is_interval) {
    const double seconds = unit == "ms" ? 1e-3 : with_u_for_micro(unit) == "us" ? 1e-6 : unit == "s" ? 1 : 0;
    return seconds * quantity->value > 0 ? within_bounds(1 / (seconds * quantity->value)) : std::nullopt;
  }
  if (unit == "khz") return within_bounds(quantity->value * 1e3);
  // "Frequency" alone may be that of the mains.
  if (!is_rate && (unit.empty() || quantity->value <= 60)) return std::nullopt;
  return is_listed(kHertz, unit) ? within_bounds(quantity->value) : std::nullopt;
}

constexpr std::array<std::string_view, 16> kUnitKeys = {
    "unit",    "units",   "einheit", "unité", "unidad",  "signal unit", "ecg unit", "unità",
    "unidade", "eenheid", "单位",    "単位",  "единица", "Единица",     "единицы",  "Единицы"};
constexpr std::array<std::string_view, 13> kLeadKeys = {
    "lead",      "lead name", "channel", "ableitung", "dérivation", "derivación", "derivazione",
    "derivação", "afleiding", "导联",    "誘導",      "отведение",  "Отведение"};
constexpr std::array<std::string_view, 29> kStartKeys = {"aufnahmedatum",
                                                         "recorded date",
                                                         "recording date",
                                                         "recorded at",
                                                         "recorded",
                                                         "recording time",
                                                         "start time",
                                                         "recording start",
                                                         "start",
                                                         "start date",
                                                         "start date time",
                                                         "start datetime",
                                                         "started",
                                                         "started at",
                                                         "recording started",
                                                         "recording started at",
                                                         "recorded on",
                                                         "begin",
                                                         "startzeit",
                                                         "aufnahmebeginn",
                                                         "beginn",
                                                         "début",
                                                         "inicio",
                                                         "inizio",
                                                         "início",
                                                         "开始时间",
                                                         "開始時刻",
                                                         "Начало",
                                                         "начало"};
// Further keys that recorders write. Their values are ignored.
constexpr std::array<std::string_view, 36> kOtherKeys = {"name",
                                                         "date of birth",
                                                         "classification",
                                                         "symptoms",
                                                         "software version",
                                                         "device",
                                                         "patient",
                                                         "patient id",
                                                         "subject",
                                                         "gender",
                                                         "sex",
                                                         "age",
                                                         "gain",
                                                         "filter",
                                                         "duration",
                                                         "firmware version",
                                                         "serial number",
                                                         "date",
                                                         "heart rate",
                                                         "recording",
                                                         "record",
                                                         "comment",
                                                         "comments",
                                                         "notes",
                                                         "resolution",
                                                         "manufacturer",
                                                         "model",
                                                         "interval",
                                                         "exceldatetime",
                                                         "timeformat",
                                                         "dateformat",
                                                         "channeltitle",
                                                         "range",
                                                         "unitname",
                                                         "topvalue",
                                                         "bottomvalue"};

// Returns the start by a date, or by seconds or milliseconds since 1970.
std::optional<StartTime> start_by(std::string_view value) {
  constexpr double kFirst_s = 631152000, kLast_s = 4102444800;  // 1990 and 2100
  const TimeCell time = parse_time(value);
  if (time.kind == TimeKind::date) return start_time(time.value, time.ahead_of_utc_s);
  if (time.kind != TimeKind::number) return std::nullopt;
  const double start_s = time.value > kLast_s ? time.value / 1000 : time.value;
  return start_s >= kFirst_s && start_s <= kLast_s ? start_time(start_s, std::nullopt) : std::nullopt;
}

// Returns the start that a line specifies: "Start time: 2026-11-21 10:00:00", "Recording started 2026-11-21T10:00Z",
// or LabChart's "ExcelDateTime=", in days since the end of 1899.
std::optional<StartTime> start_of(const KeyAndValue& pair, std::string_view line) {
  if (pair.key == "exceldatetime") {
    constexpr double kDaysTo1970 = 25569, kDay_s = 86400;
    const auto days = quantity_of(pair.value.substr(0, pair.value.find('\t')));
    return days ? start_time(std::round((days->value - kDaysTo1970) * kDay_s * 1000) / 1000, std::nullopt)
                : std::nullopt;
  }
  if (is_listed(kStartKeys, pair.key)) return start_by(pair.value);
  const auto digit = line.find_first_of("0123456789");
  if (digit == line.npos) return std::nullopt;
  const auto words = key_and_value(std::string(line.substr(0, digit)) + ":" + std::string(line.substr(digit)));
  return words && is_listed(kStartKeys, words->key) ? start_by(words->value) : std::nullopt;
}

std::string shown_line(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(" \t"), line.size());
  std::string text = in_one_line(std::string(line.substr(begin, 80)));
  while (text.ends_with(' ') || text.ends_with('?')) text.pop_back();  // '?' stands for a CR
  return text;
}

void take_rate(double hz, std::string_view line, std::int64_t number, CsvMetadata& metadata) {
  const auto words_of = [](std::int64_t in_line) {
    return "line " + std::to_string(in_line) + " gives the sampling rate: ";
  };
  if (metadata.rate_line > 0) {
    if (metadata.sample_rate_hz == hz) return;
    std::erase_if(metadata.taken, [&](const auto& taken) { return taken.starts_with(words_of(metadata.rate_line)); });
    if (metadata.sample_rate_hz)
      metadata.warnings.push_back("lines " + std::to_string(metadata.rate_line) + " and " + std::to_string(number) +
                                  " give different sampling rates: neither is used");
    metadata.sample_rate_hz = std::nullopt;
    return;
  }
  metadata.sample_rate_hz = hz;
  metadata.rate_line = number;
  metadata.taken.push_back(words_of(number) + shown_line(line));
}

}  // namespace

std::string voltage_unit(std::string_view text) {
  const std::string unit = in_small_letters(text);
  if (text == "V" || unit == "volt" || unit == "volts") return "V";
  if (unit == "mv" || unit == "millivolt" || unit == "millivolts" || unit == "мВ" || unit == "毫伏") return "mV";
  if (unit == "nv") return "nV";
  static constexpr std::array<std::string_view, 7> kMicrovolts = {"uv",        "\xc2\xb5v",  "\xce\xbcv", "\xb5v",
                                                                  "microvolt", "microvolts", "мкВ"};
  return is_listed(kMicrovolts, unit) ? "\xc2\xb5V" : "";
}

std::string voltage_unit_in_name(const std::string& name) {
  if (const auto open = name.find_last_of("(["); open != name.npos) {
    const auto close = name.find_first_of(")]", open);
    if (close != name.npos)
      if (auto unit = voltage_unit(trimmed(std::string_view(name).substr(open + 1, close - open - 1))); !unit.empty())
        return unit;
  }
  const auto before = name.find_last_of(" _-/.:");
  const std::string_view last =
      before == name.npos ? std::string_view(name) : std::string_view(name).substr(before + 1);
  return last == "V" ? "" : voltage_unit(last);  // V alone is a lead
}

std::optional<double> rate_stated_by(std::string_view key, std::string_view value) {
  return rate_of(key_and_value(std::string(key) + "=" + std::string(value)).value_or(KeyAndValue{}));
}

bool has_known_key(std::string_view line) {
  const auto pair = key_and_value(line);
  if (!pair) return false;
  return is_listed(kOtherKeys, pair->key) || is_listed(kRateKeys, pair->key) || is_listed(kUnitKeys, pair->key) ||
         is_listed(kLeadKeys, pair->key) || is_listed(kStartKeys, pair->key) || is_listed(kIntervalKeys, pair->key);
}

std::optional<double> rate_without_key(std::string_view line) {
  const auto quantity = quantity_of(trimmed(line));
  if (!quantity || quantity->unit.find_first_of("/ ") == quantity->unit.npos) return std::nullopt;
  if (is_listed(kHertz, quantity->unit) || quantity->unit == "samples/second") return within_bounds(quantity->value);
  const auto slash = quantity->unit.find("/sample");
  const auto unit_s = time_unit_of(quantity->unit.substr(0, slash));
  if (slash == std::string::npos || !unit_s || quantity->value <= 0) return std::nullopt;
  const double hz = 1 / (*unit_s * quantity->value), whole = std::round(hz);
  return within_bounds(std::abs(hz - whole) <= 1e-4 * hz ? whole : hz);  // the interval may be rounded
}

std::size_t counted_channels(std::string_view line) {
  const auto quantity = quantity_of(trimmed(line));
  const bool counts = quantity && (quantity->unit == "channels" || quantity->unit == "channel");
  return counts && quantity->value >= 1 && quantity->value <= 256 ? static_cast<std::size_t>(quantity->value) : 0;
}

namespace {

// Takes the names and units of channels from LabChart's lines.
void read_labchart_channels(std::string_view line, CsvMetadata& metadata) {
  const bool names = line.starts_with("ChannelTitle=\t");
  if (!names && !line.starts_with("Range=\t")) return;
  auto cells = cells_of(line, '\t');
  cells.erase(cells.begin());
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  if (names) metadata.channels.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (names)
      metadata.channels.push_back({cells[i], ""});
    else if (i < metadata.channels.size())
      metadata.channels[i].unit = cells[i].substr(cells[i].rfind(' ') + 1);
  }
}

// Takes rate, start and columns of OpenSignals. Returns whether the line is its header.
bool read_opensignals(std::string_view line, std::int64_t number, CsvMetadata& metadata) {
  const auto begin = line.find('{');
  if (begin == line.npos || line.substr(0, begin).find_first_not_of(" \t#%") != line.npos) return false;
  const auto found = opensignals_header(line.substr(begin));
  if (!found) return false;
  metadata.columns = found->columns;
  if (found->sample_rate_hz > 0) {
    const std::string rate = "sampling rate: " + number_text(found->sample_rate_hz, 7);
    read_metadata_line(rate, number, metadata);
  }
  if (!found->start.empty()) read_metadata_line("start: " + found->start, number, metadata);
  return true;
}

}  // namespace

void read_metadata_line(std::string_view line, std::int64_t number, CsvMetadata& metadata) {
  if (read_opensignals(line, number, metadata)) return;
  if (const auto hz = rate_without_key(line)) return take_rate(*hz, line, number, metadata);
  read_labchart_channels(line, metadata);
  const auto pair = key_and_value(line);
  if (!pair) return;
  metadata.known_keys += has_known_key(line);
  const auto take = [&](const char* what) {
    metadata.taken.push_back("line " + std::to_string(number) + " gives the " + what + ": " + shown_line(line));
  };
  if (const auto hz = rate_of(*pair)) {
    take_rate(*hz, line, number, metadata);
  } else if (is_listed(kRateKeys, pair->key) && !pair->value.empty()) {
    metadata.warnings.push_back("line " + std::to_string(number) + ": '" + shown_line(line) +
                                "' is not understood as a sampling rate; --rate HZ sets it");
  } else if (is_listed(kUnitKeys, pair->key) && metadata.unit.empty()) {
    metadata.unit = voltage_unit(pair->value);
    if (!metadata.unit.empty()) take("unit");
  } else if (is_listed(kLeadKeys, pair->key) && metadata.lead.empty() && is_ecg_by_name(pair->value)) {
    metadata.lead = pair->value;
    take("lead");
  } else if (!metadata.start) {
    metadata.start = start_of(*pair, line);
    if (metadata.start) take("start");
  }
}

}  // namespace beatscan
