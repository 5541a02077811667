#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/reader.h>

#include <cmath>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/output/tables/arrow/arrow_status.h"
#include "app/output/tables/arrow/write_parquet.h"
#include "app/output/tables/table.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

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
