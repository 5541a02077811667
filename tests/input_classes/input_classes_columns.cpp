// Headers, columns, delimiters and quotes; cells.
#include "tests/input_classes/input_classes.h"

#include <utility>

namespace beatscan {
namespace {

constexpr const char* kColumns = "InputClasses.Columns";
constexpr const char* kCells = "InputClasses.Cells";

InputClass read(const char* test, std::string name, std::string behaviour, std::string bytes,
                std::vector<float> samples, std::vector<std::string> settings = {}, std::int64_t missing = 0,
                std::int64_t bad = 0, std::string warning = "") {
  return {std::move(name),
          std::move(behaviour),
          test,
          text(std::move(bytes)),
          std::move(settings),
          ExitStatus::ok,
          std::move(warning),
          std::move(samples),
          missing,
          bad};
}

InputClass refused(const char* test, std::string name, std::string bytes, std::string words,
                   std::vector<std::string> settings = {}) {
  std::string behaviour = "status 3: “" + words + "”";
  return {std::move(name),   std::move(behaviour), test, text(std::move(bytes)), std::move(settings),
          ExitStatus::input, std::move(words)};
}

// Returns a class with a cell that is refused.
InputClass bad_cell(const std::string& cell, const std::string& wrong = "is not a number") {
  return refused(kCells, "`" + cell + "`", "mV\n1\n" + cell + "\n3\n",
                 "x.csv:3: byte 5: '" + cell + "' " + wrong + "; --set ingest.on_bad=nan (or skip) goes on without it");
}

}  // namespace

InputSection column_classes() {
  const auto reads = [](auto... arguments) { return read(kColumns, arguments...); };
  const auto refuses = [](auto... arguments) { return refused(kColumns, arguments...); };
  using Settings = std::vector<std::string>;
  using Samples = std::vector<float>;
  return {
      "Headers, columns, delimiters, quotes",
      {reads("no header, one column", "read", "1\n2\n", Samples{1, 2}),
       refuses("no header, several columns", "1,2\n3,4\n", "2 columns and no header; choose one"),
       reads("a header that is a number", "a first row of numbers is data", "360\n1\n2\n", Samples{360, 1, 2}),
       reads("a row of units below the header", "specifies the units", "time,ECG\ns,mV\n0.000,1\n0.004,2\n",
             Samples{1, 2}),
       refuses("a row of other text below the header", "time,ECG\ns,big\n0.000,1\n0.004,2\n",
               "x.csv:2: byte 11: 'big' is not a number"),
       refuses("a missing column", "time,heartbeats\n0,1\n", "did you mean 'heartbeats'?",
               Settings{"ingest.column=heartbeat"}),
       refuses("a name of two columns", "time,a,a\n0,1,2\n", "occurs twice; choose one by position",
               Settings{"ingest.column=a"}),
       reads("a column without a name", "treated as an index, so the next is read", ",mV\n0,1\n1,2\n", Samples{1, 2}),
       reads("several columns named like ECG leads", "all are read; here the first is shown",
             "PPG,II,V1\n7,1,3\n8,2,5\n", Samples{1, 2}),
       reads("columns derived from an ECG", "not treated as leads", "ECG_Rate,ECG_Quality,ECG_Raw\n60,1,1\n61,1,2\n",
             Samples{1, 2}),
       reads("columns in ingest.leads", "read in this order", "a,b,c\n1,2,3\n4,5,7\n", Samples{3, 7},
             Settings{"ingest.leads=c,a"}),
       refuses("a column twice in ingest.leads", "a,b\n1,2\n", "column 'b' is asked for twice (ingest.leads)",
               Settings{"ingest.leads=[\"b\",1]"}),
       reads("a flat column and another one", "omitted, with a warning", "I,II\n0,1\n0,2\n", Samples{1, 2}, Settings{},
             0, 0, "lead 'I' is flat: all samples are 0; it is left out"),
       reads("a bad cell in one of several leads, with on_bad=nan", "missing only in that lead",
             "I,II\n1,x\n2,4\n3,5\n", Samples{1, 2, 3}, Settings{"ingest.on_bad=nan"}, 0, 1,
             "1 bad row: line 2, byte 7: 'x' is not a number"),
       refuses("a position out of range", "time,mV\n0,1\n",
               "no column at position 2: the file has 2, counted from 0: 'time', 'mV'", Settings{"ingest.column=2"}),
       reads("quotes around numbers", "read", "mV\n\"1\"\n \" 2 \"\n", Samples{1, 2}),
       reads("a quoted delimiter in another column", "read", "note,mV\n\"a,b\",1\nc,2\n", Samples{1, 2},
             Settings{"ingest.column=mV"}),
       refuses("a quoted line end in another column", "note,mV\n\"a\nb\",1\n",
               "x.csv:2: byte 8: a quote is not closed before the line ends", Settings{"ingest.column=mV"}),
       refuses("a quote that is not closed", "mV\n1\n\"2\n",
               "x.csv:3: byte 5: a quote is not closed before the line ends"),
       refuses("a quoted line end in the header", "\"time\n(s)\",mV\n0,1\n", "line 1: byte 0: a quote is not closed"),
       reads("semicolons", "read", "time;mV\n0;1\n1;2\n", Samples{1, 2}),
       reads("tabs", "read", "time\tmV\n0\t1\n1\t2\n", Samples{1, 2}),
       reads("bars", "read", "time|mV\n0|1\n1|2\n", Samples{1, 2}),
       reads("spaces, with ingest.delimiter", "read", "a mV\n0 1\n1 2\n", Samples{1, 2},
             Settings{"ingest.delimiter= ", "ingest.column=mV"}),
       refuses("spaces in a table of one column", "mV\n0\n1\n2\n3 4\n",
               "'3 4' is not a number; --set ingest.on_bad=nan (or skip) goes on"),
       reads("a decimal comma in a single column", "read", "mV\n1,5\n1,6\n", Samples{1.5, 1.6f}),
       refuses("a decimal comma in one row", "time;mV\n0;1.5\n1;1,6\n",
               "'1,6' is not a number; --set ingest.on_bad=nan (or skip) goes on"),
       refuses("a row with too few cells", "a,b\n1,2\n3\n", "x.csv:3: byte 8: 1 cell where the first line has 2"),
       refuses("a row with too many cells", "a,b\n1,2\n3,4,5\n", "x.csv:3: byte 8: 3 cells where the first line has 2"),
       reads("a delimiter at the end of all lines", "read: a last column without a name", "a,b,\n1,2,\n3,4,\n",
             Samples{1, 3}, Settings{}, 0, 0, "column 'a' is read, and not 'b'"),
       reads("bad rows with on_bad=nan", "missing and counted; a warning names the first 8", "mV\n1\nx\n\"\n4,4\n5\n",
             Samples{1, 2, 3, 4, 5}, Settings{"ingest.on_bad=nan"}, 3, 3,
             "3 bad rows: line 3, byte 5: 'x' is not a number; line 4, byte 7: a quote is not closed before the line "
             "ends: '\"'; line 5, byte 9: 2 cells where the first line has 1")}};
}

InputSection cell_classes() {
  const auto reads = [](auto... arguments) { return read(kCells, arguments...); };
  using Samples = std::vector<float>;
  InputSection section{
      "Cells",
      {reads("`NaN` `NA` `null` empty", "missing: counted, and interpolated by a straight line",
             "mV\n1\nNaN\nna\nNULL\n\n6\n", Samples{1, 2, 3, 4, 5, 6}, std::vector<std::string>{}, 4),
       reads("denormals", "correctly rounded", "mV\n1e-45\n-1.17549e-38\n", Samples{1e-45f, -1.17549e-38f}),
       reads("`1e-400`", "0: correctly rounded", "mV\n1\n1e-400\n", Samples{1, 0}),
       reads("`-0`", "-0", "mV\n-0\n1\n", Samples{-0.f, 1}),
       reads("800 digits after the point", "correctly rounded", "mV\n0." + std::string(800, '1') + "\n2\n",
             Samples{0.1111111111111f, 2}),
       refused(kCells, "800 digits before the point", "mV\n" + std::string(800, '1') + "\n",
               "is out of float32's range"),
       {"every float32, halfway cases, random texts", "correctly rounded",
        "Decimal.RandomTextsMatchStrtofAndFromChars"}}};
  for (const char* cell : {"inf", "-Infinity", "0x10", "1e", "1.2.3", "1_000", "1f", "--5", "1\u00a0", "N/A"})
    section.classes.push_back(bad_cell(cell));
  section.classes.push_back(bad_cell("1e400", "is out of float32's range"));
  return section;
}

}  // namespace beatscan
