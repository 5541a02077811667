#include "app/python/embedded_tensors.h"

#include <ATen/ops/full.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/python/tensors.h"

namespace beatscan::operators {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

}  // namespace

template <class Context>
at::Tensor take_rows(Context& context, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded) {
  const std::int64_t beats = embedded.beats(), points = embedded.rows.points;
  if (x.dim() == 1) return tensor_of(context, std::move(embedded.rows.values), {beats, points});
  const std::int64_t leads = x.size(0), cut = embedded.rows.count / std::max<std::int64_t>(beats, 1);
  const at::Tensor own = tensor_of(context, std::move(embedded.rows.values), {cut, beats, points});
  const at::Tensor all = cut == leads ? own : at::full({leads, beats, points}, kNoValue, own.options());
  for (std::int64_t i = 0; i < std::ssize(embedded.leads); ++i) {
    auto& lead = embedded.leads[i];
    const at::Tensor row = all.select(0, lead_rows[lead.lead]);
    if (cut < leads) row.copy_(own.select(0, i));
    if (lead.present.size() > 0)
      row.masked_fill_(tensor_of(context, std::move(lead.present)).eq(0).unsqueeze(1), kNoValue);
  }
  return all;
}

template <class Context>
at::Tensor reference_of(Context& context, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded) {
  const std::int64_t points = embedded.rows.points, leads = x.dim() == 2 ? x.size(0) : 1;
  std::vector<float> references(leads * 2 * points, kNoValue);
  if (embedded.leads.empty()) {  // method published: a row is the beat itself
    std::fill_n(references.begin(), points, 0.0f);
    std::fill_n(references.begin() + points, points, 1.0f);
  }
  for (const auto& lead : embedded.leads) {
    const auto& [rows, values, median, amplitude, spread] = lead.beats.reference;
    float* reference = &references[lead_rows[lead.lead] * 2 * points];
    for (std::int64_t i = 0; i < points; ++i) {
      reference[i] = static_cast<float>(amplitude * median[i]);
      reference[points + i] = static_cast<float>(amplitude * spread);
    }
  }
  return tensor_of(context, from_host(context, references), sizes_by_lead(x, {2, points}));
}

#define BEATSCAN_EMBEDDED_TENSORS(Context)                                                        \
  template at::Tensor take_rows(Context&, const at::Tensor&, const std::vector<std::int64_t>&,    \
                                EmbeddedBeats<Context>&);                                         \
  template at::Tensor reference_of(Context&, const at::Tensor&, const std::vector<std::int64_t>&, \
                                   const EmbeddedBeats<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBEDDED_TENSORS)

}  // namespace beatscan::operators
