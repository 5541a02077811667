#include "app/output/text/rhythm_words.h"

#include <algorithm>

#include "app/common/numbers.h"

namespace beatscan {

ScoreParts named_parts(double waveform, double rhythm) {
  const double share = rhythm / (std::max(rhythm, 0.0) + std::max(waveform, 0.0));
  return {share > kNamedShare, !(share >= 1 - kNamedShare)};
}

std::string rhythm_words(float prev_ratio, float next_ratio) {
  constexpr double kOff = 0.075;  // intervals that deviate by more are reported
  std::string words;
  if (const double prematurity = 1.0 - prev_ratio; prematurity > kOff)
    words = fixed(100 * prematurity, 0) + " % premature";
  if (const double late = prev_ratio - 1.0; late > kOff) words = fixed(100 * late, 0) + " % late";
  if (const double pause = next_ratio - 1.0; pause > kOff)
    words += std::string(words.empty() ? "" : "; ") + "next RR interval " + fixed(100 * pause, 0) + " % longer";
  return words;
}

}  // namespace beatscan
