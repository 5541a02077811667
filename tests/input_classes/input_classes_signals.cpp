// Sizes; times and rates; signals.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>
#include <utility>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/input_classes/input_classes.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr const char* kSizes = "InputClasses.Sizes";
constexpr const char* kSignals = "InputClasses.Signals";
constexpr std::int64_t kSamples = 20'000;  // 80 s at 250 Hz
constexpr std::int64_t kBeats = 115;       // in these samples

// Returns a generated ECG as CSV. `change` maps each value, in mV; a NaN becomes an empty cell.
std::function<std::string()> ecg(std::function<double(double, std::int64_t)> change, std::int64_t samples = kSamples) {
  return [=] {
    const TemporaryFolder folder;
    generate(Cpu(1), {.samples = samples, .abnormal_share = 0.1}, folder.path() / "ecg.csv");
    std::istringstream lines(contents_of(folder.path() / "ecg.csv"));
    std::string line, bytes = "ECG\n";
    std::getline(lines, line);
    for (std::int64_t i = 0; std::getline(lines, line); ++i) {
      const double value = change(std::stod(line), i);
      char cell[40] = "\n";
      if (!std::isnan(value)) std::snprintf(cell, sizeof cell, "%.6g\n", value);
      bytes += cell;
    }
    return bytes;
  };
}

double same(double mV, std::int64_t) { return mV; }

InputClass analysed(std::string name, std::string behaviour, std::function<std::string()> bytes,
                    std::int64_t least_beats, std::int64_t most_beats, std::string warning = "",
                    std::vector<std::string> settings = {}) {
  InputClass result{std::move(name), std::move(behaviour), kSignals, std::move(bytes), std::move(settings)};
  result.words = std::move(warning);
  result.analysed = true;
  result.least_beats = least_beats;
  result.most_beats = most_beats;
  return result;
}

InputClass too_little(const char* test, std::string name, std::function<std::string()> bytes, std::string words,
                      std::vector<std::string> settings = {}) {
  InputClass result{std::move(name), "status 4: “" + words + "”", test, std::move(bytes), std::move(settings)};
  result.status = ExitStatus::unanalysable;
  result.words = std::move(words);
  result.analysed = true;
  return result;
}

std::string many_columns() {
  std::string header, row;
  for (int column = 0; column < 100'000; ++column) {
    header += "c" + std::to_string(column) + (column < 99'999 ? "," : "\n");
    row += std::to_string(column) + (column < 99'999 ? "," : "\n");
  }
  return header + row + row;
}

std::string many_rows_and_text() {
  std::string bytes = "mV\n";
  bytes.reserve(60'000'100);
  for (int row = 2; row < 1'500'000; ++row) bytes += "0.5\n";
  return bytes + "text\n0.5\n";
}

}  // namespace

InputSection size_classes() {
  InputClass two_beats = analysed("two beats", "analysed", ecg(same, 400), 2, 2);
  two_beats.test = kSizes;
  return {
      "Sizes",
      {too_little(kSizes, "one row", text("mV\n1\n"), "too short: one sample"),
       too_little(kSizes, "shorter than the wavelet", ecg(same, 20), "too short: 20 samples", {"method=published"}),
       too_little(kSizes, "shorter than the window", ecg(same, 100), "too short: 100 samples", {"method=published"}),
       too_little(kSizes, "no beat", ecg(same, 10),
                  "no beats: two are needed that are not at gaps or in flat signal; none was found"),
       too_little(kSizes, "one beat", ecg(same, 100),
                  "no beats: two are needed that are not at gaps or in flat signal; 1 was found"),
       two_beats,
       {"100,000 columns",
        "read",
        kSizes,
        many_columns,
        {"ingest.column=c99999"},
        ExitStatus::ok,
        "",
        {99'999, 99'999}},
       {"a line of 1 GB", "status 3 before it is read to its end", "InputFaults.ALineOfAGigabyte"},
       {"text in line 1,500,000",
        "status 3 with line and byte",
        kSizes,
        many_rows_and_text,
        {},
        ExitStatus::input,
        "x.csv:1500000: byte 5999995: 'text' is not a number"},
       {"a cell that is split between chunks", "the same values", "Ingest.ARowMayBeSplitAnywhere"},
       {"more than 2^31 bytes", "read; lines and bytes are counted right", "Ingest.DISABLED_AFileOfMoreThan2GiB"},
       {"more than 2^32 bytes (scripts/nightly)", "read; lines and bytes are counted right",
        "Ingest.DISABLED_AFileOfMoreThan4GiB"}}};
}

InputSection time_classes() {
  return {
      "Times and rates",
      {{"decreasing times", "status 3 with line", "TimeColumns.AStepBackIsNamed"},
       {"repeated times", "a warning with line; each row is a sample", "TimeColumns.RepeatsAreNamed"},
       {"times with gaps", "missing rows are a gap; a warning with line", "TimeColumns.MissingRowsAreAGap"},
       {"times that jump far beyond the recording", "status 3 with line",
        "TimeColumns.AJumpFarBeyondTheRecordingIsNamed"},
       {"times that drift (499.31 Hz)", "the mean rate is used", "TimeColumns.TellTheRate"},
       {"a column named like a time without times", "a warning; status 3 if it is ingest.time_column",
        "TimeColumns.WhatIsNoTime"},
       {"a cell in a time column that is not a time", "status 3 with line", "TimeColumns.ABadCellAmongTimesIsNamed"},
       {"the same with ingest.on_bad", "its time is unknown, or the row is dropped", "OnBadRows.WithABadTime"},
       {"times of bad rows", "ignored", "OnBadRows.TheirTimesDoNotCount"},
       {"a rate of 0, NaN or infinity", "status 2", "InputPrograms.RatesThatAreNone"},
       {"a rate below 60 or above 8,000 Hz", "status 2; status 4 if it is the recording's own",
        "CliRate.ARateThatDoesNotServe"},
       {"no rate at all", "status 2", "CliRate.WithoutOneTheRunStopsBeforeItStarts"},
       {"a rate that contradicts the times", "used, with a warning", "CliRate.TheUsersRateTakesPrecedenceWithAWarning"},
       analysed("a rate that contradicts the heart rate", "a warning", ecg(same), 2, 200,
                "a minute: check the sampling rate (--rate)", {"ingest.sample_rate_hz=60"})}};
}

InputSection signal_classes() {
  const auto noise = [](double, std::int64_t i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    return std::normal_distribution<double>(0, 0.2)(random);
  };
  // Returns a wave of 1 Hz; `shape` maps the phase, 0 to 1.
  const auto wave = [](double (*shape)(double)) {
    return ecg([=](double, std::int64_t i) { return shape(static_cast<double>(i % 250) / 250); });
  };
  // Drops samples at random, independently of each other.
  const auto with_missing = [](double share) {
    return ecg([=](double mV, std::int64_t i) {
      std::mt19937_64 random(static_cast<std::uint64_t>(i));
      return std::uniform_real_distribution<double>(0, 1)(random) < share ? NAN : mV;
    });
  };
  return {
      "Signals",
      {analysed("a normal signal", "analysed", ecg(same), kBeats, kBeats),
       analysed("units other than mV", "the same beats", ecg([](double mV, std::int64_t) { return mV * 1000 + 512; }),
                kBeats, kBeats),
       analysed("an inverted lead", "the same beats", ecg([](double mV, std::int64_t) { return -mV; }), kBeats, kBeats),
       too_little(kSignals, "flat", ecg([](double, std::int64_t) { return 0.5; }), "flat: all 20000 samples are 0.5"),
       analysed(
           "temporarily clipped", "marked in quality.csv; the beats are detected; a warning",
           ecg([](double mV, std::int64_t i) { return i >= 5000 && i < 10'000 ? std::clamp(mV * 20, -5.0, 5.0) : mV; }),
           kBeats - 2, kBeats, "of the signal is good (quality.csv)"),
       analysed("temporarily at an end of its range", "flat there: marked in quality.csv, without beats",
                ecg([](double mV, std::int64_t i) { return i >= 5000 && i < 7500 ? 3.0 : mV; }), 100, 104),
       analysed("99 % of the samples at an end of the amplifier's range", "clipped throughout; a warning",
                ecg([](double mV, std::int64_t) { return std::max(mV, 0.9); }), 2, kBeats,
                "only 0 % of the signal is good"),
       analysed("half of the samples at an end of the amplifier's range", "the beats are detected; a warning",
                ecg([](double mV, std::int64_t) { return std::max(mV, 0.15); }), kBeats - 2, kBeats + 2,
                "waves may be clipped"),
       analysed("noise only (within bounded time)", "noisy throughout; a warning", ecg(noise, 100'000), 2, 2000,
                "only 0 % of the signal is good"),
       analysed("a triangle wave", "a warning", wave([](double phase) { return std::abs(phase - 0.5); }), 2, 200,
                "nothing is as steep as a QRS complex"),
       analysed("a sine", "a warning", wave([](double phase) { return std::sin(2 * std::numbers::pi * phase); }), 2,
                200, "nothing is as steep as a QRS complex"),
       analysed("a square wave", "a warning", wave([](double phase) { return phase < 0.5 ? 0.0 : 1.0; }), 2, 200,
                "may not be an ECG: a square wave"),
       analysed("one NaN", "one missing sample, which is interpolated: no beat is dropped",
                ecg([](double mV, std::int64_t i) { return i == 10'000 ? NAN : mV; }), kBeats, kBeats),
       analysed("one sample of a thousand missing", "interpolated: no beat is dropped", with_missing(0.001), kBeats,
                kBeats),
       analysed("one sample of a hundred missing", "interpolated: no beat is dropped", with_missing(0.01), kBeats,
                kBeats),
       analysed("a gap of 24 ms", "the beat that it touches is dropped",
                ecg([](double mV, std::int64_t i) { return i >= 10'000 && i < 10'006 ? NAN : mV; }), kBeats - 1,
                kBeats - 1),
       analysed("an hour's gap", "replaced by a straight line; beats in it are dropped, those on both sides accepted",
                ecg([](double mV, std::int64_t i) { return i >= 10'000 && i < 910'000 ? NAN : mV; }, 920'000), 110, 116,
                "of the signal is good (quality.csv)")}};
}

}  // namespace beatscan
