#include "app/report/stored/stored_arrays.h"

#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/output/report_data.h"

namespace beatscan {
namespace {

enum class Presence { always, in_some_results, with_several_leads };

// Calls visit(name, array, dimensions, presence) for each array, by the name of its file. Of one lead, arrays with a
// dimension of leads have one dimension less.
void each_named(ReportArrays& arrays, bool several, auto&& visit) {
  const std::size_t more = several ? 1 : 0;
  visit("envelope", arrays.bin_ranges, 2, Presence::always);
  visit("strip_beats", arrays.strip_beats, 1, Presence::always);
  visit("strips", arrays.strips, 2 + more, Presence::always);
  visit("rows", arrays.rows, 2, Presence::always);
  visit("decoded", arrays.decoded, 2, Presence::always);
  visit("reference", arrays.reference, 2 + more, Presence::always);
  visit("grid", arrays.grid, 2, Presence::always);
  visit("templates", arrays.templates, 3, Presence::in_some_results);
  visit("finding_places", arrays.finding_places, 1, Presence::in_some_results);
  visit("finding_strips", arrays.finding_strips, 3, Presence::in_some_results);
  visit("non_conducted_p", arrays.non_conducted_p, 2, Presence::in_some_results);
  visit("other_envelopes", arrays.other_bin_ranges, 3, Presence::with_several_leads);
  visit("row_leads", arrays.row_leads, 1, Presence::with_several_leads);
}

}  // namespace

ReportArrays read_arrays(const std::filesystem::path& folder, bool several) {
  ReportArrays arrays;
  each_named(arrays, several, [&]<class T>(const char* name, NpyFile<T>& array, std::size_t dimensions, Presence its) {
    const auto path = folder / (std::string(name) + ".npy");
    std::error_code ignored;
    if (its == Presence::with_several_leads && !several) return;
    if (its == Presence::in_some_results && !std::filesystem::exists(path, ignored)) return;
    array = read_npy_file<T>(path, dimensions);
  });
  return arrays;
}

ReportArrays held_arrays(ReportData&& report, std::int64_t row_points) {
  ReportArrays arrays;
  const bool several = report.leads > 1;
  each_report_array(report, row_points, [&]<class T>(std::string_view name, std::vector<T>& values, auto shape) {
    each_named(arrays, several, [&]<class Stored>(std::string_view file, NpyFile<Stored>& array, auto...) {
      if constexpr (std::is_same_v<T, Stored>)
        if (file == name) array = {std::move(shape), std::move(values)};
    });
  });
  return arrays;
}

}  // namespace beatscan
