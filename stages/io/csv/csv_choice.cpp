#include "stages/io/csv/csv_choice.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include "kernels/csv/columns.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/letters.h"
#include "stages/common/nearest_name.h"
#include "stages/common/one_line.h"
#include "stages/common/utf8.h"
#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/lead_names.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

// Returns the header's line for messages, if there are lines.
std::string line_of(const CsvHeader& header) {
  return header.has_lines() ? "line " + std::to_string(header.table_line) + ": " : "";
}

// Returns a question about decimal commas if the first row of a file with commas between its columns may have them.
std::string hint_of_commas(const CsvHeader& header, const FirstRows& rows) {
  const bool may_be = header.layout.delimiter == ',' && header.columns.size() == 2 && !rows.empty() &&
                      rows[0].size() == 2 && is_number_cell(rows[0][0]) && rows[0][0].find('.') == std::string::npos &&
                      !rows[0][1].empty() && std::ranges::all_of(rows[0][1], decimal::is_digit);
  return may_be ? " (a decimal comma? --set ingest.decimal=,)" : "";
}

// Returns a question about lines before the table if a later line looks like its start.
std::string hint_of_lines(const CsvHeader& header) {
  if (header.may_begin_at == 0) return "";
  return " (lines before the table? --set ingest.skip_lines=" + std::to_string(header.may_begin_at - 1) + ")";
}

bool named_like_a_time(std::string name) {
  if (states_time(name)) return true;
  name = in_small_letters(name);
  static constexpr std::array kNames = {"",        "date",         "index",    "sample",
                                        "samples", "sample_index", "sample #", "unnamed: 0"};
  return std::ranges::find(kNames, name) != kNames.end();
}

int position_of_name(const std::string& path, const CsvHeader& header, const std::string& name) {
  auto found = std::ranges::find(header.columns, name);
  // "'MLII'", as rdsamp of WFDB and PhysioNet's exports write it, is also MLII.
  if (found == header.columns.end()) found = std::ranges::find(header.columns, "'" + name + "'");
  if (found != header.columns.end()) {
    if (std::ranges::count(header.columns, name) > 1)
      fail(ErrorKind::input, path,
           line_of(header) + "column '" + name + "' occurs twice; choose one by position, counted from 0");
    return static_cast<int>(found - header.columns.begin());
  }
  const std::string nearest = nearest_name(name, header.columns);
  fail(ErrorKind::input, path,
       line_of(header) + "no column '" + name + "'; the columns are " + listed_names(header.columns) +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") + hint_of_several(name));
}

// Returns the position of the column that the user asked for with configuration key `key`.
int column_asked_for(const std::string& path, const CsvHeader& header, const WantedLead& wanted, const char* key) {
  const auto columns = static_cast<int>(header.columns.size());
  const std::string column = in_utf8(wanted.text);
  if (!wanted.is_number && header.has_names && std::ranges::find(header.columns, column) != header.columns.end())
    return position_of_name(path, header, column);
  if (wanted.is_position() && std::stoi(column) < columns) return std::stoi(column);
  if (wanted.is_position() || wanted.is_number)
    fail(ErrorKind::input, path,
         line_of(header) + "no column at position " + column + ": the file has " + std::to_string(columns) +
             ", counted from 0: " + listed_names(header.columns));
  if (!header.has_names)
    fail(ErrorKind::input, path,
         line_of(header) + "no header, so no column '" + column + "'; choose by position: --set " + key + "=0");
  return position_of_name(path, header, column);
}

// Returns whether a column is the digital input of OpenSignals, which numbers its rows in a column nSeq.
bool is_digital_input(const CsvHeader& header, int column) {
  return header.columns[column] == "DI" && std::ranges::find(header.columns, "nSeq") != header.columns.end();
}

// Returns the columns that may hold a signal by their names and values. If all that have a typical name rise evenly,
// these are returned.
std::vector<int> possible_signals(const CsvHeader& header, const FirstRows& rows) {
  std::vector<int> usual, others;
  for (int i = 0; i < std::ssize(header.columns); ++i) {
    const std::string name = in_small_letters(header.columns[i]);
    if (i == header.time_column || is_digital_input(header, i)) continue;
    if (name == "samples" || name == "sample") others.push_back(i);
    if (!named_like_a_time(name) && !is_text(rows, i)) usual.push_back(i);
  }
  const auto rising = [&](int i) { return rises_evenly(rows, i); };
  std::vector<int> found;
  std::ranges::copy_if(usual, std::back_inserter(found), std::not_fn(rising));
  if (!found.empty() || !usual.empty()) return found.empty() ? usual : found;
  // "timestamp,samples": the samples are the signal, unless they are counted.
  std::erase_if(others, rising);
  std::ranges::stable_sort(others, {}, [&](int i) { return in_small_letters(header.columns[i]) != "samples"; });
  if (others.size() > 1) others.erase(others.begin() + 1, others.end());
  return others;
}

// Warns if the column that is read is named like another signal than an ECG. `possible` is the number of columns that
// may hold a signal: if there are several, another warning says how to choose.
void warn_of_another_signal(CsvHeader& header, int chosen, std::int64_t possible) {
  const std::string& name = header.columns[chosen];
  if (!names_another_signal(name) || mentions_ecg(name)) return;
  const bool has_others = possible == 1 && header.columns.size() > 1;
  header.warnings.push_back("no column is named like an ECG: " + listed_names({name}) +
                            " is read, which seems to be another signal" +
                            (has_others ? "; --lead NAME chooses another" : ""));
}

// Returns whether several columns have one unit, and names that only number channels. ECGs are exported like that, and
// then all of them are read.
bool are_numbered(const CsvHeader& header, const std::vector<int>& columns) {
  const auto unit_of = [&](int i) {
    return (i < std::ssize(header.row_of_units) ? header.row_of_units[i] : "") + header.units[i];
  };
  return columns.size() > 1 && columns.size() <= kMostUnnamed && std::ranges::all_of(columns, [&](int i) {
           const std::string& name = header.columns[i];
           const bool is_number = !name.empty() && std::ranges::all_of(name, decimal::is_digit);
           return (is_number || numbers_a_channel(name)) && unit_of(i) == unit_of(columns.front());
         });
}

// Returns the positions of columns that may be ECG if none is by name: the only one; all that may hold a signal, if
// they are numbered and several are wanted; or else the first of these. Warns if there are several.
std::vector<int> likely_columns(const std::string& path, CsvHeader& header, const FirstRows& rows, bool first_alone) {
  const auto columns = static_cast<int>(header.columns.size());
  if (columns == 1) {
    warn_of_another_signal(header, 0, 1);
    return {0};
  }
  if (!header.has_header && columns == 2 && header.time_column >= 0) return {1 - header.time_column};
  if (!header.has_header && columns > kMostColumns && rows.size() < 2)
    fail(ErrorKind::input, path,
         line_of(header) + std::to_string(columns) +
             " values in one line, and no others; write each on a line of its own: tr -s ' ,;\\t' '\\n' < FILE");
  if (!header.has_header)
    fail(ErrorKind::input, path,
         line_of(header) + std::to_string(columns) +
             " columns and no header; choose one by --lead 0, or several by --set ingest.leads=0,1; times in column 0 "
             "are given by --set ingest.time_column=0" +
             hint_of_commas(header, rows) + hint_of_lines(header));
  std::vector<int> possible = possible_signals(header, rows);
  if (possible.empty())
    fail(ErrorKind::input, path,
         line_of(header) + "no column seems to hold a signal: the columns are " + listed_names(header.columns) +
             "; choose one: --lead NAME");
  if (!first_alone && are_numbered(header, possible)) {
    std::vector<std::string> names;
    for (const int i : possible) names.push_back(header.columns[i]);
    header.warnings.push_back(taken_for_leads("column", names));
    return possible;
  }
  const auto ecg = std::ranges::find_if(possible, [&](int i) { return mentions_ecg(header.columns[i]); });
  const auto unnamed = std::ranges::find_if(possible, [&](int i) { return !names_another_signal(header.columns[i]); });
  const int chosen = ecg != possible.end() ? *ecg : unnamed != possible.end() ? *unnamed : possible.front();
  warn_of_another_signal(header, chosen, std::ssize(possible));
  if (possible.size() > 1) {
    std::vector<std::string> others;
    for (const int i : possible)
      if (i != chosen) others.push_back(header.columns[i]);
    header.warnings.push_back("column " + listed_names({header.columns[chosen]}) + " is read, and not " +
                              listed_names(others) +
                              "; --lead NAME chooses another, --set ingest.leads=NAME,NAME several");
  }
  return {chosen};
}

// Returns whether a column is in a unit of voltage; nothing if no unit is given.
std::optional<bool> is_in_volts(const CsvHeader& header, int column) {
  const auto i = static_cast<std::size_t>(column);
  if (!header.units[i].empty()) return true;
  return i < header.row_of_units.size() && !header.row_of_units[i].empty() ? std::optional(false) : std::nullopt;
}

// Returns the columns that are ECG by name. If one of them is in a unit of voltage, those in others are left out, such
// as raw values beside calibrated ones. Those that count evenly upwards are left out with a warning if another
// column may hold a signal: they are row numbers or times, such as "i" in "i,voltage".
std::vector<int> ecg_columns(CsvHeader& header, const FirstRows& rows) {
  std::vector<int> found;
  for (int i = 0; header.has_names && i < std::ssize(header.columns); ++i) {
    const std::string& name = header.columns[i];
    if (is_digital_input(header, i)) continue;
    if (i != header.time_column && !states_time(name) && is_ecg_by_name(name)) found.push_back(i);
  }
  if (std::ranges::any_of(found, [&](int i) { return is_in_volts(header, i) == true; }))
    std::erase_if(found, [&](int i) { return is_in_volts(header, i) == false; });
  const auto counts = [&](int i) { return rises_on_a_line(rows, i); };
  std::vector<int> counting, kept;
  std::ranges::partition_copy(found, std::back_inserter(counting), std::back_inserter(kept), counts);
  if (counting.empty()) return found;
  const auto possible = possible_signals(header, rows);
  if ((kept.empty() && std::ranges::all_of(possible, counts))) return found;
  for (const int i : counting) {
    header.warnings.push_back("column " + listed_names({header.columns[i]}) +
                              " rises evenly: it is taken for row numbers or times and left out; --lead NAME reads it, "
                              "and --set ingest.time_column=NAME takes it for times");
  }
  return kept;
}

// Returns the positions of the columns that are read (see read_csv_header).
std::vector<int> columns_to_read(const std::string& path, CsvHeader& header, const FirstRows& rows,
                                 const CsvOptions& options) {
  if (!options.column.empty()) return {column_asked_for(path, header, options.column, "ingest.column")};
  std::vector<int> chosen;
  for (const auto& wanted : options.leads) {
    chosen.push_back(column_asked_for(path, header, wanted, "ingest.leads"));
    if (std::ranges::count(chosen, chosen.back()) > 1)
      fail(ErrorKind::input, path,
           line_of(header) + "column '" + header.columns[chosen.back()] + "' is asked for twice (ingest.leads)");
  }
  if (chosen.empty()) chosen = ecg_columns(header, rows);
  if (chosen.empty()) chosen = likely_columns(path, header, rows, options.first_alone);
  if (options.first_alone) chosen.resize(1);
  if (std::ssize(chosen) > kMostColumns)
    fail(ErrorKind::input, path,
         line_of(header) + std::to_string(chosen.size()) + " columns are named like an ECG; choose at most " +
             std::to_string(kMostColumns) + ": --set ingest.leads=NAME,NAME");
  return chosen;
}

bool is_lead(const CsvHeader& header, int column) {
  return std::ranges::find(header.leads, column) != header.leads.end();
}

// Warns of columns that are named like an ECG and that are not read. Other warnings may have named them already.
void warn_of_other_ecgs(CsvHeader& header) {
  std::vector<std::string> others;
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i) {
    const std::string& name = header.columns[i];
    const bool is_named = std::ranges::any_of(
        header.warnings, [&](const auto& warning) { return warning.find(listed_names({name})) != warning.npos; });
    if (is_lead(header, i) || i == header.time_column || is_named || is_digital_input(header, i)) continue;
    if (is_ecg_by_name(name) || mentions_ecg(name)) others.push_back(name);
  }
  if (others.empty()) return;
  header.warnings.push_back(std::string(by_count(std::ssize(others), "column ", "columns ")) + listed_names(others) +
                            by_count(std::ssize(others), " is", " are") +
                            " named like an ECG, too, and not read; --set ingest.leads=NAME,NAME chooses columns");
}

// Returns the first column that is named like a time and is not read; or else the first with a word of a time in its
// name that has a unit of time in the row of units, rises evenly, or holds dates or clock times; or else the first one
// without a descriptive name whose first rows are dates or clock times, as those of an index of pandas are; -1 if there
// is none.
int found_time_column(const CsvHeader& header, const FirstRows& rows) {
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (!is_lead(header, i) && states_time(header.columns[i])) return i;
  const auto has_unit = [&](int i) {
    return i < std::ssize(header.row_of_units) && time_unit_of(header.row_of_units[static_cast<std::size_t>(i)]);
  };
  const auto has_dates = [&](int i) {
    const auto kind = rows.empty() ? TimeKind::bad : parse_time(cells_in(rows, i).front()).kind;
    return kind == TimeKind::date || kind == TimeKind::clock;
  };
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (!is_lead(header, i) && mentions_time(header.columns[i]) &&
        (has_unit(i) || rises_evenly(rows, i) || has_dates(i)))
      return i;
  static constexpr std::array<std::string_view, 5> kIndexes = {"", "date", "index", "unnamed: 0", "x"};
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (!is_lead(header, i) && has_dates(i) &&
        std::ranges::find(kIndexes, in_small_letters(header.columns[i])) != kIndexes.end())
      return i;
  return -1;
}

// Refuses a table that has a row for each time and lead: its rows would be read as one signal of a higher rate.
void refuse_leads_in_turn(const std::string& path, const FirstRows& rows, const CsvHeader& header) {
  for (int i = 0; header.time_column >= 0 && i < std::ssize(header.columns); ++i)
    if (const auto leads = leads_in_turn(rows, header.time_column, i); !leads.empty() && !is_lead(header, i))
      fail(ErrorKind::input, path,
           "its rows alternate between several leads: column " + listed_names({header.columns[i]}) + " has " +
               listed_names(leads) +
               " for each time; give each lead a column of its own (pandas: DataFrame.pivot); --set "
               "ingest.time_column=- reads the file anyway");
}

}  // namespace

void choose_columns(const std::string& path, const FirstRows& rows, const CsvOptions& options, CsvHeader& header) {
  if (!options.time_column.empty() && options.time_column != "-")
    header.time_column = column_asked_for(path, header, options.time_column, "ingest.time_column");
  header.leads = columns_to_read(path, header, rows, options);
  header.layout.column = header.leads.front();
  if (is_lead(header, header.time_column))
    fail(
        ErrorKind::input, path,
        line_of(header) + "column '" + header.columns[header.time_column] + "' cannot be both the signal and the time");
  if (options.time_column.empty()) header.time_column = found_time_column(header, rows);
  refuse_leads_in_turn(path, rows, header);
  if (options.column.empty() && options.leads.empty() && !options.first_alone) warn_of_other_ecgs(header);
}

}  // namespace beatscan
