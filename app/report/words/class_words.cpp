#include "app/report/words/class_words.h"

#include <algorithm>
#include <cmath>

#include "app/common/numbers.h"
#include "app/output/summary_text.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/reasons.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/similarity.h"

namespace beatscan {
namespace {

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();
constexpr double kWider = 1.15;  // least ratio of a QRS complex's width to the dominant one that is mentioned

void add_part(std::string& words, const std::string& more) {
  if (!more.empty()) words += (words.empty() ? "" : "; ") + more;
}

std::string width_words(double width) {
  if (!(width >= kWider || width <= 1 / kWider)) return "";
  return "QRS " + fixed(width, 1) + " times as wide as the dominant one";
}

std::string prematurity_words(double ratio) {
  if (!std::isfinite(ratio) || std::abs(1 - ratio) < 0.075) return "";
  return "mostly " + fixed(100 * std::abs(1 - ratio), 0) + (ratio < 1 ? " % premature" : " % late");
}

}  // namespace

bool is_paced_shape(const StoredResult& result, std::int64_t shape) {
  return shape >= 0 && shape < std::ssize(result.templates) && result.templates[shape].paced == Chamber::ventricles;
}

std::string class_name(char beat_class) {
  switch (beat_class) {
    case 'N':
      return "normal";
    case 'S':
      return "supraventricular";
    case 'V':
      return "ventricular";
    case 'F':
      return "fusion";
    default:
      return "unclassified";
  }
}

double relative_width(const StoredResult& result, std::int64_t k) {
  return result.templates[k].width_ms / result.templates[result.dominant_template()].width_ms;
}

std::int64_t most_telling_lead(const StoredResult& result, std::int64_t k) {
  std::int64_t most = 0;
  double largest = -1;
  for (std::int64_t c = 0; k != result.dominant_template() && c < std::ssize(result.reference_leads); ++c) {
    const auto mean = result.template_mean(c, k), dominant = result.template_mean(c, result.dominant_template());
    if (mean.empty()) break;
    double squares = 0;
    for (std::size_t j = 0; j < mean.size(); ++j) squares += std::pow(mean[j] - dominant[j], 2);
    const double size = deviation_of(dominant), difference = size > 0 ? squares / (size * size) : 0;
    if (difference > largest) largest = difference, most = c;
  }
  return most;
}

double median_prev_ratio(const BeatTable& beats, std::int64_t k) {
  std::vector<float> ratios;
  for (std::int64_t i = 0; i < beats.size(); ++i)
    if (beats.shape[i] == k && std::isfinite(beats.prev_ratio[i])) ratios.push_back(beats.prev_ratio[i]);
  if (ratios.empty()) return kNotKnown;
  const auto middle = ratios.begin() + std::ssize(ratios) / 2;
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

std::string template_reason(const StoredResult& result, std::int64_t k) {
  if (k == result.dominant_template()) return "the dominant morphology of the recording";
  const char beat_class = result.templates[k].beat_class;
  std::string words;
  const Chamber paced = result.templates[k].paced;
  if (beat_class == 'Q')
    add_part(words,
             paced == Chamber::ventricles ? "paced: a pacing spike precedes the QRS complex" : "probable artifact");
  if (paced == Chamber::atria) add_part(words, "after an atrial pacing spike");
  add_part(words, width_words(relative_width(result, k)));
  const auto lead = most_telling_lead(result, k);
  if (const auto mean = result.template_mean(lead, k); !mean.empty())
    add_part(words,
             (result.several_leads() ? "in " + result.leads[result.reference_leads[lead]].name + " " : "") +
                 similarity_words(mean, result.template_mean(lead, result.dominant_template()), "dominant morphology"));
  add_part(words, prematurity_words(median_prev_ratio(result.beats, k)));
  return words;
}

std::string class_reason(const StoredResult& result, std::int64_t beat) {
  const auto& beats = result.beats;
  const char beat_class = beats.beat_class.empty() ? BeatTable::kNoClass : beats.beat_class[beat];
  if (beat_class == BeatTable::kNoClass || beat_class == 'N') return "";
  if (beat_class == 'S') {
    const std::string time = rhythm_words(beats.prev_ratio[beat], kNotKnown);
    return "supraventricular" + (time.empty() ? "" : ": " + time);
  }
  const auto shape = beats.shape[beat];
  if (beat_class == 'Q') return is_paced_shape(result, shape) ? "paced" : "probable artifact";
  const double width = shape >= 0 && shape < std::ssize(result.templates) ? relative_width(result, shape) : kNotKnown;
  const std::string words = width_words(width);
  return class_name(beat_class) + (words.empty() ? "" : ": " + words + " in morphology " + std::to_string(shape));
}

}  // namespace beatscan
