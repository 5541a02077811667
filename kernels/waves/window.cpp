#include "kernels/waves/window.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::waves {
void rr_intervals(BackEnd& context, std::span<const double> r, double rate_hz, std::span<double> before,
                  std::span<double> after) {
  BEATSCAN_EXPECTS(before.size() == r.size() && after.size() == r.size() && rate_hz > 0,
                   "rr_intervals: bad shape or rate");
  each(context, std::ssize(r),
       [values = kValuesHz / rate_hz, count = std::ssize(r), r = r.data(), before = before.data(),
        after = after.data()] BEATSCAN_DEVICE(std::int64_t b) {
         before[b] = b == 0 ? kFar : (r[b] - r[b - 1]) * values;
         after[b] = b + 1 == count ? kFar : (r[b + 1] - r[b]) * values;
       });
}

void beat_marks(BackEnd& context, std::span<const double> before, std::span<const double> after,
                std::span<Marks> marks) {
  BEATSCAN_EXPECTS(before.size() == marks.size() && after.size() == marks.size(), "beat_marks: bad shape");
  each(context, std::ssize(marks),
       [before = before.data(), after = after.data(), marks = marks.data()] BEATSCAN_DEVICE(std::int64_t b) {
         marks[b] = {kRValue - before[b], kRValue, kRValue + after[b]};
       });
}

}  // namespace beatscan::waves
