#include "app/pipeline/diary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "stages/common/one_line.h"
#include "stages/common/utf8.h"
#include "stages/io/csv/time_cell.h"

namespace beatscan {

namespace {

constexpr double kDay_s = 86400;

// Returns the delimiter of a header "time,text".
char delimiter_of(std::string_view header, const std::filesystem::path& path) {
  constexpr std::string_view kTime = "time", kText = "text";
  if (header.size() == kTime.size() + 1 + kText.size() && header.starts_with(kTime) && header.ends_with(kText))
    for (const char delimiter : {',', ';', '\t'})
      if (header[kTime.size()] == delimiter) return delimiter;
  fail_at_line(path, 1, quoted(header) + " is not the header of a diary; make the first line time,text");
}

// Returns a text without the quotes around it.
std::string without_quotes(std::string_view cell) {
  if (cell.size() < 2 || !cell.starts_with('"') || !cell.ends_with('"')) return std::string(cell);
  cell = cell.substr(1, cell.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return text;
}

// Turns the times of a diary into seconds from the start.
class DiaryTimes {
 public:
  DiaryTimes(const std::filesystem::path& path, const std::optional<StartTime>& start) : path_(path), start_(start) {}

  double seconds(std::string_view cell, std::int64_t line) {
    const TimeCell time = parse_time(cell);
    if (time.kind == TimeKind::number) return time.value;
    constexpr double kMinute_s = 60;  // 13:05 has hours, and would be minutes as a time from the start
    const bool has_seconds = std::ranges::count(cell, ':') > 1;
    if (time.kind == TimeKind::clock) return at_clock(cell, time.value * (has_seconds ? 1 : kMinute_s), line);
    if (time.kind == TimeKind::date) return at_date(cell, time, line);
    fail_at_line(path_, line, quoted(cell) + " is not a time; give seconds from the start, or a time of day as 13:05");
  }

 private:
  double at_clock(std::string_view cell, double clock_s, std::int64_t line) {
    if (clock_s >= kDay_s) fail_at_line(path_, line, quoted(cell) + " is no time of day; write hours and minutes");
    if (!start_)
      fail_at_line(path_, line,
                   quoted(cell) + " is a time of day, and the recording has none; give seconds from its start");
    double time_s = std::fmod(clock_s - start_->second_of_day + kDay_s, kDay_s);
    while (time_s < last_clock_s_) time_s += kDay_s;
    return last_clock_s_ = time_s;
  }

  double at_date(std::string_view cell, const TimeCell& time, std::int64_t line) const {
    if (!start_ || !start_->date)
      fail_at_line(path_, line, quoted(cell) + " is a date, and the recording has none; give seconds from its start");
    const auto day = std::chrono::sys_days(*start_->date).time_since_epoch();
    const auto midnight_s = static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(day).count());
    return time.value + time.ahead_of_utc_s.value_or(0) - midnight_s - start_->second_of_day;
  }

  const std::filesystem::path& path_;
  const std::optional<StartTime>& start_;
  double last_clock_s_ = 0;
};

}  // namespace

std::vector<FileEvent> read_diary(const std::filesystem::path& path, const std::optional<StartTime>& start) {
  const std::string contents = read_whole_file(path);
  std::string_view rest = contents;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // the byte order mark that spreadsheets write
  while (rest.ends_with('\n') || rest.ends_with('\r')) rest.remove_suffix(1);
  const char delimiter = delimiter_of(take_line(rest), path);
  DiaryTimes times(path, start);
  std::vector<FileEvent> events;
  for (std::int64_t line = 2; !rest.empty(); ++line) {
    const std::string_view row = take_line(rest);
    const auto end = row.find(delimiter);
    if (end == row.npos) fail_at_line(path, line, quoted(row) + " has no text; write the time, a comma and the text");
    events.push_back({.time_s = times.seconds(row.substr(0, end), line),
                      .text = in_one_line(in_utf8(without_quotes(row.substr(end + 1))))});
  }
  return events;
}

}  // namespace beatscan
