#include "app/output/tables/arrow/write_parquet.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/common/json.h"
#include "app/output/tables/arrow/arrow_status.h"

namespace beatscan {
namespace {

using ArrayOf = std::shared_ptr<arrow::Array>;

// Fills an array with value(row), and null where is_null(row).
template <class Builder, class IsNull, class Value>
ArrayOf filled(std::int64_t rows, IsNull&& is_null, Value&& value) {
  Builder builder;
  check_arrow(builder.Reserve(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    if (is_null(row))
      builder.UnsafeAppendNull();
    else
      builder.UnsafeAppend(value(row));
  return taken(builder.Finish());
}

ArrayOf texts(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  for (const auto& value : values) check_arrow(value.empty() ? builder.AppendNull() : builder.Append(as_utf8(value)));
  return taken(builder.Finish());
}

struct ToArray {
  std::int64_t rows;

  ArrayOf operator()(const Integers& cells) const {
    const auto& values = cells.values;
    return filled<arrow::Int64Builder>(
        rows, [&](auto row) { return values[row] == kNoInteger; }, [&](auto row) { return values[row]; });
  }
  ArrayOf operator()(const Floats& cells) const { return of_real<arrow::FloatBuilder>(cells.values); }
  ArrayOf operator()(const Doubles& cells) const { return of_real<arrow::DoubleBuilder>(cells.values); }
  ArrayOf operator()(const Flags& cells) const {
    const auto& values = cells.values;
    return filled<arrow::BooleanBuilder>(
        rows, [&](auto row) { return values[row] == kNoFlag; }, [&](auto row) { return values[row] == 1; });
  }
  ArrayOf operator()(const Seconds& cells) const {
    const auto& times = cells.microseconds;
    return filled<arrow::DoubleBuilder>(
        rows, [&](auto row) { return times[row] == kNoInteger; },
        [&](auto row) { return static_cast<double>(times[row]) / 1e6; });
  }
  ArrayOf operator()(const Words& cells) const {
    const auto& places = cells.places;
    const auto indices = filled<arrow::Int32Builder>(
        rows, [&](auto row) { return places[row] == kNoWord; }, [&](auto row) { return places[row]; });
    return taken(arrow::DictionaryArray::FromArrays(indices, texts(cells.list)));
  }
  ArrayOf operator()(const Texts& cells) const { return texts(cells.values); }

 private:
  template <class Builder, class Real>
  ArrayOf of_real(const std::vector<Real>& values) const {
    return filled<Builder>(
        rows, [&](auto row) { return std::isnan(values[row]); }, [&](auto row) { return values[row]; });
  }
};

std::shared_ptr<arrow::Table> arrow_table(const Table& table) {
  std::vector<ArrayOf> arrays;
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const auto& column : table.columns) {
    arrays.push_back(std::visit(ToArray{table.rows}, column.cells));
    fields.push_back(arrow::field(column.name, arrays.back()->type()));
    if (!column.unit.empty())
      fields.back() = fields.back()->WithMetadata(arrow::key_value_metadata({"unit"}, {column.unit}));
  }
  std::vector<std::string> names, values;
  for (const auto& [name, value] : table.facts) {
    names.push_back(name);
    values.push_back(value);
  }
  return arrow::Table::Make(arrow::schema(fields, arrow::key_value_metadata(names, values)), arrays, table.rows);
}

// Values that differ between rows get suitable encodings: differences for integers, byte streams for other numbers.
std::shared_ptr<parquet::WriterProperties> writer_properties(const Table& table) {
  parquet::WriterProperties::Builder properties;
  properties.compression(parquet::Compression::ZSTD);
  for (const auto& column : table.columns) {
    const bool real = std::holds_alternative<Floats>(column.cells) || std::holds_alternative<Doubles>(column.cells) ||
                      std::holds_alternative<Seconds>(column.cells);
    if (!real && !std::holds_alternative<Integers>(column.cells)) continue;
    properties.disable_dictionary(column.name);
    properties.encoding(column.name,
                        real ? parquet::Encoding::BYTE_STREAM_SPLIT : parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return properties.build();
}

}  // namespace

// One thread writes all columns, so that the program does not exceed its number of threads.
std::string write_parquet(const TableParts& parts) {
  const auto sink = taken(arrow::io::BufferOutputStream::Create());
  const auto own_schema = parquet::ArrowWriterProperties::Builder().store_schema()->set_use_threads(false)->build();
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  while (const Table* part = parts()) {
    const auto rows = arrow_table(*part);
    if (!writer)
      writer = taken(parquet::arrow::FileWriter::Open(*rows->schema(), arrow::default_memory_pool(), sink,
                                                      writer_properties(*part), own_schema));
    check_arrow(writer->WriteTable(*rows, std::max<std::int64_t>(part->rows, 1)));
  }
  check_arrow(writer->Close());
  return taken(sink->Finish())->ToString();
}

}  // namespace beatscan
