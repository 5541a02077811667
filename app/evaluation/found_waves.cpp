#include "app/evaluation/found_waves.h"

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
#include "app/output/tables/parquet.h"
#include "app/output/tables/stored_beats.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/npy_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/letters.h"
#include "stages/common/one_line.h"

namespace beatscan {
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
