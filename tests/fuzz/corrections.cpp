#include "app/revision/corrections.h"

#include <algorithm>
#include <functional>

#include "app/revision/revised_beats.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {
namespace {

// Twenty beats a second apart at 100 Hz, of two templates, in atrial fibrillation from 8 s on.
BeatsToRevise small_result(std::vector<std::int16_t>& templates) {
  constexpr int kBeats = 20;
  StoredRhythm rhythm{.sample_rate_hz = 100, .samples = 100 * kBeats};
  for (int i = 0; i < kBeats; ++i) {
    rhythm.r_peaks.push_back(50 + 100 * i);
    templates.push_back(static_cast<std::int16_t>(i % 3 - 1));
    rhythm.posteriors.insert(rhythm.posteriors.end(), {0.9F, 0.05F, 0.05F, 0});
  }
  rhythm.beat_classes.assign(kBeats, BeatClass::normal);
  rhythm.quality.assign(kBeats, Quality::good);
  rhythm.paced.assign(kBeats, 0);
  rhythm.broken.assign(kBeats - 1, 0);
  rhythm.evidence.silent.assign(kBeats - 1, 0);
  rhythm.evidence.certain.assign(kBeats - 1, 1);
  rhythm.rhythms = {{"NSR", "AFIB", "VT"}, {0, 1, 1}, {{0, 8, 0, 0.9}, {8, 20, 1, 0.7}}};
  return {std::move(rhythm), templates, {BeatClass::normal, BeatClass::ventricular}};
}

}  // namespace

// Corrections that are read, written and read again must stay the same, and leave a result that holds together.
void corrections(Bytes bytes) {
  refusal_of([&] {
    const Corrections read = parse_corrections(std::string(text_of(bytes)), "x.json");
    const std::string text = corrections_text(read);
    require(corrections_text(parse_corrections(text, "again.json")) == text, "written and read again, they are others");
    std::vector<std::int16_t> templates;
    auto revised = revised_beats(small_result(templates), read);
    const auto& peaks = revised.rhythm.r_peaks;
    require(std::ranges::adjacent_find(peaks, std::ranges::greater_equal()) == peaks.end(), "beats out of order");
    require(revised.origin.size() == peaks.size() && revised.rhythm.posteriors.size() == 4 * peaks.size(),
            "parts of different sizes");
    require(std::ssize(revised.rhythm.broken) == std::max<std::ptrdiff_t>(std::ssize(peaks) - 1, 0), "other intervals");
    for (const Episode& episode : revised_rhythm(revised, read, {}).episodes.list)
      require(episode.start <= episode.end && episode.end <= revised.rhythm.samples, "an episode beyond the end");
  });
}

}  // namespace beatscan::fuzz
