#include "stages/io/edf/edf_gaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"

namespace beatscan {
namespace {

// Fills blocks with the samples of a file that has interruptions: NaN in the gaps.
class InterruptedSamples {
 public:
  InterruptedSamples(std::function<void(LeadBlocks)> samples, std::vector<EdfGap> gaps)
      : samples_(std::move(samples)), gaps_(std::move(gaps)) {}

  void read(LeadBlocks blocks) {
    const auto size = blocks[0].size();
    for (std::size_t done = 0; done < size;) {
      const bool in_gap = gap_ < gaps_.size() && gaps_[gap_].before_sample == read_;
      const std::int64_t left = in_gap                ? gaps_[gap_].samples
                                : gap_ < gaps_.size() ? gaps_[gap_].before_sample - read_
                                                      : static_cast<std::int64_t>(size);
      const auto count = std::min<std::size_t>(size - done, static_cast<std::size_t>(left));
      std::vector<std::span<float>> parts;
      for (const auto block : blocks) parts.push_back(block.subspan(done, count));
      if (in_gap) {
        for (const auto part : parts) std::ranges::fill(part, std::numeric_limits<float>::quiet_NaN());
        if ((gaps_[gap_].samples -= static_cast<std::int64_t>(count)) == 0) ++gap_;
      } else {
        samples_(parts);
        read_ += static_cast<std::int64_t>(count);
      }
      done += count;
    }
  }

 private:
  std::function<void(LeadBlocks)> samples_;
  std::vector<EdfGap> gaps_;
  std::size_t gap_ = 0;
  std::int64_t read_ = 0;  // samples of the file
};

}  // namespace

std::vector<EdfGap> gaps_between(std::span<const double> onsets_s, double duration_s, double rate_hz,
                                 std::int64_t in_record, const std::string& path, std::vector<std::string>& warnings) {
  std::vector<EdfGap> gaps;
  const auto known = std::ranges::find_if(onsets_s, [](double onset_s) { return !std::isnan(onset_s); });
  const auto unknown = known - onsets_s.begin();  // data records before it
  double end_s = known == onsets_s.end() ? 0 : *known - static_cast<double>(unknown) * duration_s;
  if (unknown > 0)
    warnings.push_back("the first " + (unknown == 1 ? "data record has" : counted(unknown, "", "data records have")) +
                       " no onset: no interruption is assumed before the next one");
  std::int64_t overlaps = 0, missing = 0;
  for (std::size_t record = 0; record < onsets_s.size(); ++record) {
    const double off = std::isnan(onsets_s[record]) ? 0 : std::round((onsets_s[record] - end_s) * rate_hz);
    const auto most = most_missing(in_record * std::ssize(onsets_s));
    if (off > static_cast<double>(most - missing))
      fail(ErrorKind::input, path,
           "data record " + std::to_string(record) + " begins at " + number_text(onsets_s[record], 9) +
               " s, far later than the one before it ends; cut the file there");
    if (off > 0) gaps.push_back({static_cast<std::int64_t>(record) * in_record, static_cast<std::int64_t>(off)});
    if (off > 0) missing += gaps.back().samples;
    overlaps += off < -1;
    end_s = (off > 0 ? onsets_s[record] : end_s) + duration_s;
  }
  if (overlaps > 0)
    warnings.push_back(counted(overlaps, "data record begins", "data records begin") +
                       " before the one before ends; they are read as if they followed it");
  return gaps;
}

std::function<void(LeadBlocks)> with_gaps(std::function<void(LeadBlocks)> read, std::vector<EdfGap> gaps) {
  if (gaps.empty()) return read;
  const auto samples = std::make_shared<InterruptedSamples>(std::move(read), std::move(gaps));
  return [samples](LeadBlocks blocks) { samples->read(blocks); };
}

}  // namespace beatscan
