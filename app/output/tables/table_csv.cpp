#include "app/output/tables/table_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
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

// A lone "-", which stands for standard input, is not a formula.
bool is_formula(std::string_view value) {
  return !value.empty() && value != "-" && std::string_view("=+-@\t\r").find(value[0]) != value.npos;
}

constexpr std::int64_t kBlockRows = 256;   // whose cells fit into a processor's cache
constexpr std::size_t kShortestRead = 32;  // bytes of a cell that are copied, however short it is

// Returns a cell with its comma, readable at its kShortestRead first bytes.
std::string readable_cell(std::string_view cell) { return std::string(cell).append(",").append(kShortestRead, '\0'); }
std::uint32_t bytes_of(const std::string& readable_cell) {
  return static_cast<std::uint32_t>(readable_cell.size() - kShortestRead);
}

// The cells of a column in some rows, each with its comma.
struct ColumnCells {
  std::array<const char*, kBlockRows> cells;
  std::array<std::uint32_t, kBlockRows> bytes;
  // What the cells are parts of
  std::array<char, kBlockRows * kShortestRead> numbers;
  std::vector<std::string> texts;  // [rows]
  std::vector<std::string> words;  // the empty cell, and the column's list
};

// Writes the cells first .. end - 1 of a column.
struct WriteCells {
  ColumnCells& column;
  std::int64_t first, end;

  void operator()(const Integers& own) const { numbers(own.values, is_integer, write<std::int64_t>); }
  void operator()(const Floats& own) const { numbers(own.values, is_number<float>, write<float>); }
  void operator()(const Doubles& own) const { numbers(own.values, is_number<double>, write<double>); }
  void operator()(const Flags& own) const {
    numbers(
        own.values, [](auto flag) { return flag != kNoFlag; },
        [](auto flag, char* at) {
          *at = flag == 1 ? '1' : '0';
          return at + 1;
        });
  }
  void operator()(const Seconds& own) const { numbers(own.microseconds, is_integer, write_microseconds); }
  void operator()(const Words& own) const {
    if (column.words.empty()) {
      column.words.push_back(readable_cell(""));
      for (const std::string& word : own.list) column.words.push_back(readable_cell(words_cell(word)));
    }
    for (std::int64_t row = first; row < end; ++row) set(row, column.words[own.places[row] - kNoWord]);
  }
  void operator()(const Texts& own) const {
    column.texts.resize(kBlockRows);
    for (std::int64_t row = first; row < end; ++row) {
      std::string& text = column.texts[row - first];
      text = readable_cell(words_cell(own.values[row]));
      set(row, text);
    }
  }

 private:
  static_assert(kNoWord == -1);
  static bool is_integer(std::int64_t value) { return value != kNoInteger; }
  template <class Number>
  static bool is_number(Number value) {
    return !std::isnan(value);
  }
  template <class Number>
  static char* write(Number value, char* at) {
    return write_number(value, at);
  }

  void set(std::int64_t row, const std::string& readable_cell) const {
    column.cells[row - first] = readable_cell.data();
    column.bytes[row - first] = bytes_of(readable_cell);
  }
  template <class Values, class Exists, class Write>
  void numbers(const Values& values, Exists exists, Write write) const {
    static_assert(kLongestNumber < kShortestRead);
    char* cell = column.numbers.data();
    for (std::int64_t row = first; row < end; ++row, cell += kShortestRead) {
      char* at = exists(values[row]) ? write(values[row], cell) : cell;
      *at++ = ',';
      column.cells[row - first] = cell;
      column.bytes[row - first] = static_cast<std::uint32_t>(at - cell);
    }
  }
};

// Writes rows: first all cells column by column, which takes less time than by row, and then puts them in order.
class CsvRows {
 public:
  explicit CsvRows(const Table& table) : table_(table), columns_(table.columns.size()) {}

  void append(std::int64_t first, std::int64_t end, std::string& text) {
    for (; first < end; first += kBlockRows) append_block(first, std::min(first + kBlockRows, end), text);
  }

 private:
  void append_block(std::int64_t first, std::int64_t end, std::string& text) {
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::visit(WriteCells{columns_[c], first, end}, table_.columns[c].cells);
      for (std::int64_t row = 0; row < end - first; ++row) bytes += columns_[c].bytes[row];
    }
    const std::size_t before = text.size();
    text.resize(before + bytes + kShortestRead);
    char* at = text.data() + before;
    for (std::int64_t row = 0; row < end - first; ++row) {
      for (const ColumnCells& column : columns_) {
        const char* const cell = column.cells[row];
        const std::size_t size = column.bytes[row];
        std::memcpy(at, cell, kShortestRead);
        if (size > kShortestRead) std::memcpy(at + kShortestRead, cell + kShortestRead, size - kShortestRead);
        at += size;
      }
      at[-1] = '\n';
    }
    text.resize(before + bytes);
  }

  const Table& table_;
  std::vector<ColumnCells> columns_;
};

std::string header_of(const Table& table) {
  std::string text;
  {
    Row header(text);
    for (const auto& column : table.columns) header.cell(column.name);
  }
  return text;
}

}  // namespace

std::string words_cell(std::string_view value) {
  std::string guarded(is_formula(value) ? "'" : "");
  guarded += value;
  if (value.find_first_of(",\"\r\n") == value.npos) return guarded;
  std::string quoted = "\"";
  for (const char c : guarded) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

// Several threads make one part each. A part is still in a processor's cache when it is appended.
void write_csv(const Table& table, bool has_header, const std::function<void(std::string_view)>& append) {
  constexpr std::int64_t kPartRows = 1024;
  const Cpu cpu;
  if (has_header) append(header_of(table));
  const std::int64_t parts = std::min<std::int64_t>((table.rows + kPartRows - 1) / kPartRows, cpu.threads());
  std::vector<std::string> texts(parts);
  std::vector<CsvRows> rows;
  rows.reserve(parts);
  while (std::ssize(rows) < parts) rows.emplace_back(table);
  for (std::int64_t first = 0; first < table.rows; first += parts * kPartRows) {
    parallel_each(cpu, parts, [&](std::int64_t part) {
      const std::int64_t begin = std::min(first + part * kPartRows, table.rows);
      texts[part].clear();
      rows[part].append(begin, std::min(begin + kPartRows, table.rows), texts[part]);
    });
    std::ranges::for_each(texts, append);
  }
}

std::string csv_text(const Table& table) {
  std::string text;
  write_csv(table, true, [&](std::string_view part) { text += part; });
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
