#include "app/evaluation/wave_quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/common/json_text.h"
#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/evaluation/beat_quality.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/npy_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/letters.h"
#include "stages/common/one_line.h"

namespace beatscan {

namespace {

using Json = nlohmann::ordered_json;

// Returns for each beat of the result whether the reference has it.
std::vector<bool> beats_of_reference(const WaveTruth& truth, const FoundWaves& found, std::int64_t tolerance_us) {
  std::vector<std::int64_t> reference_us;
  for (const auto& wave : truth.waves)
    if (wave.type == WaveType::qrs) reference_us.push_back(wave.peak_us);
  std::vector<bool> are_known(found.beats_us.size(), reference_us.empty());
  for (const auto& beat : match_beats(reference_us, found.beats_us, tolerance_us))
    if (beat) are_known[*beat] = true;
  return are_known;
}

std::vector<std::int64_t> reference_times(const WaveTruth& truth, WaveFiducial fiducial) {
  std::vector<std::int64_t> times_us;
  for (const auto& wave : truth.waves)
    if (const auto time_us = time_of(wave, fiducial)) times_us.push_back(*time_us);
  std::ranges::sort(times_us);
  return times_us;
}

// Returns the peaks of the waves that the reference has without such a fiducial, such as T waves without an onset.
std::vector<std::int64_t> waves_without(const WaveTruth& truth, WaveFiducial fiducial) {
  std::vector<std::int64_t> peaks_us;
  for (const auto& wave : truth.waves)
    if (wave.type == type_of(fiducial) && !time_of(wave, fiducial)) peaks_us.push_back(wave.peak_us);
  std::ranges::sort(peaks_us);
  return peaks_us;
}

// Returns whether an ascending list has a time within the tolerance.
bool has_near(const std::vector<std::int64_t>& times_us, std::int64_t time_us, std::int64_t tolerance_us) {
  const auto near = std::ranges::lower_bound(times_us, time_us - tolerance_us);
  return near != times_us.end() && *near <= time_us + tolerance_us;
}

// Compares one type of fiducial; `counts` returns whether an unmatched one counts as detected.
template <class Counts>
FiducialQuality compare_fiducials(std::span<const std::int64_t> reference_us, std::vector<FoundFiducial> found,
                                  std::int64_t tolerance_us, const Counts& counts) {
  std::ranges::stable_sort(found, {}, &FoundFiducial::time_us);
  std::vector<std::int64_t> found_us;
  for (const auto& fiducial : found) found_us.push_back(fiducial.time_us);
  FiducialQuality quality{.reference = std::ssize(reference_us)};
  std::vector<bool> is_matched(found.size());
  const auto match = match_beats(reference_us, found_us, tolerance_us);
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (!match[i]) continue;
    is_matched[*match[i]] = true;
    ++quality.matched;
    const double error_ms = static_cast<double>(found_us[*match[i]] - reference_us[i]) / 1000;
    quality.sum_ms += error_ms;
    quality.sum_of_squares += error_ms * error_ms;
  }
  quality.detected = quality.matched;
  for (std::size_t i = 0; i < found.size(); ++i) quality.detected += !is_matched[i] && counts(found[i]);
  return quality;
}

Json json_of_fiducial(const FiducialQuality& quality) {
  return {{"reference", quality.reference},
          {"detected", quality.detected},
          {"matched", quality.matched},
          {"sensitivity", or_null(quality.sensitivity())},
          {"ppv", or_null(quality.ppv())},
          {"f1", or_null(quality.f1())},
          {"mean_ms", or_null(quality.mean_ms())},
          {"sd_ms", or_null(quality.sd_ms())}};
}

}  // namespace

FiducialQuality& FiducialQuality::operator+=(const FiducialQuality& other) {
  reference += other.reference;
  detected += other.detected;
  matched += other.matched;
  sum_ms += other.sum_ms;
  sum_of_squares += other.sum_of_squares;
  return *this;
}

std::optional<double> FiducialQuality::sensitivity() const { return quotient(matched, reference); }
std::optional<double> FiducialQuality::ppv() const { return quotient(matched, detected); }
std::optional<double> FiducialQuality::f1() const { return quotient(2 * matched, reference + detected); }

std::optional<double> FiducialQuality::mean_ms() const {
  return matched > 0 ? std::optional(sum_ms / static_cast<double>(matched)) : std::nullopt;
}

std::optional<double> FiducialQuality::sd_ms() const {
  if (matched < 2) return std::nullopt;
  const auto n = static_cast<double>(matched);
  return std::sqrt(std::max(sum_of_squares - sum_ms * sum_ms / n, 0.0) / (n - 1));
}

WaveQuality compare_waves(const WaveTruth& truth, const FoundWaves& found, double tolerance_ms) {
  const auto tolerance_us = static_cast<std::int64_t>(std::llround(tolerance_ms * 1000));
  const auto are_known = beats_of_reference(truth, found, tolerance_us);
  WaveQuality quality{.lead = found.lead, .tolerance_ms = tolerance_ms};
  for (std::size_t i = 0; i < found.fiducials.size(); ++i) {
    const auto fiducial = static_cast<WaveFiducial>(i);
    if (!truth.covers(fiducial)) continue;
    const auto unmarked_us = waves_without(truth, fiducial);
    const auto counts = [&](const FoundFiducial& detected) {
      return truth.first_us <= detected.time_us && detected.time_us <= truth.last_us && are_known.at(detected.beat) &&
             !has_near(unmarked_us, detected.time_us, tolerance_us);
    };
    quality.fiducials[i] =
        compare_fiducials(reference_times(truth, fiducial), found.fiducials[i], tolerance_us, counts);
  }
  return quality;
}

std::string no_waves_warning(const std::filesystem::path& truth) {
  return truth.string() + " has annotations of waves, and the result has none to compare them with";
}

Json to_json(const PerFiducial<std::optional<FiducialQuality>>& fiducials) {
  Json json = Json::object();
  for (std::size_t i = 0; i < fiducials.size(); ++i)
    json[std::string(kWaveFiducialNames[i])] = fiducials[i] ? json_of_fiducial(*fiducials[i]) : Json(nullptr);
  return json;
}

Json to_json(const WaveQuality& quality) {
  Json json = {{"lead", quality.lead ? Json(*quality.lead) : Json(nullptr)}, {"tolerance_ms", quality.tolerance_ms}};
  json.update(to_json(quality.fiducials));
  return json;
}

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsASecond = 1'000'000;

// The columns of all fiducials.
constexpr PerFiducial<std::string_view> kTimeColumns = {"p_onset_s", "p_peak_s", "p_end_s", "qrs_onset_s",
                                                        "qrs_end_s", "t_peak_s", "t_end_s"};

std::int64_t whole_in(const fs::path& path, std::int64_t line, std::string_view cell) {
  const auto number = parse_int64(cell);
  if (!number) fail_at_line(path, line, quoted(cell) + " is not a whole number; give the file as run wrote it");
  return *number;
}

// Adds the times of a beat; an empty cell means that the wave is absent.
void add_times(const fs::path& path, std::int64_t line, std::span<const std::string_view> cells, std::int64_t beat,
               FoundWaves& found) {
  for (std::size_t i = 0; i < found.fiducials.size(); ++i) {
    if (cells[i].empty()) continue;
    const auto time_s = parse_double(cells[i]);
    if (!time_s || std::abs(*time_s) > 1e9)
      fail_at_line(path, line, quoted(cells[i]) + " is not a time in s; give the file as run wrote it");
    found.fiducials[i].push_back({static_cast<std::int64_t>(std::llround(*time_s * kUsASecond)), beat});
  }
}

// Returns columns of these names, followed by those of all fiducials.
std::vector<std::string_view> with_times(std::vector<std::string_view> names) {
  names.insert(names.end(), kTimeColumns.begin(), kTimeColumns.end());
  return names;
}

// Returns the R peaks of a result in microseconds.
std::vector<std::int64_t> beats_us_of(std::string_view text, const fs::path& path, double sample_rate_hz) {
  constexpr std::array<std::string_view, 1> kSample = {"sample"};
  std::vector<std::int64_t> beats_us;
  for_each_row_of(text, path, kSample, [&](std::span<const std::string_view> cells, std::int64_t line) {
    beats_us.push_back(microseconds_at(whole_in(path, line, cells[0]), sample_rate_hz));
  });
  return beats_us;
}

std::vector<std::string> lead_names(const fs::path& summary) {
  std::vector<std::string> names;
  try {
    const auto document = parse_json<nlohmann::json>(read_whole_file(summary));
    for (const auto& lead : document.at("input").at("leads")) names.push_back(lead.at("name").get<std::string>());
  } catch (const nlohmann::json::exception&) {
    fail(ErrorKind::input, summary.string(), "has no input.leads; give the output folder of a finished run");
  } catch (const std::invalid_argument& error) {
    fail(ErrorKind::input, summary.string(), error.what() + std::string("; give the output folder of a finished run"));
  }
  return names;
}

// Returns the index of a lead given by name, in any case, or by position.
std::int64_t place_of_lead(const fs::path& summary, const std::string& lead) {
  const auto names = lead_names(summary);
  const auto is_wanted = [&](const std::string& name) { return in_small_letters(name) == in_small_letters(lead); };
  const auto count = std::ranges::count_if(names, is_wanted);
  if (count == 1) return std::ranges::find_if(names, is_wanted) - names.begin();
  const auto place = parse_int64(lead);
  if (count == 0 && place && *place >= 0 && *place < std::ssize(names)) return *place;
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  throw Error(ErrorKind::usage,
              in_one_line("--lead: the result has " + std::string(count > 1 ? "several leads" : "no lead") + " '" +
                          lead + "'; give the position from 0" + (count > 1 ? "" : ", or one of " + all)));
}

}  // namespace

void add_non_conducted(std::span<const std::int64_t> samples, double sample_rate_hz, FoundWaves& found) {
  if (found.beats_us.empty()) return;
  for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
    const auto onset_us = microseconds_at(samples[i], sample_rate_hz),
               end_us = microseconds_at(samples[i + 1], sample_rate_hz), peak_us = std::midpoint(onset_us, end_us);
    const auto behind = std::ranges::upper_bound(found.beats_us, peak_us);
    const std::int64_t beat = std::max<std::int64_t>(behind - found.beats_us.begin() - 1, 0);
    const auto add = [&](WaveFiducial fiducial, std::int64_t time_us) {
      found.fiducials[static_cast<std::size_t>(fiducial)].push_back({time_us, beat});
    };
    add(WaveFiducial::p_onset, onset_us);
    add(WaveFiducial::p_peak, peak_us);
    add(WaveFiducial::p_end, end_us);
  }
}

std::optional<FoundWaves> read_found_waves(const fs::path& folder, double sample_rate_hz) {
  const auto path = beats_file(folder);
  const std::string text = beats_text(folder);
  if (const auto header = std::string_view(text).substr(0, text.find('\n'));
      header.find(kTimeColumns[0]) == header.npos)
    return std::nullopt;
  FoundWaves found{.beats_us = beats_us_of(text, path, sample_rate_hz)};
  const auto columns = with_times({});
  std::int64_t beat = 0;
  for_each_row_of(text, path, columns, [&](std::span<const std::string_view> cells, std::int64_t line) {
    add_times(path, line, cells, beat++, found);
  });
  const fs::path non_conducted = folder / "report" / "non_conducted_p.npy";
  if (std::error_code unknown; fs::exists(non_conducted, unknown)) {
    const auto waves = read_npy_file<std::int64_t>(non_conducted, 2);
    if (waves.shape[1] != 2) fail_damaged(non_conducted, "does not hold onsets and ends");
    add_non_conducted(waves.values, sample_rate_hz, found);
  }
  return found;
}

FoundWaves read_waves_of_lead(const fs::path& folder, const std::string& lead, double sample_rate_hz) {
  const std::int64_t place = place_of_lead(folder / "summary.json", lead);
  const fs::path csv = folder / "waves.csv", parquet = folder / "waves.parquet";
  std::error_code unknown;
  const bool in_parquet = !fs::exists(csv, unknown) && fs::exists(parquet, unknown);
  if (!in_parquet && !fs::exists(csv, unknown))
    fail(ErrorKind::usage, csv.string(), "is not there, and --lead needs it; run the analysis with --waves");
  const fs::path& path = in_parquet ? parquet : csv;
  FoundWaves found{.lead = lead, .beats_us = beats_us_of(beats_text(folder), beats_file(folder), sample_rate_hz)};
  const auto columns = with_times({"beat", "lead"});
  bool has_lead = false;
  const auto add = [&](std::span<const std::string_view> cells, std::int64_t line) {
    const std::int64_t beat = whole_in(path, line, cells[0]);
    if (beat < 0 || beat >= std::ssize(found.beats_us))
      fail_at_line(path, line,
                   "beat " + std::to_string(beat) + " is not in the table of beats; run the analysis again");
    if (whole_in(path, line, cells[1]) != place) return;
    has_lead = true;
    add_times(path, line, cells.subspan(2), beat, found);
  };
  for_each_row_of(in_parquet ? csv_text(read_parquet(parquet)) : read_whole_file(csv), path, columns, add);
  if (!has_lead)
    fail(ErrorKind::usage, path.string(),
         in_one_line("has no waves of lead '" + lead + "', which was left out of the analysis; give another --lead"));
  return found;
}

}  // namespace beatscan
