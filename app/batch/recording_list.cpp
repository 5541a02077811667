#include "app/batch/recording_list.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/io/csv/csv_lines.h"

namespace beatscan {

namespace {

namespace fs = std::filesystem;

bool has_wildcard(const fs::path& input) { return input.string().find_first_of("*?[") != std::string::npos; }

bool is_pattern(const fs::path& input) {
  std::error_code unknown;
  return has_wildcard(input) && !fs::exists(input, unknown);
}

// Returns whether a name may be that of a folder: a name with an extension such as .csv is not checked, which avoids
// accessing each of a hundred thousand files.
bool may_be_folder(const fs::path& input) {
  constexpr std::array kFiles = {".csv", ".tsv", ".txt", ".hea", ".edf", ".bdf",     ".ecg",     ".npy",
                                 ".mat", ".gz",  ".zst", ".xz",  ".bz2", ".parquet", ".feather", ".arrow"};
  return std::ranges::find(kFiles, input.extension()) == kFiles.end();
}

bool is_folder(const fs::path& input) {
  std::error_code unknown;
  return may_be_folder(input) && input != "-" && fs::is_directory(input, unknown);
}

// Returns the name of a file without its compression extension.
fs::path unpacked_name(const fs::path& path) {
  constexpr std::array kPacked = {".gz", ".zst", ".xz", ".bz2"};
  const fs::path name = path.filename();
  return std::ranges::find(kPacked, name.extension()) == kPacked.end() ? name : name.stem();
}

std::vector<fs::path> matches_of(const fs::path& pattern) {
  glob_t found = {};
  const int status = glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
  std::vector<fs::path> paths(found.gl_pathv, found.gl_pathv + (status == 0 ? found.gl_pathc : 0));
  globfree(&found);
  // A pattern such as *.csv also matches reference annotations beside the recordings. They are dropped unless only they
  // match.
  if (!std::ranges::all_of(paths, is_reference)) std::erase_if(paths, is_reference);
  if (status == GLOB_NOMATCH) fail(ErrorKind::input, pattern.string(), "no file matches; check the pattern");
  if (status != 0) fail(ErrorKind::input, pattern.string(), "cannot be searched; check folders and permissions");
  return paths;
}

// Returns whether a file is a recording, by its name. A .mat with a header of the same name is the signal file of that
// WFDB record.
bool is_recording(const fs::path& path) {
  constexpr std::array kEndings = {".csv", ".tsv", ".hea",     ".edf",     ".bdf",  ".ecg",
                                   ".npy", ".mat", ".parquet", ".feather", ".arrow"};
  const fs::path name = unpacked_name(path);
  if (name.string().starts_with('.')) return false;
  std::error_code unknown;
  if (name.extension() == ".mat" && fs::exists(fs::path(path).replace_extension(".hea"), unknown)) return false;
  return std::ranges::find(kEndings, name.extension()) != kEndings.end() && !is_reference(path);
}

// Adds the headers of a record's segments to `segments`. The first line of a header is "NAME/SEGMENTS ..." if the
// record has any, and each line after it begins with the name of a segment.
void add_segments(const fs::path& header, std::set<fs::path>& segments) {
  std::ifstream file(header);
  bool announced = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string word = line.substr(0, line.find_first_of(" \t\r"));
    if (announced) segments.insert(header.parent_path() / (word + ".hea"));
    if (!announced && word.find('/') == word.npos) return;
    announced = true;
  }
}

// Returns the records that a PhysioNet database lists in its file RECORDS; none if it has no such file.
std::vector<fs::path> records_of(const fs::path& folder) {
  std::vector<fs::path> records;
  std::ifstream file(folder / "RECORDS");
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty() && line.back() != '/') records.push_back(folder / line);
  }
  return records;
}

std::vector<fs::path> recordings_in(const fs::path& folder) {
  std::vector<fs::path> paths = records_of(folder);
  if (!paths.empty()) return paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_recording(entry->path())) paths.push_back(entry->path());
  if (error)
    fail(ErrorKind::input, folder.string(), "cannot be listed (" + error.message() + "); check its permissions");
  std::set<fs::path> segments;
  for (const auto& path : paths)
    if (path.extension() == ".hea") add_segments(path, segments);
  std::erase_if(paths, [&](const fs::path& path) { return segments.contains(path); });
  if (paths.empty())
    fail(ErrorKind::input, folder.string(),
         "is a folder without recordings (.csv, .tsv, .hea, .edf, .bdf, .ecg, .npy, .mat, .parquet, .feather, .arrow); "
         "give another folder, or a "
         "pattern");
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

bool is_reference(const fs::path& path) { return unpacked_name(path).stem().extension() == ".truth"; }

std::vector<fs::path> expanded(const fs::path& input) {
  if (is_pattern(input)) return matches_of(input);
  if (is_folder(input)) return recordings_in(input);
  return {input};
}

namespace {

constexpr std::array<std::string_view, 4> kListColumns = {"input", "rate", "truth", "name"};
using ListCells = std::array<std::string, kListColumns.size()>;

// The first line of a list in CSV.
struct ListHeader {
  char delimiter;
  std::vector<std::size_t> columns;  // in list order: each is an index into kListColumns
};

std::string_view without_blanks(std::string_view text, std::string_view blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Parses one line of CSV; nullopt if a quote is not closed, or is followed by text.
std::optional<std::vector<std::string>> csv_cells(std::string_view line, char delimiter) {
  const std::string_view blanks = delimiter == '\t' ? " \r" : " \t\r";
  std::vector<std::string> cells;
  for (;;) {
    line = without_blanks(line, blanks);
    std::string cell;
    if (line.starts_with('"')) {
      std::size_t i = 1;
      for (; i < line.size() && (line[i] != '"' || (i + 1 < line.size() && line[i + 1] == '"')); ++i)
        cell += line[line[i] == '"' ? i++ : i];
      if (i == line.size()) return std::nullopt;
      line = without_blanks(line.substr(i + 1), blanks);
      if (!line.empty() && line[0] != delimiter) return std::nullopt;
    } else {
      cell = without_blanks(line.substr(0, line.find(delimiter)), blanks);
      line.remove_prefix(std::min(line.find(delimiter), line.size()));
    }
    cells.push_back(std::move(cell));
    if (line.empty()) return cells;
    line.remove_prefix(1);
  }
}

// Returns the index of a column, in upper or lower case; kListColumns.size() if there is none of that name.
std::size_t list_column(std::string_view name) {
  const auto is_name = [&](std::string_view column) {
    return std::ranges::equal(name, column, {}, [](char c) { return decimal::lower(c); });
  };
  return static_cast<std::size_t>(std::ranges::find_if(kListColumns, is_name) - kListColumns.begin());
}

bool is_column(const std::string& cell) { return list_column(cell) < kListColumns.size(); }

// Returns the columns that the first line of a list names; empty if it is an input and not a header.
std::optional<ListHeader> header_of(std::string_view line, std::int64_t number, const fs::path& shown) {
  ListHeader header{.delimiter = find_delimiter(line), .columns = {}};
  const auto cells = csv_cells(line, header.delimiter);
  if (!cells) return std::nullopt;
  if (std::ranges::none_of(*cells, is_column)) return std::nullopt;
  for (const auto& cell : *cells) {
    if (!is_column(cell))
      fail_at_line(shown, number,
                   beatscan::quoted(cell) + " is not a column of a list; the columns are input, rate, truth, name");
    header.columns.push_back(list_column(cell));
    if (std::ranges::count(header.columns, header.columns.back()) > 1)
      fail_at_line(shown, number, "the column " + beatscan::quoted(cell) + " is there twice; remove one of them");
  }
  if (!std::ranges::count(header.columns, 0u)) fail_at_line(shown, number, "the header has no column 'input'; add it");
  return header;
}

// Returns the cells of a line in the order of kListColumns; empty if all cells are empty, as in the lines that
// spreadsheets write below a table.
std::optional<ListCells> cells_of_line(std::string_view line, const ListHeader& header, std::int64_t number,
                                       const fs::path& shown) {
  const auto cells = csv_cells(line, header.delimiter);
  if (!cells) fail_at_line(shown, number, "a quote is not closed, or has text after it; write quotes as in RFC 4180");
  if (std::ranges::all_of(*cells, &std::string::empty)) return std::nullopt;
  if (cells->size() != header.columns.size())
    fail_at_line(shown, number,
                 "expected " + counted(std::ssize(header.columns), "cell") + " as in the header, found " +
                     std::to_string(cells->size()) + "; put a cell with a " +
                     (header.delimiter == ',' ? "comma" : "delimiter") + " into quotes");
  ListCells ordered;
  for (std::size_t i = 0; i < cells->size(); ++i) ordered[header.columns[i]] = (*cells)[i];
  // With another delimiter, the comma may be a decimal comma.
  if (std::string& rate = ordered[1]; header.delimiter != ',' && has_decimal_comma(rate)) swap_points_and_commas(rate);
  return ordered;
}

// Returns the input on a line of a list without header. It may be in quotes.
ListCells input_of_line(std::string_view line) {
  const auto cells = line.starts_with('"') && line.ends_with('"') ? csv_cells(line, ',') : std::nullopt;
  return {cells && cells->size() == 1 ? cells->front() : std::string(line)};
}

// Returns the path relative to the current folder, without its "." parts. Its ".." parts stay, because after a link
// they do not lead to the folder that precedes them in the text.
fs::path placed(const std::string& path, const fs::path& folder) {
  fs::path placed;
  if (!path.empty())
    for (const fs::path& part : folder / path)
      if (part != "." && !part.empty()) placed /= part;
  return placed.empty() && !path.empty() ? "." : placed;
}

ListedRecording listed(const ListCells& cells, const fs::path& folder, std::int64_t number, const fs::path& shown) {
  const auto& [input, rate, truth, name] = cells;
  if (input.empty()) fail_at_line(shown, number, "the cell of 'input' is empty; give a path");
  if (input == "-") fail_at_line(shown, number, "'-' is standard input, which a list cannot name; give a path");
  ListedRecording recording{
      .input = placed(input, folder), .truth = placed(truth, folder), .name = name, .line = number};
  if (!rate.empty()) {
    recording.sample_rate_hz = parse_double(rate);
    if (!recording.sample_rate_hz || !(*recording.sample_rate_hz > 0))
      fail_at_line(shown, number,
                   beatscan::quoted(rate) + " is not a sampling rate; give a positive number of Hz, or leave it out");
  }
  if (const std::string why = why_no_name(name); !name.empty() && !why.empty())
    fail_at_line(shown, number,
                 beatscan::quoted(name) + " cannot be the name of a folder: " + why + "; give another name");
  return recording;
}

// Removes the byte order mark that spreadsheets write.
std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace

bool looks_like_list(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return false;  // a pipe can be read only once
  std::array<char, 256> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view text = without_mark({begin.data(), begin.size()});
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto cells = csv_cells(line, find_delimiter(line));
  return cells && cells->size() > 1 && std::ranges::all_of(*cells, is_column) &&
         std::ranges::any_of(*cells, [](const std::string& cell) { return list_column(cell) == 0; });
}

std::string why_no_name(std::string_view name) {
  constexpr std::size_t kLongestName = 200;  // hidden names beside the folder are longer, and 255 is the limit
  if (name.empty()) return "it is empty";
  if (name.size() > kLongestName) return "it has more than " + std::to_string(kLongestName) + " bytes";
  if (name.starts_with('.')) return "it begins with a dot";
  if (name.find('/') != name.npos) return "it has a slash";
  if (std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == 127; }))
    return "it has control characters";
  if (is_file_of_batch(name)) return "a batch has a file of that name";
  return "";
}

bool is_file_of_batch(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFiles = {"index.html", "cohort.csv", "failures.csv", "cohort.parquet"};
  return std::ranges::find(kFiles, name) != kFiles.end();
}

std::vector<ListedRecording> parse_recording_list(std::string_view text, const fs::path& folder,
                                                  const fs::path& shown) {
  text = without_mark(text);
  if (text.find('\0') != text.npos)
    fail(ErrorKind::input, shown.string(), "has NUL bytes, so it is not UTF-8 text; save the list as UTF-8");
  std::vector<ListedRecording> list;
  std::optional<ListHeader> header;
  bool first = true;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text), content = without_blanks(line, " \t\r");
    if (content.empty() || content.starts_with('#')) continue;
    if (std::exchange(first, false))
      if ((header = header_of(line, number, shown))) continue;
    if (const auto cells = header ? cells_of_line(line, *header, number, shown) : input_of_line(content))
      list.push_back(listed(*cells, folder, number, shown));
  }
  if (list.empty()) fail(ErrorKind::input, shown.string(), "names no recording; give one input a line");
  return list;
}

std::vector<ListedRecording> read_recording_list(const fs::path& path) {
  const bool is_stdin = path == "-";
  const std::string text = read_whole_file(is_stdin ? fs::path("/dev/stdin") : path);
  return parse_recording_list(text, is_stdin ? fs::path() : path.parent_path(), is_stdin ? "standard input" : path);
}

}  // namespace beatscan
