#include "app/report/reasons.h"

#include <cmath>

#include "app/result/csv_files.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kMuch = 0.3;   // a part with at least this share of the score is named
constexpr double kOff = 0.075;  // an interval that is off by this share is named

struct Likeness {
  double correlation, size;  // size is 1 for a beat as large as the median beat
};

Likeness likeness_of(std::span<const float> row, std::span<const float> reference) {
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  const auto n = static_cast<double>(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) mean_a += row[i] / n, mean_b += reference[i] / n;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double a = row[i] - mean_a, b = reference[i] - mean_b;
    aa += a * a, bb += b * b, ab += a * b;
  }
  if (!(aa > 0 && bb > 0)) return {0, 0};
  return {ab / std::sqrt(aa * bb), std::sqrt(aa / bb)};
}

// `usual` is "median beat", or the name of what stands for it.
std::string shape_words(const Likeness& like, const std::string& usual) {
  const std::string number = " (correlation\u00a0" + signed_text(fixed(like.correlation, 2)) + ")";
  if (like.correlation < -0.5) return "upside down against the " + usual + number;
  if (like.correlation < 0.6) return "unlike the " + usual + number;
  if (like.size > 1.35 || like.size < 0.7) return fixed(like.size, 1) + " times the size of the " + usual;
  if (like.correlation < 0.95) return "differs from the " + usual + number;
  return "shaped much like the " + usual + number;
}

void add_words(std::string& words, const std::string& more) { words += (words.empty() ? "" : "; ") + more; }

}  // namespace

double correlation(std::span<const float> a, std::span<const float> b) { return likeness_of(a, b).correlation; }

Reason reason_of(const StoredResult& result, std::int64_t k) {
  const auto beat = result.arrays.strip_beats.values[k];
  const auto& beats = result.beats;
  Reason reason;
  const double rhythm = beats.rhythm_score[beat], waveform = beats.score[beat] - rhythm;
  if (std::isfinite(rhythm)) {
    const double share = rhythm / (std::max(rhythm, 0.0) + std::max(waveform, 0.0));
    reason.rhythm = share > kMuch;
    reason.waveform = !(share >= 1 - kMuch);
    if (const double early = 1 - beats.prev_ratio[beat]; early > kOff)
      add_words(reason.words, fixed(100 * early, 0) + " % early");
    if (const double pause = beats.next_ratio[beat] - 1; pause > kOff)
      add_words(reason.words, "the pause behind it " + fixed(100 * pause, 0) + " % longer than usual");
  } else {
    reason.waveform = true;
  }
  if (reason.waveform)
    add_words(reason.words, (result.several_leads() ? "in " + result.leads[result.row_lead(k)].name + " " : "") +
                                shape_words(likeness_of(result.arrays.rows.row(k), result.row_median(k)),
                                            result.published ? "mean beat" : "median beat"));
  if (beats.quality[beat] != Quality::good)
    add_words(reason.words, std::string("in ") + name_of(beats.quality[beat]) + " signal");
  return reason;
}

}  // namespace beatscan
