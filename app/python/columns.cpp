#include "app/python/columns.h"

#include <limits>

#include "app/python/leads.h"
#include "app/python/tensors.h"

namespace beatscan::operators {
namespace {

template <class Context>
at::Tensor flags_on(Context& context, const std::vector<std::uint8_t>& flags) {
  Buffer<bool, Context> buffer(context, std::ssize(flags));
  copy_bytes(context, flags.data(), buffer.data(), flags.size());
  context.synchronize();
  return tensor_of(context, std::move(buffer));
}

// Expands values of the first lead's rows to all beats; `none` for a beat without a row.
template <class T>
std::vector<T> by_beat(const std::vector<T>& values, const std::vector<std::int64_t>& kept, std::size_t beats, T none) {
  std::vector<T> all(beats, none);
  for (std::size_t row = 0; row < kept.size(); ++row) all[kept[row]] = values[row];
  return all;
}

// Creates columns of beats.csv, one value a beat, on the context's device.
template <class Context>
class ColumnMaker {
 public:
  ColumnMaker(Context& context, std::vector<std::int64_t> kept, std::size_t beats)
      : context_(context), kept_(std::move(kept)), beats_(beats) {}

  template <class T>
  void add(const char* name, const std::vector<T>& of_beats) {
    columns_.insert(name, tensor_of(context_, of_beats));
  }
  void add_of_rows(const char* name, const std::vector<float>& values) {
    add(name, by_beat(values, kept_, beats_, std::numeric_limits<float>::quiet_NaN()));
  }
  void add_flags_of_rows(const char* name, const std::vector<std::uint8_t>& flags) {
    columns_.insert(name, flags_on(context_, by_beat(flags, kept_, beats_, std::uint8_t{0})));
  }
  // Converts leads of the recording to rows of x; -1 for a beat without a row.
  void add_leads_of_rows(const char* name, const std::vector<std::uint8_t>& leads,
                         const std::vector<std::int64_t>& lead_rows) {
    std::vector<std::int64_t> rows;
    for (const std::uint8_t lead : leads) rows.push_back(lead_rows[lead]);
    add(name, by_beat(rows, kept_, beats_, std::int64_t{-1}));
  }
  // Expands the first lead's latents, [rows][Z], to all beats, [beats][Z].
  void add_latents(const std::vector<float>& latents, std::size_t rows) {
    const std::size_t z = latents.size() / rows;
    std::vector<float> all(beats_ * z, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < kept_.size() * z; ++i) all[kept_[i / z] * z + i % z] = latents[i];
    columns_.insert("latents", tensor_of(context_, from_host(context_, all),
                                         {static_cast<std::int64_t>(beats_), static_cast<std::int64_t>(z)}));
  }
  Columns take() { return std::move(columns_); }

 private:
  Context& context_;
  std::vector<std::int64_t> kept_;
  std::size_t beats_;
  Columns columns_;
};

}  // namespace

template <class Context>
Columns columns_of(Context& context, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored, const std::vector<std::int64_t>& lead_rows) {
  auto kept = to_host(context, embedded.rows.kept);
  const std::vector<std::uint8_t> all(kept.size(), 1);
  ColumnMaker<Context> columns(context, std::move(kept), found.list.r_peaks.size());
  columns.add("r_peak", found.list.r_peaks);
  columns.add_flags_of_rows("kept", all);
  columns.add_of_rows("reconstruction_error", scored.rows.reconstruction_error);
  columns.add_of_rows("kl", scored.rows.kl);
  columns.add_latents(scored.rows.latents, scored.rows.kl.size());
  columns.add_of_rows("score", scored.scores.score);
  columns.add_flags_of_rows("anomalous", scored.scores.anomalous);
  if (!scored.ranking) return columns.take();
  const Rhythm rhythm = to_host(context, embedded.rhythm);
  columns.add("rr_prev_ratio", rhythm.prev_ratio);
  columns.add("rr_next_ratio", rhythm.next_ratio);
  columns.add_of_rows("waveform_score", scored.ranking->waveform);
  columns.add_of_rows("rhythm_score", scored.ranking->rhythm);
  columns.add_of_rows("noise", scored.ranking->noise);
  columns.add_of_rows("baseline_score", scored.ranking->baseline.score);
  columns.add("quality", codes_of(found.list.quality));
  columns.add_leads_of_rows("lead", scored.ranking->lead, lead_rows);
  return columns.take();
}

#define BEATSCAN_COLUMNS(Context)                                                                                      \
  template Columns columns_of(Context&, const KnownBeats<Context>&, const EmbeddedBeats<Context>&, const ScoredBeats&, \
                              const std::vector<std::int64_t>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_COLUMNS)

}  // namespace beatscan::operators
