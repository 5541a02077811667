#include "stages/io/columns/column_source.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/csv/columns.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/interrupt.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"
#include "stages/io/csv/csv_choice.h"
#include "stages/io/csv/csv_metadata.h"
#include "stages/io/csv/csv_signal.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/csv/time_column.h"

namespace beatscan {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t kMostRowsAByte = 1000;  // a file that claims more is refused

const char* name_of(ColumnFormat format) { return format == ColumnFormat::parquet ? "Parquet" : "Arrow"; }

const ColumnLibrary& column_library(const std::string& path, ColumnFormat format) {
  const auto& [handle, reason, remedy] = arrow_library();
  if (!handle)
    fail(ErrorKind::input, path,
         std::string("this ") + name_of(format) + " file cannot be read: " + reason + "; " + remedy +
             ", or export it as CSV");
  const auto get = reinterpret_cast<decltype(&beatscan_column_library)>(dlsym(handle, "beatscan_column_library"));
  if (!get)
    fail(ErrorKind::input, path,
         "cannot be read: libbeatscan_parquet.so is not of this version; install the program anew");
  return *get();
}

// Calls Arrow, and names the file in what it throws.
template <class Call>
auto by_arrow(const InputFile& file, ColumnFormat format, Call&& call) {
  try {
    return call();
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const Error*>(&error)) throw;
    const std::string what = error.what();
    fail(ErrorKind::input, file.path().string(),
         std::string("is damaged, or no ") + name_of(format) + " file that Arrow reads (" +
             in_one_line(what.substr(0, what.find('\n'))) + "); copy or write it again");
  }
}

// A file of columns, and what is read of it.
struct Opened {
  std::shared_ptr<const InputFile> file;
  ColumnFormat format;
  std::unique_ptr<ColumnFile> columns;
  CsvHeader header = {};  // the columns as if they were those of a CSV file

  ColumnKind kind_of(int column) const { return columns->columns()[static_cast<std::size_t>(column)].kind; }
  template <class Call>
  auto call(Call&& call) const {
    return by_arrow(*file, format, call);
  }
  const std::vector<std::vector<double>>& next() const {
    throw_if_interrupted();
    return *call([&] { return &columns->next(); });
  }
  void start(const std::vector<int>& positions) const {
    call([&] { columns->start(positions); });
  }
};

// Returns the first rows as text, by which columns are chosen. Values that are no numbers become a text that is no
// signal.
FirstRows first_rows(const Opened& opened) {
  constexpr std::size_t kMostRows = 64, kMostColumns = 4096;
  std::vector<int> numbers;
  const int count = static_cast<int>(opened.header.columns.size());
  if (count > static_cast<int>(kMostColumns)) return {};
  for (int i = 0; i < count; ++i)
    if (opened.kind_of(i) == ColumnKind::number) numbers.push_back(i);
  if (numbers.empty()) return {};
  opened.start(numbers);
  const auto& values = opened.next();
  FirstRows rows(std::min(values.front().size(), kMostRows), std::vector<std::string>(count, "text"));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double value = values[i][row];
      rows[row][static_cast<std::size_t>(numbers[i])] = std::isnan(value) ? "" : number_text(value, 15);
    }
  return rows;
}

// Takes the sampling rate and the unit from the metadata next to the columns.
CsvMetadata metadata_of(const Opened& opened) {
  CsvMetadata metadata;
  for (const auto& [key, value] : opened.columns->facts()) {
    const std::string shown = in_one_line(key) + " = " + in_one_line(value.substr(0, 40));
    if (const auto rate = rate_stated_by(key, value); rate && !metadata.sample_rate_hz) {
      metadata.sample_rate_hz = rate;
      metadata.taken.push_back("the metadata specify the sampling rate: " + shown);
    } else if (key == "unit" || key == "units") {
      metadata.unit = voltage_unit(value);
      if (!metadata.unit.empty()) metadata.taken.push_back("the metadata specify the unit: " + shown);
    }
  }
  return metadata;
}

Opened open_columns(const std::shared_ptr<const InputFile>& file, ColumnFormat format, const IngestOptions& options) {
  const std::string path = file->path().string();
  const auto& library = column_library(path, format);
  Opened opened{file, format, by_arrow(*file, format, [&] { return library.open(file->open_path(), format); })};
  if (opened.columns->columns().empty()) fail(ErrorKind::input, path, "has no columns");
  if (opened.columns->rows() > kMostRowsAByte * file->size())
    fail(ErrorKind::input, path,
         "claims " + counted(opened.columns->rows(), "row") + ", more than it can hold; write it again");
  CsvHeader& header = opened.header;
  header.has_header = header.has_names = true;
  header.table_line = 0;  // rows are counted, not lines
  header.first_line = 0;
  CsvOptions choice = csv_options(options);
  for (const auto& column : opened.columns->columns()) {
    const std::string unit = voltage_unit(column.unit);
    const bool has_times = column.kind == ColumnKind::date || column.kind == ColumnKind::duration;
    if (has_times && choice.time_column.empty()) choice.time_column = WantedLead::at(std::ssize(header.columns));
    header.columns.push_back(column.name);
    header.units.push_back(unit.empty() ? voltage_unit_in_name(column.name) : unit);
  }
  header.layout.columns = static_cast<int>(header.columns.size());
  header.metadata = metadata_of(opened);
  choose_columns(path, first_rows(opened), choice, header);
  for (const int lead : header.leads)
    if (opened.kind_of(lead) != ColumnKind::number)
      fail(ErrorKind::input, path, "column '" + header.columns[static_cast<std::size_t>(lead)] + "' has no numbers");
  return opened;
}

// Returns the column with the times; -1 where none is used.
int time_column(const Opened& opened, const IngestOptions& options) {
  const int column = opened.header.time_column;
  if (column < 0 || opened.kind_of(column) != ColumnKind::other) return column;
  if (!options.time_column.empty())
    fail(ErrorKind::input, opened.file->path().string(),
         "column '" + opened.header.columns[static_cast<std::size_t>(column)] +
             "' has no times: numbers, time stamps or durations");
  return -1;
}

// Reads the times of all rows; returns where rows are missing.
std::vector<MissingRows> read_times(const Opened& opened, const IngestOptions& options, SignalInfo& signal) {
  const int column = opened.header.time_column;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(opened.columns->rows()));
  opened.start({column});
  for (const auto* part = &opened.next(); !part->front().empty(); part = &opened.next())
    times.insert(times.end(), part->front().begin(), part->front().end());
  const ColumnKind kind = opened.kind_of(column);
  TimeColumn rows(*opened.file, opened.header, !options.time_column.empty(), OnBad::error);
  rows.take(std::move(times), kind == ColumnKind::number ? TimeKind::number
                              : kind == ColumnKind::date ? TimeKind::date
                                                         : TimeKind::clock);
  auto missing = rows.finish(signal, options.sample_rate_hz);
  warn_of_two_rates(opened.header.metadata, signal);
  return missing;
}

// Gives samples row by row, and NaN where rows are missing.
class ColumnSamples {
 public:
  ColumnSamples(Opened opened, std::vector<MissingRows> missing)
      : opened_(std::move(opened)), missing_(std::move(missing)) {
    opened_.start(opened_.header.leads);
  }

  void read(LeadBlocks blocks) {
    for (std::size_t done = 0; done < blocks[0].size();) {
      const std::size_t wanted = blocks[0].size() - done,
                        now = absent_ > 0 || begins_gap() ? gap(wanted) : rows(wanted);
      for (std::size_t lead = 0; lead < blocks.size(); ++lead) {
        const auto target = blocks[lead].subspan(done, now);
        if (in_gap_)
          std::ranges::fill(target, std::numeric_limits<float>::quiet_NaN());
        else
          copy(lead, target);
      }
      if (!in_gap_) {
        row_ += static_cast<std::int64_t>(now);
        used_ += now;
      }
      done += now;
    }
  }

 private:
  bool begins_gap() {
    if (next_gap_ == missing_.size() || missing_[next_gap_].before_row != row_) return false;
    absent_ = missing_[next_gap_++].samples;
    return absent_ > 0;
  }
  // Returns how many of the wanted samples are missing.
  std::size_t gap(std::size_t wanted) {
    const auto now = static_cast<std::size_t>(std::min<std::int64_t>(absent_, static_cast<std::int64_t>(wanted)));
    absent_ -= static_cast<std::int64_t>(now);
    in_gap_ = true;
    return now;
  }
  // Returns how many of the wanted samples follow in the rows at hand.
  std::size_t rows(std::size_t wanted) {
    in_gap_ = false;
    if (!part_ || used_ == part_->front().size()) {
      part_ = &opened_.next();
      used_ = 0;
      if (part_->front().empty())
        fail(ErrorKind::input, opened_.file->path().string(), "ends before its last row; write it again");
    }
    std::size_t now = std::min(wanted, part_->front().size() - used_);
    if (next_gap_ < missing_.size())
      now = std::min(now, static_cast<std::size_t>(missing_[next_gap_].before_row - row_));
    return now;
  }
  void copy(std::size_t lead, std::span<float> target) const {
    const double* const values = (*part_)[lead].data() + used_;
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = static_cast<float>(values[i]);
      if (std::isinf(target[i]))
        fail(ErrorKind::input, opened_.file->path().string(),
             "column '" + in_one_line(opened_.header.columns[static_cast<std::size_t>(opened_.header.leads[lead])]) +
                 "', row " + std::to_string(row_ + static_cast<std::int64_t>(i)) +
                 ": the value is infinite or beyond float32's range; make it null if it is missing");
    }
  }

  Opened opened_;
  const std::vector<MissingRows> missing_;
  const std::vector<std::vector<double>>* part_ = nullptr;  // rows at hand
  std::size_t used_ = 0;                                    // of them
  std::int64_t row_ = 0;                                    // the next row
  std::size_t next_gap_ = 0;
  std::int64_t absent_ = 0;  // samples of the present gap that are still to come
  bool in_gap_ = false;
};

}  // namespace

std::optional<ColumnFormat> column_format(const InputFile& file) {
  std::string head(8, '\0');
  if (file.read(0, head) != std::ssize(head)) return std::nullopt;
  if (head.starts_with("PAR1"sv)) return ColumnFormat::parquet;
  if (head.starts_with("ARROW1\0\0"sv)) return ColumnFormat::arrow;
  return std::nullopt;
}

SampleSource column_source(const std::shared_ptr<const InputFile>& file, ColumnFormat format,
                           const IngestOptions& options, RowTimes times) {
  Opened opened = open_columns(file, format, options);
  opened.header.time_column = time_column(opened, options);
  SampleSource source{.signal = csv_signal(opened.header),
                      .path = file->path().string(),
                      .samples = opened.columns->rows(),
                      .bytes = file->size()};
  SignalInfo& signal = source.signal;
  signal.time_column = signal.csv->time_column;
  signal.csv.reset();
  signal.format = name_of(format);
  signal.no_rate_because = "the file does not specify it";
  if (opened.header.time_column >= 0 && times == RowTimes::leave) {
    if (!signal.sample_rate_hz) signal.rate_origin = RateOrigin::time_column;
    return source;
  }
  std::vector<MissingRows> missing;
  if (opened.header.time_column >= 0) missing = read_times(opened, options, signal);
  for (const auto& gap : missing) source.samples += gap.samples;
  const auto samples = std::make_shared<ColumnSamples>(std::move(opened), std::move(missing));
  source.read = [samples](LeadBlocks blocks) { samples->read(blocks); };
  return source;
}

}  // namespace beatscan
