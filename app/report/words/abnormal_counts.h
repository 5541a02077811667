// app/report/words/abnormal_counts.h — counts abnormal beats by their score, and says how many are ectopic (S, V).
#pragma once

#include <cstdint>
#include <string>

namespace beatscan {

struct BeatTable;

// Scored beats in good signal and in poor signal, and the abnormal ones among them. As published, all signal counts as
// good.
struct AbnormalCounts {
  std::int64_t good = 0, abnormal_good = 0, poor = 0, abnormal_poor = 0;
  // Beats of the classes S and V. `lower` are in good signal, and not above the threshold.
  struct {
    std::int64_t all = 0, abnormal = 0, lower = 0, lower_ventricular = 0, in_poor = 0, unscored = 0;
  } kinds;

  explicit AbnormalCounts(const BeatTable& beats);
};

// Says how many of the S and V beats, which the findings count, are among the abnormal ones, and what the others
// are: " Of the 73 S and V beats, 59 are among these and 14 are in poor signal." Empty where there is none.
std::string kinds_sentence(const AbnormalCounts& counts);

}  // namespace beatscan
