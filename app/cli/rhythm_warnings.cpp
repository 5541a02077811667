#include "app/cli/rhythm_warnings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/evaluation/truth.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"

namespace beatscan {

std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz) {
  constexpr double kTwice_s = 0.1;     // shorter than any physiological RR interval
  constexpr double kOtherRate = 0.01;  // times are rounded; the rate derived from them is off by less
  const std::string beats = counted(std::ssize(listed.beats), "beat");
  std::vector<std::string> warnings;
  if (listed.rate_hz && std::abs(rate_hz / *listed.rate_hz - 1) > kOtherRate)
    warnings.push_back("samples and times give " + number_text(*listed.rate_hz, 4) + " Hz, but " +
                       number_text(rate_hz, 7) + " Hz is used, as asked for: all rates and times depend on it");
  if (listed.without_symbol > 0)
    warnings.push_back(std::to_string(listed.without_symbol) + " of " + beats +
                       by_count(listed.without_symbol, " has", " have") +
                       " no symbol and count as normal: V and S among them may look like atrial fibrillation");
  if (listed.out_of_order > 0)
    warnings.push_back(std::to_string(listed.out_of_order) + " of " + beats +
                       by_count(listed.out_of_order, " follows a beat that comes", " follow beats that come") +
                       " later: they are sorted, and if these are two recordings in one list, their rhythms are mixed");
  std::int64_t same = 0, near = 0;
  for (std::size_t i = 1; i < listed.beats.size(); ++i) {
    const auto samples = listed.beats[i].sample - listed.beats[i - 1].sample;
    same += samples == 0;
    near += samples != 0 && static_cast<double>(samples) / rate_hz < kTwice_s;
  }
  if (same > 0)
    warnings.push_back(std::to_string(same) + " of " + beats + by_count(same, " lies", " lie") +
                       " at the sample of the previous beat: they may be listed twice, and count twice");
  if (near > 0)
    warnings.push_back(std::to_string(near) + " of " + beats + by_count(near, " comes", " come") +
                       " less than 0.1 s after the beat before: they may be listed twice, or --rate may be wrong");
  return warnings;
}

}  // namespace beatscan
