#include "app/output/tables/table_csv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <variant>
#include <vector>

#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/whole_file.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

namespace {

// Appends the cell of a row.
struct AppendCell {
  Row& line;
  std::int64_t row;

  void operator()(const Integers& cells) const { append(cells.values[row] != kNoInteger, cells.values[row]); }
  void operator()(const Floats& cells) const { append(!std::isnan(cells.values[row]), cells.values[row]); }
  void operator()(const Doubles& cells) const { append(!std::isnan(cells.values[row]), cells.values[row]); }
  void operator()(const Flags& cells) const {
    append(cells.values[row] != kNoFlag, std::int64_t{cells.values[row] == 1});
  }
  void operator()(const Seconds& cells) const {
    if (cells.microseconds[row] == kNoInteger)
      line.empty();
    else
      line.microseconds(cells.microseconds[row]);
  }
  void operator()(const Words& cells) const {
    line.words(cells.places[row] == kNoWord ? std::string_view() : cells.list[cells.places[row]]);
  }
  void operator()(const Texts& cells) const { line.words(cells.values[row]); }

 private:
  template <class Number>
  void append(bool exists, Number value) const {
    if (exists)
      line.number(value);
    else
      line.empty();
  }
};

}  // namespace

// Several threads write one part each: a day has 100,000 beats, which take one thread 30 ms.
std::vector<std::string> csv_parts(const Table& table) {
  constexpr std::int64_t kPartRows = 4096;
  std::vector<std::string> parts((table.rows + kPartRows - 1) / kPartRows + 1);
  {
    Row header(parts[0]);
    for (const auto& column : table.columns) header.cell(column.name);
  }
  parallel_each(Cpu(), std::ssize(parts) - 1, [&](std::int64_t part) {
    std::string& text = parts[part + 1];
    const std::int64_t first = part * kPartRows, end = std::min(first + kPartRows, table.rows);
    text.reserve((end - first) * 8 * table.columns.size());
    for (std::int64_t row = first; row < end; ++row) {
      Row line(text);
      for (const auto& column : table.columns) std::visit(AppendCell{line, row}, column.cells);
    }
  });
  return parts;
}

std::string csv_text(const Table& table) {
  const auto parts = csv_parts(table);
  std::string text;
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  text.reserve(size);
  for (const auto& part : parts) text += part;
  return text;
}

namespace {

namespace fs = std::filesystem;

bool there_is(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

}  // namespace

fs::path beats_file(const fs::path& folder) {
  const fs::path csv = folder / "beats.csv", parquet = folder / "beats.parquet";
  return !there_is(csv) && there_is(parquet) ? parquet : csv;
}

bool has_beats(const fs::path& folder) { return there_is(beats_file(folder)); }

std::string classes_in_beats(const fs::path& folder) {
  if (!there_is(folder / "config.json")) return "";
  const Json config = parse_json_if_any<Json>(read_whole_file(folder / "config.json"));
  const Json letters = config.is_object() ? config.value(Json::json_pointer("/output/only"), Json()) : Json();
  return letters.is_string() ? letters.get<std::string>() : "";
}

std::string beats_text(const fs::path& folder) {
  const fs::path path = beats_file(folder);
  if (const std::string only = classes_in_beats(folder); !only.empty())
    fail(ErrorKind::input, path.string(),
         "has beats of class " + only + " alone (output.only); run the analysis again without --only");
  return path.extension() == ".parquet" ? csv_text(read_parquet(path)) : read_whole_file(path);
}

}  // namespace beatscan
