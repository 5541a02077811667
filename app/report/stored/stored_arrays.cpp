#include "app/report/stored/stored_arrays.h"

#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/result/report_arrays.h"

namespace beatscan {
namespace {

// Calls visit(name, array) for each array, by the name of its file.
void each_named(ReportArrays& arrays, auto&& visit) {
  visit("envelope", arrays.bin_ranges);
  visit("other_envelopes", arrays.other_bin_ranges);
  visit("strip_beats", arrays.strip_beats);
  visit("strips", arrays.strips);
  visit("rows", arrays.rows);
  visit("decoded", arrays.decoded);
  visit("reference", arrays.reference);
  visit("grid", arrays.grid);
  visit("row_leads", arrays.row_leads);
  visit("templates", arrays.templates);
  visit("finding_places", arrays.finding_places);
  visit("finding_strips", arrays.finding_strips);
}

}  // namespace

ReportArrays read_arrays(const std::filesystem::path& folder, bool several) {
  const std::size_t more = several ? 1 : 0;  // the dimension of leads
  ReportArrays arrays{
      .bin_ranges = read_npy_file<float>(folder / "envelope.npy", 2),
      .other_bin_ranges = {},
      .strip_beats = read_npy_file<std::int64_t>(folder / "strip_beats.npy", 1),
      .strips = read_npy_file<float>(folder / "strips.npy", 2 + more),
      .rows = read_npy_file<float>(folder / "rows.npy", 2),
      .decoded = read_npy_file<float>(folder / "decoded.npy", 2),
      .reference = read_npy_file<float>(folder / "reference.npy", 2 + more),
      .grid = read_npy_file<float>(folder / "grid.npy", 2),
      .row_leads = {},
  };
  std::error_code ignored;
  if (std::filesystem::exists(folder / "templates.npy", ignored))
    arrays.templates = read_npy_file<float>(folder / "templates.npy", 3);
  if (std::filesystem::exists(folder / "finding_places.npy", ignored)) {
    arrays.finding_places = read_npy_file<std::int64_t>(folder / "finding_places.npy", 1);
    arrays.finding_strips = read_npy_file<float>(folder / "finding_strips.npy", 3);
  }
  if (!several) return arrays;
  arrays.other_bin_ranges = read_npy_file<float>(folder / "other_envelopes.npy", 3);
  arrays.row_leads = read_npy_file<std::int64_t>(folder / "row_leads.npy", 1);
  return arrays;
}

ReportArrays held_arrays(ReportData&& report, std::int64_t row_points) {
  ReportArrays arrays;
  each_report_array(report, row_points, [&]<class T>(std::string_view name, std::vector<T>& values, auto shape) {
    each_named(arrays, [&]<class Stored>(std::string_view file, NpyFile<Stored>& array) {
      if constexpr (std::is_same_v<T, Stored>)
        if (file == name) array = {std::move(shape), std::move(values)};
    });
  });
  return arrays;
}

}  // namespace beatscan
