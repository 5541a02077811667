#include "stages/beats/embedded_beats.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/lists/bits.h"
#include "kernels/lists/flags.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

[[noreturn]] void throw_too_few(const BeatList& beats, const std::string& column) {
  const auto in = [&](Quality kind) { return std::to_string(std::ranges::count(beats.quality, kind)); };
  const std::size_t found = beats.quality.size();
  throw Error(
      ErrorKind::unanalysable,
      "no beats: two are needed that are not at gaps or in flat signal; " +
          (found == 0 ? "none was found" : std::to_string(found) + " were found") +
          (found == 0 ? std::string()
                      : ", " + in(Quality::good) + " of them in good signal, " + in(Quality::noisy) + " in noise, " +
                            in(Quality::clipped) + " in clipped and " + in(Quality::flat) + " in flat signal, " +
                            std::to_string(std::ranges::count(beats.fates, Fate::in_gap)) + " at gaps") +
          " (is the sampling rate right, and " + (column.empty() ? "the column" : "'" + column + "'") + " an ECG?)");
}

template <class Context>
std::span<const std::uint8_t> as_bytes_of(const Buffer<Fate, Context>& fates) {
  return {reinterpret_cast<const std::uint8_t*>(fates.data()), static_cast<std::size_t>(fates.size())};
}

// A lead that is to be cut.
template <class Context>
struct LeadToCut {
  std::int64_t lead;
  BeatsOfLead<Context> beats;
  Buffer<std::uint8_t, Context> present;
};

// Returns the beats as one lead has them. A lead without a judgement of its own has that of the whole.
template <class Context>
LeadToCut<Context> lead_to_cut(Context& context, const BeatBuffers<Context>& beats, std::int64_t lead,
                               const Buffer<std::int64_t, Context>& kept,
                               const Buffer<std::uint8_t, Context>& regular) {
  LeadToCut<Context> cut{.lead = lead};
  cut.beats.r_peaks = gathered(context, beats.r_peaks, kept);
  const bool judged = !beats.leads.empty();
  cut.beats.trusted = gathered(context, judged ? beats.leads[lead].trusted : beats.trusted, kept);
  cut.beats.regular = Buffer<std::uint8_t, Context>(context, kept.size());
  both_flags(context, gathered(context, regular, kept), cut.beats.trusted, cut.beats.regular);
  cut.present = judged ? gathered(context, beats.leads[lead].present, kept) : Buffer<std::uint8_t, Context>();
  return cut;
}

// Returns the leads that have two regular beats.
template <class Context>
std::vector<LeadToCut<Context>> leads_to_cut(Context& context, const Recording<Context>& recording,
                                             const BeatBuffers<Context>& beats,
                                             const Buffer<std::int64_t, Context>& kept,
                                             const Buffer<std::uint8_t, Context>& regular) {
  std::vector<LeadToCut<Context>> leads;
  for (std::int64_t l = 0; l < std::ssize(recording.leads); ++l) {
    auto cut = lead_to_cut(context, beats, l, kept, regular);
    if (positions_of(context, cut.beats.regular, 1).size() >= 2) leads.push_back(std::move(cut));
  }
  if (leads.empty()) throw_too_few(to_host(context, beats), recording.signal.name);
  return leads;
}

// Joins the usual rows of all leads.
template <class Context>
Buffer<std::int32_t, Context> trainable_rows(Context& context, const std::vector<EmbeddedLead<Context>>& leads,
                                             std::int64_t beats) {
  std::int64_t count = 0;
  for (const auto& lead : leads) count += lead.beats.usual.size();
  Buffer<std::int32_t, Context> all(context, count);
  std::int64_t first = 0;
  for (std::size_t l = 0; l < leads.size(); ++l) {
    const auto& usual = leads[l].beats.usual;
    add_to_all(context, usual, static_cast<std::int32_t>(static_cast<std::int64_t>(l) * beats),
               all.span().subspan(first, usual.size()));
    first += usual.size();
  }
  return all;
}

}  // namespace

template <class Context>
EmbeddedBeats<Context> embed_leads(Context& context, const Recording<Context>& recording,
                                   const BeatBuffers<Context>& beats, const EmbeddingOptions& options, double rate_hz) {
  EmbeddedBeats<Context> result{.rhythm = rhythm_of(context, beats, options.rhythm)};
  Rows<Context>& rows = result.rows;
  rows.kept = positions_of(context, as_bytes_of(beats.fates), static_cast<std::uint8_t>(Fate::kept));
  auto leads = leads_to_cut(context, recording, beats, rows.kept, result.rhythm.regular);
  const std::int64_t count = result.beats(), size = count * options.rows.points;
  rows.points = options.rows.points;
  rows.count = std::ssize(leads) * count;
  rows.values = Buffer<float, Context>(context, std::ssize(leads) * size);
  result.trusted = gathered(context, beats.trusted, rows.kept);
  result.measured =
      some_of(context, positions_of(context, gathered(context, result.rhythm.regular, rows.kept), 1), kMostSampled);
  for (auto& cut : leads) {
    const std::span<const float> signal = recording.leads[cut.lead].samples;
    const auto part = rows.values.span().subspan(result.leads.size() * size, size);
    auto centred = embed_r_peaks(context, signal, cut.beats, options.rows, rate_hz, part);
    const NoiseScale<Context> scale{some_of(context, positions_of(context, cut.beats.regular, 1), kMostSampled),
                                    centred.reference.amplitude};
    auto noise = noise_of(context, signal, beats, rows.kept, scale, options.noise, rate_hz);
    result.leads.push_back({cut.lead, std::move(centred), std::move(cut.present), std::move(noise)});
  }
  rows.trainable = trainable_rows(context, result.leads, count);
  return result;
}

#define BEATSCAN_EMBED_LEADS(Context)                                                                           \
  template EmbeddedBeats<Context> embed_leads(Context&, const Recording<Context>&, const BeatBuffers<Context>&, \
                                              const EmbeddingOptions&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBED_LEADS)

}  // namespace beatscan
