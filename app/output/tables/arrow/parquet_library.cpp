#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/api.h>
#include <arrow/config.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include "app/common/json.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

// Throws std::bad_alloc or std::runtime_error on failure.
inline void check_arrow(const arrow::Status& status) {
  if (status.IsOutOfMemory()) throw std::bad_alloc();
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class Value>
Value taken(arrow::Result<Value> result) {
  check_arrow(result.status());
  return std::move(result).ValueUnsafe();
}

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

// One thread writes all columns, so that the program does not exceed its number of threads.
// Throws std::runtime_error if Arrow fails.
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

template <class Array, class Value>
std::vector<Value> values_of(const arrow::Array& array, Value none) {
  const auto& typed = static_cast<const Array&>(array);
  std::vector<Value> values(array.length(), none);
  for (std::int64_t row = 0; row < array.length(); ++row)
    if (typed.IsValid(row)) values[row] = static_cast<Value>(typed.Value(row));
  return values;
}

std::vector<std::string> texts_of(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::StringArray&>(array);
  std::vector<std::string> values(array.length());
  for (std::int64_t row = 0; row < array.length(); ++row)
    if (typed.IsValid(row)) values[row] = typed.GetString(row);
  return values;
}

std::vector<std::string> words_of(const arrow::DictionaryArray& array) {
  if (array.dictionary()->type_id() != arrow::Type::STRING) throw std::runtime_error("has words of an unknown type");
  const auto words = texts_of(*array.dictionary());
  std::vector<std::string> values(array.length());
  for (std::int64_t row = 0; row < array.length(); ++row)
    if (array.IsValid(row)) values[row] = words.at(array.GetValueIndex(row));
  return values;
}

Cells cells_of(const arrow::Array& array, const std::string& name) {
  switch (array.type_id()) {
    case arrow::Type::INT64:
      return Integers{values_of<arrow::Int64Array>(array, kNoInteger)};
    case arrow::Type::FLOAT:
      return Floats{values_of<arrow::FloatArray>(array, std::nanf(""))};
    case arrow::Type::DOUBLE:
      return Doubles{values_of<arrow::DoubleArray>(array, std::nan(""))};
    case arrow::Type::BOOL:
      return Flags{values_of<arrow::BooleanArray>(array, kNoFlag)};
    case arrow::Type::STRING:
      return Texts{texts_of(array)};
    case arrow::Type::DICTIONARY:
      return Texts{words_of(static_cast<const arrow::DictionaryArray&>(array))};
    default:
      throw std::runtime_error("its column '" + name + "' is of the type " + array.type()->ToString() +
                               ", which this program does not write");
  }
}

Table parsed(const std::string& bytes) {
  const auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  const auto reader = taken(parquet::arrow::OpenFile(input, arrow::default_memory_pool()));
  const auto whole = taken(taken(reader->ReadTable())->CombineChunks());
  check_arrow(whole->ValidateFull());
  Table table{.rows = whole->num_rows(), .columns = {}};
  for (int i = 0; i < whole->num_columns(); ++i) {
    const auto& field = whole->schema()->field(i);
    const auto unit = field->metadata() ? field->metadata()->Get("unit").ValueOr("") : "";
    const auto array = whole->column(i)->num_chunks() > 0 ? whole->column(i)->chunk(0)
                                                          : taken(arrow::MakeArrayOfNull(field->type(), 0));
    table.columns.push_back({field->name(), unit, cells_of(*array, field->name())});
  }
  if (const auto facts = whole->schema()->metadata())
    for (std::int64_t i = 0; i < facts->size(); ++i) table.facts.emplace_back(facts->key(i), facts->value(i));
  return table;
}

}  // namespace

// Throws ErrorKind::input, naming the source, if the bytes are not such a file.
Table parse_parquet(const std::string& bytes, const std::string& source) {
  try {
    return parsed(bytes);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string what = error.what();
    fail(ErrorKind::input, source,
         "is not a Parquet file of a result, or is damaged (" + what.substr(0, what.find('\n')) +
             "); run the analysis again");
  }
}

}  // namespace beatscan

namespace {

std::string version_of_arrow() { return arrow::GetBuildInfo().version_string; }

}  // namespace

extern "C" const beatscan::ParquetLibrary* beatscan_parquet_library() {
  static const beatscan::ParquetLibrary library{beatscan::write_parquet, beatscan::parse_parquet, version_of_arrow};
  return &library;
}
