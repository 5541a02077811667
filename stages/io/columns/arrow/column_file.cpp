// Reads Parquet and Arrow files by Apache Arrow. A part of libbeatscan_parquet.so.
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/util/float16.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stages/io/columns/arrow_library.h"

namespace beatscan {
namespace {

constexpr std::int64_t kRowsAtATime = 1 << 16;

void check(const arrow::Status& status) {
  if (status.IsOutOfMemory()) throw std::bad_alloc();
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class Value>
Value value_of(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

double seconds_of(arrow::TimeUnit::type unit) {
  return unit == arrow::TimeUnit::SECOND  ? 1
         : unit == arrow::TimeUnit::MILLI ? 1e-3
         : unit == arrow::TimeUnit::MICRO ? 1e-6
                                          : 1e-9;
}

ColumnKind kind_of(const arrow::DataType& type) {
  using arrow::Type;
  switch (type.id()) {
    case Type::INT8:
    case Type::UINT8:
    case Type::INT16:
    case Type::UINT16:
    case Type::INT32:
    case Type::UINT32:
    case Type::INT64:
    case Type::UINT64:
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::DECIMAL128:
      return ColumnKind::number;
    case Type::TIMESTAMP:
      return ColumnKind::date;
    case Type::DURATION:
    case Type::TIME32:
    case Type::TIME64:
      return ColumnKind::duration;
    default:
      return ColumnKind::other;
  }
}

template <class Array, class Convert>
void append_as(const arrow::Array& array, std::vector<double>& values, Convert&& convert) {
  const auto& typed = static_cast<const Array&>(array);
  for (std::int64_t row = 0; row < array.length(); ++row)
    values.push_back(typed.IsValid(row) ? convert(typed.Value(row)) : std::nan(""));
}

template <class Array>
void append_times(const arrow::Array& array, arrow::TimeUnit::type unit, std::vector<double>& values) {
  const double seconds = seconds_of(unit);
  append_as<Array>(array, values, [seconds](auto value) {
    // Whole seconds and the rest apart, so that dates keep their microseconds.
    const auto per_second = static_cast<std::int64_t>(std::llround(1 / seconds));
    const auto whole = static_cast<std::int64_t>(value) / per_second,
               rest = static_cast<std::int64_t>(value) % per_second;
    return static_cast<double>(whole) + static_cast<double>(rest) * seconds;
  });
}

void append_decimals(const arrow::Array& array, std::vector<double>& values) {
  const auto& typed = static_cast<const arrow::Decimal128Array&>(array);
  const auto scale = static_cast<const arrow::Decimal128Type&>(*array.type()).scale();
  for (std::int64_t row = 0; row < array.length(); ++row)
    values.push_back(typed.IsValid(row) ? arrow::Decimal128(typed.GetValue(row)).ToDouble(scale) : std::nan(""));
}

void append(const arrow::Array& array, std::vector<double>& values) {
  using arrow::Type;
  const auto as_double = [](auto value) { return static_cast<double>(value); };
  const auto& type = *array.type();
  switch (type.id()) {
    case Type::INT8:
      return append_as<arrow::Int8Array>(array, values, as_double);
    case Type::UINT8:
      return append_as<arrow::UInt8Array>(array, values, as_double);
    case Type::INT16:
      return append_as<arrow::Int16Array>(array, values, as_double);
    case Type::UINT16:
      return append_as<arrow::UInt16Array>(array, values, as_double);
    case Type::INT32:
      return append_as<arrow::Int32Array>(array, values, as_double);
    case Type::UINT32:
      return append_as<arrow::UInt32Array>(array, values, as_double);
    case Type::INT64:
      return append_as<arrow::Int64Array>(array, values, as_double);
    case Type::UINT64:
      return append_as<arrow::UInt64Array>(array, values, as_double);
    case Type::HALF_FLOAT:
      return append_as<arrow::HalfFloatArray>(
          array, values, [](auto bits) { return arrow::util::Float16::FromBits(bits).ToDouble(); });
    case Type::FLOAT:
      return append_as<arrow::FloatArray>(array, values, as_double);
    case Type::DOUBLE:
      return append_as<arrow::DoubleArray>(array, values, as_double);
    case Type::DECIMAL128:
      return append_decimals(array, values);
    case Type::TIMESTAMP:
      return append_times<arrow::TimestampArray>(array, static_cast<const arrow::TimestampType&>(type).unit(), values);
    case Type::DURATION:
      return append_times<arrow::DurationArray>(array, static_cast<const arrow::DurationType&>(type).unit(), values);
    case Type::TIME32:
      return append_times<arrow::Time32Array>(array, static_cast<const arrow::Time32Type&>(type).unit(), values);
    case Type::TIME64:
      return append_times<arrow::Time64Array>(array, static_cast<const arrow::Time64Type&>(type).unit(), values);
    default:
      throw std::runtime_error("a column of the type " + type.ToString() + " has no numbers");
  }
}

// Gives rows batch by batch; what the two formats have in common.
class BatchFile : public ColumnFile {
 public:
  const std::vector<StoredColumn>& columns() const override { return columns_; }
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::pair<std::string, std::string>>& facts() const override { return facts_; }

  const std::vector<std::vector<double>>& next() override {
    for (;;) {
      for (auto& values : values_) values.clear();
      if (!batch_ && !(batch_ = next_batch())) return values_;
      const std::int64_t now = std::min(kRowsAtATime, batch_->num_rows() - used_);
      for (std::size_t i = 0; i < values_.size(); ++i)
        append(*batch_->column(static_cast<int>(place_[i]))->Slice(used_, now), values_[i]);
      used_ += now;
      if (used_ == batch_->num_rows()) {
        batch_.reset();
        used_ = 0;
      }
      if (now > 0) return values_;
    }
  }

 protected:
  void describe(const arrow::Schema& schema, std::int64_t rows) {
    rows_ = rows;
    for (const auto& field : schema.fields()) {
      std::string unit;
      for (const char* key : {"unit", "units"})
        if (const auto& metadata = field->metadata(); metadata && unit.empty()) unit = metadata->Get(key).ValueOr("");
      columns_.push_back({field->name(), unit, kind_of(*field->type())});
    }
    if (const auto& metadata = schema.metadata())
      for (std::int64_t i = 0; i < metadata->size(); ++i) facts_.emplace_back(metadata->key(i), metadata->value(i));
  }
  // Notes which columns follow: the file gives each once, in its own order.
  std::vector<int> begin(const std::vector<int>& columns) {
    std::vector<int> sorted = columns;
    std::ranges::sort(sorted);
    place_.clear();
    for (const int column : columns) place_.push_back(std::ranges::find(sorted, column) - sorted.begin());
    values_.assign(columns.size(), {});
    batch_.reset();
    used_ = 0;
    return sorted;
  }
  virtual std::shared_ptr<arrow::RecordBatch> next_batch() = 0;  // null at the end

 private:
  std::vector<StoredColumn> columns_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::int64_t rows_ = 0;
  std::vector<std::ptrdiff_t> place_;  // of each started column in a batch
  std::vector<std::vector<double>> values_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t used_ = 0;  // rows of the batch
};

class ParquetColumns : public BatchFile {
 public:
  explicit ParquetColumns(std::shared_ptr<arrow::io::RandomAccessFile> file) {
    parquet::arrow::FileReaderBuilder builder;
    check(builder.Open(std::move(file)));
    parquet::ArrowReaderProperties properties(false);  // one thread
    properties.set_batch_size(kRowsAtATime);
    properties.set_pre_buffer(false);
    reader_ = value_of(builder.properties(properties)->Build());
    std::shared_ptr<arrow::Schema> schema;
    check(reader_->GetSchema(&schema));
    describe(*schema, reader_->parquet_reader()->metadata()->num_rows());
  }
  void start(const std::vector<int>& columns) override {
    std::vector<int> leaves, groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    for (const int column : begin(columns)) {
      const auto& field = reader_->manifest().schema_fields.at(static_cast<std::size_t>(column));
      if (!field.is_leaf()) throw std::runtime_error("a nested column has no numbers");
      leaves.push_back(field.column_index);
    }
    batches_ = value_of(reader_->GetRecordBatchReader(groups, leaves));
  }

 private:
  std::shared_ptr<arrow::RecordBatch> next_batch() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    check(batches_->ReadNext(&batch));
    if (batch) check(batch->ValidateFull());
    return batch;
  }
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class ArrowColumns : public BatchFile {
 public:
  explicit ArrowColumns(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {
    const auto reader = open({});
    describe(*reader->schema(), value_of(reader->CountRows()));
  }
  void start(const std::vector<int>& columns) override {
    reader_ = open(begin(columns));
    next_ = 0;
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> open(std::vector<int> columns) const {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.use_threads = false;
    options.included_fields = std::move(columns);
    return value_of(arrow::ipc::RecordBatchFileReader::Open(file_, options));
  }
  std::shared_ptr<arrow::RecordBatch> next_batch() override {
    if (next_ == reader_->num_record_batches()) return nullptr;
    auto batch = value_of(reader_->ReadRecordBatch(next_++));
    check(batch->ValidateFull());
    return batch;
  }
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

std::unique_ptr<ColumnFile> open_columns(const std::string& path, ColumnFormat format) {
  std::shared_ptr<arrow::io::RandomAccessFile> file = value_of(arrow::io::ReadableFile::Open(path));
  if (format == ColumnFormat::parquet) return std::make_unique<ParquetColumns>(std::move(file));
  return std::make_unique<ArrowColumns>(std::move(file));
}

}  // namespace
}  // namespace beatscan

extern "C" const beatscan::ColumnLibrary* beatscan_column_library() {
  static const beatscan::ColumnLibrary library{beatscan::open_columns};
  return &library;
}
