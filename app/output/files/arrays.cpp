#include "app/output/files/arrays.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "app/common/npy.h"
#include "app/output/output_folder.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"

namespace beatscan {
namespace {

// Returns the shape [part][items...] for `part` leads; without the first dimension if the recording has one lead.
std::vector<std::int64_t> by_lead(std::int64_t leads, std::int64_t part, std::vector<std::int64_t> items) {
  if (leads > 1) items.insert(items.begin(), part);
  return items;
}

}  // namespace

void write_arrays(OutputFolder& folder, const RunResult& result) {
  const SavedArrays& arrays = *result.arrays;
  const auto beats = std::ssize(result.beats.kept), leads = std::ssize(result.input.leads),
             cut = leads > 1 ? std::ssize(result.beats.leads) : 1;
  std::vector<std::int64_t> starts, lengths;
  for (const double r_peak : result.beats.found.r_peaks)
    starts.push_back(nearest_sample(r_peak) - result.beats.samples_to_peak);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) lengths.push_back(starts[i + 1] - starts[i]);
  folder.write("arrays/signal.npy", npy(arrays.signal, by_lead(leads, leads, {result.input.samples})));
  folder.write("arrays/response.npy",
               std::visit([&](const auto& values) { return npy(values, {result.input.samples}); }, arrays.response));
  folder.write("arrays/starts.npy", npy(starts, {std::ssize(starts)}));
  folder.write("arrays/lengths.npy", npy(lengths, {std::ssize(lengths)}));
  folder.write("arrays/embeddings.npy", npy(arrays.embeddings, by_lead(leads, cut, {beats, result.beats.row_points})));
  folder.write("arrays/latents.npy", npy(result.scored.rows.latents, by_lead(leads, cut, {beats, latents_of(result)})));
}

}  // namespace beatscan
