#include "stages/beats/standstill.h"

#include <algorithm>
#include <iterator>

#include "stages/beats/beat_heights.h"
#include "stages/beats/detect.h"
#include "stages/beats/envelope_around.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_at.h"

namespace beatscan {
namespace {

constexpr float kTells = 2;
constexpr std::int64_t kBlocksAround = 5;  // of quality, on either side of a flat stretch
constexpr double kMostGood = 0.6;          // least share of these that are good
constexpr std::int64_t kFewestBeats = 4;   // fewer beats around tell nothing
constexpr std::int64_t kBesideParts = 6;   // parts beside an R peak that are not between beats, about 0.25 s
constexpr std::int64_t kSureParts = 3;

float median_of(const std::vector<double>& values) {
  auto copy = values;
  return copy.empty() ? 0 : static_cast<float>(quantile(copy, 0.5));
}

float usual_at(const EnvelopeAround& lead, std::span<const double> beats) {
  std::vector<double> values;
  for (const double beat : beats) values.push_back(lead.at(beat));
  return median_of(values);
}

// Says whether beats stand out of what a lead shows between them. `beats` may leave out those of a pause.
bool tells_beats(const EnvelopeAround& lead, std::span<const double> beats, const Stretch& pause) {
  std::vector<double> between;
  for (std::size_t i = 0; i + 1 < beats.size(); ++i) {
    const std::int64_t from = lead.part_of(beats[i]) + kBesideParts, to = lead.part_of(beats[i + 1]) - kBesideParts;
    if (to - from >= kSureParts && (to <= pause.first || from >= pause.last)) between.push_back(lead.largest(from, to));
  }
  return !between.empty() && usual_at(lead, beats) >= kTells * median_of(between);
}

// Returns the parts in which the lead stays still, around those of a flat stretch.
Stretch still_parts(const EnvelopeAround& lead, Stretch parts, float limit) {
  while (parts.first > lead.first && lead.largest(parts.first - 1, parts.first) < limit) --parts.first;
  while (parts.last < lead.last() && lead.largest(parts.last, parts.last + 1) < limit) ++parts.last;
  return parts;
}

// Returns a lead's quality in which its missing blocks are marked.
template <class Context>
SignalQuality with_missing(Context& context, const LeadSignal& signal, SignalQuality quality) {
  if (!signal.gaps.firsts.empty())
    mark_missing(quality, to_host(context, signal.gaps.firsts), to_host(context, signal.gaps.lasts),
                 std::ssize(signal.samples));
  return quality;
}

bool is_flat_or_missing(Quality quality) { return quality == Quality::flat || quality == Quality::missing; }

// Says whether most blocks around those of a pause are good.
bool is_clean_around(const SignalQuality& quality, std::int64_t first, std::int64_t last) {
  std::int64_t good = 0, all = 0;
  for (auto b = std::max<std::int64_t>(first - kBlocksAround, 0);
       b < std::min(last + kBlocksAround, std::ssize(quality.blocks)); ++b)
    if (b < first || b >= last) {
      if (is_flat_or_missing(quality.blocks[b])) return false;  // an electrode that comes and goes
      ++all, good += quality.blocks[b] == Quality::good;
    }
  return all > 0 && static_cast<double>(good) >= kMostGood * static_cast<double>(all);
}

// Says whether the heart may pause in some blocks of a lead, by the electrode and by what lies around.
bool may_pause(const SignalQuality& quality, const Stretch& blocks) {
  const auto its = std::span(quality.blocks).subspan(blocks.first, blocks.size());
  if (std::ranges::count(its, Quality::missing) > 0) return false;
  const auto is_off = [&](const Stretch& off) {
    return off.first < blocks.last * quality.block_samples && off.last > blocks.first * quality.block_samples;
  };
  return std::ranges::none_of(quality.off, is_off) && is_clean_around(quality, blocks.first, blocks.last);
}

// Returns the flat stretches of a lead, in samples.
std::vector<Stretch> flat_runs(const SignalQuality& quality) {
  std::vector<Stretch> flat;
  const std::int64_t blocks = std::ssize(quality.blocks);
  for (std::int64_t first = 0, last = 0; first < blocks; first = std::max(last, first + 1)) {
    if (quality.blocks[first] != Quality::flat) continue;
    for (last = first; last < blocks && quality.blocks[last] == Quality::flat;) ++last;
    flat.push_back({first * quality.block_samples, last * quality.block_samples});
  }
  return flat;
}

// Returns the blocks within a stretch of samples; that in its middle if none lies within.
Stretch blocks_within(const Stretch& samples, const SignalQuality& quality) {
  const std::int64_t block = quality.block_samples, count = std::ssize(quality.blocks);
  const Stretch within{(samples.first + block - 1) / block, std::min(samples.last / block, count)};
  const std::int64_t middle = (samples.first + samples.last) / 2 / block;
  if (within.size() > 0) return within;
  const std::int64_t only = std::min(middle, count - 1);  // the last block is longer than the others
  return {only, only + 1};
}

// Holds the beats of the recording, and which of them are false.
struct Denied {
  std::vector<double> r_peaks;       // [K]
  std::vector<std::uint8_t> denied;  // [K]
};

// Marks the false beats in one pause of one lead. Returns how many it marked.
template <class Context>
std::int64_t deny_beats(Context& context, const Detection<Context>& detection, std::size_t lead, const Stretch& blocks,
                        const std::vector<std::size_t>& leads, Denied& all) {
  const auto& beats = all.r_peaks;
  const std::int64_t block = detection.quality[lead].block_samples;
  const Stretch wide{(blocks.first - kBlocksAround) * block, (blocks.last + kBlocksAround) * block};
  const int width = detection.profile.width;
  const auto own = envelope_around(context, detection.profile.leads[lead], width, wide);
  const auto begin = std::ranges::lower_bound(beats, static_cast<double>(wide.first)) - beats.begin(),
             end = std::ranges::lower_bound(beats, static_cast<double>(wide.last)) - beats.begin();
  std::vector<double> around;  // beats that the lead shows
  for (auto i = begin; i < end; ++i)
    if (beats[i] < static_cast<double>((blocks.first - 1) * block) ||
        beats[i] >= static_cast<double>((blocks.last + 1) * block))
      around.push_back(beats[i]);
  const float usual = usual_at(own, around);
  if (std::ssize(around) < kFewestBeats || usual <= 0) return 0;
  const Stretch pause =
      still_parts(own, {blocks.first * block / width + 1, blocks.last * block / width - 1}, kFaintShare * usual);
  if (!tells_beats(own, around, pause)) return 0;
  std::vector<EnvelopeAround> telling;
  for (const std::size_t l : leads) {
    if (l == lead) continue;
    auto other = envelope_around(context, detection.profile.leads[l], width, wide);
    if (tells_beats(other, around, pause)) telling.push_back(std::move(other));
  }
  std::int64_t marked = 0;
  for (auto i = begin; i < end; ++i) {
    const auto part = own.part_of(beats[i]);
    if (all.denied[i] || part < pause.first || part >= pause.last || own.at(beats[i]) >= kFaintShare * usual) continue;
    const bool is_trusted = std::ranges::any_of(
        leads, [&](std::size_t l) { return l != lead && quality_at(detection.quality[l], beats[i]) == Quality::good; });
    all.denied[i] = !is_trusted && std::ranges::none_of(telling, [&](const EnvelopeAround& other) {
      return other.at(beats[i]) >= kShownShare * usual_at(other, around);
    });
    marked += all.denied[i];
  }
  return marked;
}

}  // namespace

template <class Context>
void leave_out_beats_of_noise(Context& context, std::span<const LeadSignal> signals, double rate_hz, double longest_s,
                              Detection<Context>& detection) {
  if (detection.quality.size() < 2 || detection.r_peaks.size() == 0) return;
  const auto leads = likely_places(detection.quality);
  auto pauses = resting_leads(context, detection, std::ssize(signals.front().samples), rate_hz, longest_s);
  std::vector<SignalQuality> quality;  // [L]
  for (std::size_t l = 0; l < signals.size(); ++l)
    quality.push_back(with_missing(context, signals[l], detection.quality[l]));
  for (const std::size_t lead : leads)
    for (const Stretch& flat : flat_runs(quality[lead])) pauses.push_back({lead, flat, 0});
  Denied all;
  for (RestingLead& pause : pauses) {
    const Stretch blocks = blocks_within(pause.samples, quality[pause.lead]);
    if (!may_pause(quality[pause.lead], blocks)) continue;
    if (all.denied.empty()) {
      all.r_peaks = to_host(context, detection.r_peaks);
      all.denied.resize(all.r_peaks.size());
    }
    pause.beats = deny_beats(context, detection, pause.lead, blocks, leads, all);
    if (pause.beats > 0) detection.resting.push_back(pause);
  }
  if (detection.resting.empty()) return;
  std::vector<double> kept;
  for (std::size_t i = 0; i < all.denied.size(); ++i)
    if (!all.denied[i]) kept.push_back(all.r_peaks[i]);
  detection.r_peaks = from_host(context, kept);
}

#define BEATSCAN_LEAVE_OUT_BEATS_OF_NOISE(Context) \
  template void leave_out_beats_of_noise(Context&, std::span<const LeadSignal>, double, double, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAVE_OUT_BEATS_OF_NOISE)

}  // namespace beatscan
