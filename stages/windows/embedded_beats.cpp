#include "stages/windows/embedded_beats.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "kernels/detect/judge_beats.h"
#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/common/robust.h"
#include "stages/detect/beat_list.h"
#include "stages/io/recording/recording.h"
#include "stages/windows/centred_beats.h"
#include "stages/windows/row_options.h"

namespace beatscan {
namespace {

// Returns the part of a message that asks whether the recording is an ECG. A recording of one lead has the name that
// its reader gave it.
template <class Context>
std::string ecg_question(const Recording<Context>& recording) {
  if (recording.leads.size() == 1) {
    const std::string& name = recording.signal.name;
    return "is " + (name.empty() ? "the column" : "'" + name + "'") + " an ECG?";
  }
  std::vector<std::string> names;
  for (const auto& lead : recording.leads) names.push_back(lead.name);
  return "is any of " + listed_names(names) + " an ECG?";
}

[[noreturn]] void throw_too_few(const BeatList& beats, const std::string& question) {
  const auto in = [&](Quality kind) { return std::to_string(std::ranges::count(beats.quality, kind)); };
  const std::size_t found = beats.quality.size();
  throw Error(
      ErrorKind::unanalysable,
      "no beats: two are needed that are not at gaps or in flat signal; " +
          (found == 0 ? "none was found" : counted(found, "was found", "were found")) +
          (found == 0 ? std::string()
                      : ", " + in(Quality::good) + " of them in good signal, " + in(Quality::noisy) + " in noise, " +
                            in(Quality::clipped) + " in clipped and " + in(Quality::flat) + " in flat signal, " +
                            std::to_string(std::ranges::count(beats.outcomes, Outcome::in_gap)) + " at gaps") +
          " (is the sampling rate right, and " + question + ")");
}

constexpr auto kKept = static_cast<std::uint8_t>(Outcome::kept);
constexpr std::int64_t kFewestRegular = 2;

template <class Context>
std::span<const std::uint8_t> as_bytes_of(const Buffer<Outcome, Context>& outcomes) {
  return {reinterpret_cast<const std::uint8_t*>(outcomes.data()), static_cast<std::size_t>(outcomes.size())};
}

// A lead that is to be cut.
template <class Context>
struct LeadToCut {
  std::int64_t lead;
  BeatsOfLead<Context> beats;
  Buffer<std::uint8_t, Context> present, heard;  // [B]; empty if there is only one lead
  const Buffer<std::uint8_t, Context>& broken;
};

template <class Context>
std::int64_t count_of(Context& context, const Buffer<std::uint8_t, Context>& flags) {
  return positions_of(context, flags, 1).size();
}

// The regular ones of the kept beats, of all leads together.
template <class Context>
struct RegularBeats {
  Buffer<std::uint8_t, Context> flags;  // [B]
  bool few;                             // see RhythmBuffers::few_regular
};

// Returns the kept beats as one lead has them. If fewer than two of its trusted beats are regular, all of them are. The
// median beat is that of all trusted beats, since in an irregular rhythm few regular ones need not represent the
// others. If other beats replace the regular ones, it is that of these, unless the lead has few of them.
template <class Context>
LeadToCut<Context> lead_to_cut(Context& context, const BeatBuffers<Context>& beats, std::int64_t lead,
                               const Buffer<std::int64_t, Context>& kept, const RegularBeats<Context>& regular) {
  const JudgedBeats<Context>& judged = beats.leads.empty() ? beats : beats.leads[lead];
  LeadToCut<Context> cut{.lead = lead, .broken = judged.broken};
  cut.beats.r_peaks = gathered(context, beats.r_peaks, kept);
  cut.beats.for_median = gathered(context, judged.trusted, kept);
  cut.beats.regular = Buffer<std::uint8_t, Context>(context, kept.size());
  both_flags(context, regular.flags, cut.beats.for_median, cut.beats.regular);
  const auto found = count_of(context, cut.beats.regular);
  if (!beats.leads.empty() && found < kFewestRegular)
    copy<std::uint8_t>(context, cut.beats.for_median, cut.beats.regular);
  else if (regular.few && are_enough_on_time(found, count_of(context, cut.beats.for_median)))
    copy<std::uint8_t>(context, cut.beats.regular, cut.beats.for_median);
  if (beats.leads.empty()) return cut;
  const std::int64_t count = judged.outcomes.size();
  Buffer<std::uint8_t, Context> present(context, count), heard(context, count);
  flag_equal(context, as_bytes_of(judged.outcomes), kKept, present);
  heard_beats(context, judged.outcomes, judged.quality, beats.quality, heard);
  cut.present = gathered(context, present, kept);
  cut.heard = gathered(context, heard, kept);
  return cut;
}

// Returns the leads that count. Throws unless there are enough regular beats, and enough trusted ones in a lead.
template <class Context>
std::vector<LeadToCut<Context>> leads_to_cut(Context& context, const Recording<Context>& recording,
                                             const BeatBuffers<Context>& beats,
                                             const Buffer<std::int64_t, Context>& kept,
                                             const RegularBeats<Context>& regular) {
  if (count_of(context, regular.flags) < kFewestRegular)
    throw_too_few(to_host(context, beats), ecg_question(recording));
  std::vector<LeadToCut<Context>> leads;
  for (std::int64_t l = 0; l < std::ssize(recording.leads); ++l) {
    if (!beats.leads.empty() && beats.leads[l].outcomes.empty()) continue;
    auto cut = lead_to_cut(context, beats, l, kept, regular);
    if (beats.leads.empty() || count_of(context, cut.beats.regular) >= kFewestRegular) leads.push_back(std::move(cut));
  }
  if (leads.empty()) throw_too_few(to_host(context, beats), ecg_question(recording));
  return leads;
}

// Joins the dominant rows of all leads.
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

// Puts a lead's rows into `part`, [B][D].
template <class Context>
EmbeddedLead<Context> embed_lead(Context& context, const LeadPauses<Context>& pauses, LeadToCut<Context>& cut,
                                 const Buffer<std::int64_t, Context>& kept, const EmbeddingOptions& options,
                                 double rate_hz, std::span<float> part) {
  auto centred = embed_r_peaks(context, pauses.signal, cut.beats, options.rows, rate_hz, part);
  const NoiseScale<Context> scale{some_of(context, positions_of(context, cut.beats.regular, 1), kMostSampled),
                                  centred.reference.amplitude};
  auto noise = noise_of(context, pauses, kept, scale, options.noise, rate_hz);
  return {cut.lead, std::move(centred), std::move(cut.present), std::move(cut.heard), std::move(noise)};
}

}  // namespace

template <class Context>
EmbeddedBeats<Context> embed_leads(Context& context, const Recording<Context>& recording,
                                   const BeatBuffers<Context>& beats, const EmbeddingOptions& options, double rate_hz) {
  EmbeddedBeats<Context> result{.rhythm = rhythm_of(context, beats, options.rhythm, rate_hz)};
  Rows<Context>& rows = result.rows;
  rows.kept = positions_of(context, as_bytes_of(beats.outcomes), kKept);
  const RegularBeats<Context> regular{gathered(context, result.rhythm.regular, rows.kept), result.rhythm.few_regular};
  auto leads = leads_to_cut(context, recording, beats, rows.kept, regular);
  const std::int64_t count = result.beats(), size = count * options.rows.points;
  rows.points = options.rows.points;
  rows.values = Buffer<float, Context>(context, std::ssize(leads) * size);
  result.trusted = gathered(context, beats.trusted, rows.kept);
  result.measured = some_of(context, positions_of(context, regular.flags, 1), kMostSampled);
  std::exception_ptr unreadable;
  for (auto& cut : leads) try {
      const auto part = rows.values.span().subspan(result.leads.size() * size, size);
      result.leads.push_back(embed_lead(context, {recording.leads[cut.lead].samples, beats.r_peaks, cut.broken}, cut,
                                        rows.kept, options, rate_hz, part));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unanalysable) throw;
      const std::string lead = recording.leads.size() > 1 ? "lead '" + recording.leads[cut.lead].name + "': " : "";
      if (!unreadable) unreadable = std::make_exception_ptr(Error(error.kind(), lead + error.what()));
    }
  if (result.leads.empty()) std::rethrow_exception(unreadable);
  rows.count = std::ssize(result.leads) * count;
  rows.values.truncate(rows.count * rows.points);
  rows.trainable = trainable_rows(context, result.leads, count);
  return result;
}

#define BEATSCAN_EMBED_LEADS(Context)                                                                           \
  template EmbeddedBeats<Context> embed_leads(Context&, const Recording<Context>&, const BeatBuffers<Context>&, \
                                              const EmbeddingOptions&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBED_LEADS)

}  // namespace beatscan
