#include "app/evaluation/ec57/run_by_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/evaluation/beat_quality.h"

namespace beatscan::ec57 {
namespace {

// What an annotation means for runs of one ectopic label. `other_start` begins fibrillation of the other chambers.
enum class Role { none, ectopic, other_beat, shutdown, start, end, other_start };

struct Event {
  std::int64_t sample;
  Role role;
};

// Follows the rhythms and the shutdown of an annotator.
class EventReader {
 public:
  explicit EventReader(char ectopic) : ectopic_(ectopic) {}

  Role role_of(const Annotation& mark) {
    if (const auto label = label_of(mark.symbol)) {
      const char now = *label == 'N' && in_af_ ? 'S' : *label;
      const bool is_ectopic = ectopic_ == 'V' ? now == 'V' || now == 'F' : now == 'S';
      return is_ectopic ? Role::ectopic : Role::other_beat;
    }
    switch (mark.symbol) {
      case '~': {
        const bool was_unreadable = std::exchange(unreadable_, is_unreadable(mark.subtype));
        return unreadable_ && !was_unreadable ? Role::shutdown : Role::none;
      }
      case '[':
        return begin(in_vf_, in_af_, 'V');
      case ']':
        return end(in_vf_, 'V');
      case '+':
        if (mark.note.empty()) return Role::none;
        if (mark.note.starts_with("(AF")) return begin(in_af_, in_vf_, 'S');
        if (mark.note.starts_with("(VF")) return begin(in_vf_, in_af_, 'V');
        return in_af_ ? end(in_af_, 'S') : end(in_vf_, 'V');
      default:
        return Role::none;
    }
  }

 private:
  Role begin(bool& rhythm, bool& other, char ectopic) {
    if (std::exchange(rhythm, true)) return Role::none;
    other = false;
    return ectopic == ectopic_ ? Role::start : Role::other_start;
  }
  Role end(bool& rhythm, char ectopic) {
    return std::exchange(rhythm, false) && ectopic == ectopic_ ? Role::end : Role::none;
  }

  char ectopic_;
  bool in_af_ = false, in_vf_ = false, unreadable_ = false;
};

std::vector<Event> events_of(std::span<const Annotation> annotations, char ectopic) {
  EventReader reader(ectopic);
  std::vector<Event> events;
  for (const Annotation& mark : annotations)
    if (const Role role = reader.role_of(mark); role != Role::none) events.push_back({mark.sample, role});
  return events;
}

// Finds the longest runs of an annotator in windows. It reads each event once.
class RunFinder {
 public:
  explicit RunFinder(std::span<const Event> events) : events_(events) {}

  // Returns at most kLongRun.
  int longest(std::int64_t from, std::int64_t to) {
    if (fibrillates_to_ > from) return kLongRun;
    for (; at_ < events_.size() && events_[at_].sample < from; ++at_)
      if (events_[at_].role == Role::start && skip_fibrillation() > from) return kLongRun;
    int longest = 0, length = 0;
    for (; at_ < events_.size() && events_[at_].sample <= to; ++at_) {
      const Role role = events_[at_].role;
      if (role == Role::start) {
        skip_fibrillation();
        return kLongRun;
      }
      if (role != Role::end) length = role == Role::ectopic ? std::min(length + 1, kLongRun) : 0;
      longest = std::max(longest, length);
    }
    return longest;
  }

 private:
  // Goes to the event that ends fibrillation, and returns its time.
  std::int64_t skip_fibrillation() {
    const auto ends = [](const Event& event) {
      return event.role == Role::end || event.role == Role::other_start || event.role == Role::shutdown;
    };
    const auto found = std::ranges::find_if(events_.subspan(at_), ends);
    const auto left = static_cast<std::size_t>(events_.end() - found);
    at_ = events_.size() - std::max<std::size_t>(left, 1);
    return fibrillates_to_ = left == 0 ? kNever : found->sample;
  }

  std::span<const Event> events_;
  std::size_t at_ = 0;
  std::int64_t fibrillates_to_ = 0;  // the end of the last fibrillation that was read
};

struct Run {
  int length = 0;  // 0: none is open
  std::int64_t from = 0, to = 0;
};

// Calls found(run) for each run, with its window.
template <class Found>
void for_each_run(std::span<const Event> events, const Period& period, Found&& found) {
  Run run;
  const auto close = [&] {
    if (run.length > 0) found(run);
    run = {};
  };
  for (const auto& [sample, role] : events) {
    if (sample > period.end) return;
    if (sample < period.start) {  // fibrillation that lasts is a run from the start
      if (role == Role::start) run = {kLongRun, period.start - period.match_window, period.start + period.match_window};
      if (role == Role::end) run = {};
      continue;
    }
    const Run fresh{0, sample - period.match_window, sample + period.match_window};
    if (role == Role::ectopic) {
      if (run.length == 0) run.from = fresh.from;
      run.length = std::min(run.length + 1, kLongRun);
      run.to = fresh.to;
    } else if (role == Role::other_beat || role == Role::shutdown) {
      close();
    } else if (role == Role::start && run.length == 0) {
      run = fresh;
      run.length = kLongRun;
    } else if (role == Role::end && run.length > 0) {
      run.to = fresh.to;
    }
  }
  close();
}

std::int64_t sum_of(const RunMatrix& matrix, int first_row, int last_row, int first_column, int last_column) {
  std::int64_t sum = 0;
  for (int row = first_row; row <= last_row; ++row)
    for (int column = first_column; column <= last_column; ++column) sum += matrix[row][column];
  return sum;
}

}  // namespace

RunComparison& RunComparison::operator+=(const RunComparison& other) {
  for (std::size_t i = 0; i < sensitivity.size(); ++i)
    for (std::size_t j = 0; j < sensitivity.size(); ++j) {
      sensitivity[i][j] += other.sensitivity[i][j];
      ppv[i][j] += other.ppv[i][j];
    }
  return *this;
}

RunComparison compare_runs(std::span<const Annotation> reference, std::span<const Annotation> test,
                           const Period& period, char ectopic) {
  const auto reference_events = events_of(reference, ectopic), test_events = events_of(test, ectopic);
  RunComparison comparison;
  RunFinder in_test(test_events), in_reference(reference_events);
  for_each_run(reference_events, period,
               [&](const Run& run) { ++comparison.sensitivity[run.length][in_test.longest(run.from, run.to)]; });
  for_each_run(test_events, period,
               [&](const Run& run) { ++comparison.ppv[in_reference.longest(run.from, run.to)][run.length]; });
  return comparison;
}

Row run_row(const RunComparison& comparison) {
  struct Lengths {
    char name;
    std::string_view key;
    int least, most;
  };
  constexpr Lengths kLengths[] = {
      {'C', "couplet", 2, 2}, {'S', "short_run", 3, 5}, {'L', "long_run", kLongRun, kLongRun}};
  Row row;
  for (const auto& [name, key, least, most] : kLengths) {
    const std::string heading(1, name), its(key);
    const std::int64_t tps = sum_of(comparison.sensitivity, least, most, least, kLongRun),
                       fn = sum_of(comparison.sensitivity, least, most, 0, least - 1),
                       tpp = sum_of(comparison.ppv, least, kLongRun, least, most),
                       fp = sum_of(comparison.ppv, 0, least - 1, least, most);
    for (const Count& count :
         {Count{heading + "Ts", tps}, {heading + "FN", fn}, {heading + "Tp", tpp}, {heading + "FP", fp}})
      row.counts.push_back(count);
    row.figures.push_back({heading + "Se", its + "_sensitivity", quotient(tps, tps + fn), 0});
    row.figures.push_back({heading + "+P", its + "_ppv", quotient(tpp, tpp + fp), 0});
  }
  return row;
}

nlohmann::ordered_json matrix_json(const RunComparison& comparison) {
  return {{"sensitivity", comparison.sensitivity}, {"ppv", comparison.ppv}};
}

}  // namespace beatscan::ec57
