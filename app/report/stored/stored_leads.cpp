#include "app/report/stored/stored_leads.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/common/json_text.h"
#include "app/common/small_csv.h"
#include "app/output/result_facts.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/npy_file.h"

namespace beatscan {
namespace {

StoredLead lead_from(const Json& lead) {
  StoredLead stored{text_at(lead, "name"), text_at(lead, "unit"), lead.value("used", true)};
  if (const Json share = lead.value("analysable_share", Json()); share.is_number())
    stored.analysable = share.get<double>();
  stored.missing = lead.value("missing", std::int64_t{0});
  stored.gaps = lead.value("gaps", std::int64_t{0});
  return stored;
}

// Returns the lead of a line of quality.csv; null where there is none.
StoredLead* lead_of_cell(std::string_view cell, std::vector<StoredLead>& leads) {
  if (leads.size() == 1) return &leads.front();
  std::size_t lead = leads.size();
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), lead);
  return error == std::errc{} && stop == cell.data() + cell.size() && lead < leads.size() ? &leads[lead] : nullptr;
}

}  // namespace

std::vector<StoredLead> read_leads(const Json& summary, bool several) {
  const Json& input = summary.at("input");
  std::vector<StoredLead> leads;
  if (const Json list = input.value("leads", Json()); list.is_array())
    for (const auto& lead : list) leads.push_back(lead_from(lead));
  if (leads.empty()) leads.push_back({text_at(input, "column"), text_at(input, "unit")});
  if (!several) leads.resize(1);
  return leads;
}

void read_quality(const std::filesystem::path& path, std::vector<StoredLead>& leads) {
  constexpr std::string_view columns[] = {"from_s", "to_s", "quality"}, more[] = {"lead"};
  for_each_row(
      path, columns,
      [&](auto cells, std::int64_t line) {
        const auto from = parse_double(cells[0]), to = parse_double(cells[1]);
        if (!from || !to) fail_at_line(path, line, "from_s and to_s must be numbers; run the analysis again");
        StoredLead* const lead = lead_of_cell(cells[3], leads);
        if (!lead)
          fail_at_line(path, line, "summary.json has no lead " + quoted(cells[3]) + "; run the analysis again");
        for (const Quality quality : kPoorKinds)
          if (cells[2] == name_of(quality)) lead->poor.push_back({*from, *to, quality});
      },
      more);
}

std::vector<PoorStretch> poor_in_all_leads(const std::filesystem::path& path, const NpyFile<std::int64_t>& stretches,
                                           std::int64_t samples, double rate_hz) {
  std::vector<PoorStretch> poor;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < stretches.shape[0]; ++i) {
    const auto stretch = stretches.row(i);
    const auto kind = std::ranges::find(kPoorKinds, stretch[2], [](Quality q) { return static_cast<std::int64_t>(q); });
    if (stretch[0] < end || stretch[1] <= stretch[0] || stretch[1] > samples || kind == std::end(kPoorKinds))
      fail_damaged(path, "does not fit the other files");
    end = stretch[1];
    poor.push_back({static_cast<double>(stretch[0]) / rate_hz, static_cast<double>(end) / rate_hz, *kind});
  }
  return poor;
}

}  // namespace beatscan
