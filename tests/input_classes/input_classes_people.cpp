// Files from users: exports of watches, comments, metadata, decimal commas, arrays of NumPy and MATLAB.
#include <utility>
#include "tests/input_classes/input_classes.h"

#include "tests/support/array_files.h"

namespace beatscan {
namespace {

using Settings = std::vector<std::string>;
using Samples = std::vector<float>;

InputClass taken(const char* test, std::string name, std::string behaviour, std::string bytes, Samples samples,
                 std::string warning = "", Settings settings = {}) {
  return {std::move(name),    std::move(behaviour), test, text(std::move(bytes)), std::move(settings), ExitStatus::ok,
          std::move(warning), std::move(samples)};
}

InputClass turned_away(const char* test, std::string name, std::string bytes, std::string words,
                       Settings settings = {}) {
  std::string behaviour = "status 3: “" + words + "”";
  return {std::move(name),   std::move(behaviour), test, text(std::move(bytes)), std::move(settings),
          ExitStatus::input, std::move(words)};
}

// Returns the lines that an Apple Watch writes before the samples.
std::string watch(const std::string& samples) {
  return "Name,Jo Public\nDate of Birth,1 Jan 1980\nRecorded Date,2021-11-21 10:00:00 +0100\n"
         "Classification,Sinus Rhythm\nSymptoms,\nSoftware Version,1.90\nDevice,\"Watch6,1\"\n"
         "Sample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n" +
         samples;
}

// Returns rows "i,VALUE" of 40 samples: enough to recognise an index.
std::string counted(const std::string& header, int step, const char* separator = ",") {
  std::string rows = header + "\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(step * i) + separator + std::to_string(i % 7) + "\n";
  return rows;
}
// Returns more rows than are examined before the reading begins.
std::string many_rows(const std::string& header, const std::string& row) {
  std::string text = header;
  while (text.size() < 20'000) text += row;
  return text;
}
Samples counted_samples() {
  Samples samples;
  for (int i = 0; i < 40; ++i) samples.push_back(static_cast<float>(i % 7));
  return samples;
}

}  // namespace

InputSection people_classes() {
  constexpr const char* kTest = "InputClasses.People";
  const auto reads = [](auto... arguments) { return taken(kTest, arguments...); };
  const auto refuses = [](auto... arguments) { return turned_away(kTest, arguments...); };
  return {
      "Exports, comments and metadata",
      {reads("an export of an Apple Watch", "read; rate, unit, lead and start come from the lines before the samples",
             watch("1.5\n-2\n3\n"), Samples{1.5f, -2, 3}),
       refuses("such an export with a damaged first sample", watch("1.1x5\n-2\n3\n"),
               "x.csv:2: byte 15: 'Date of Birth' is not a number"),
       refuses("such an export with a damaged sample", watch("1\n-2\n3x\n4\n"), "x.csv:16: byte 209: '3x' is not"),
       reads("metadata and a header, as from Kardia", "read; the metadata are skipped",
             "Device: KardiaMobile\nSampling rate (Hz): 300\n\ntime,Lead I\n0,1\n0.003333,2\n", Samples{1, 2}),
       reads("comments before a header", "skipped; `# Fs = 360 Hz` specifies the rate",
             "# made by hand\n# Fs = 360 Hz\nECG\n1\n2\n", Samples{1, 2}),
       reads("comments before numbers", "passed over", "# a\n# b\n1\n2\n", Samples{1, 2}),
       reads("a comment that names the columns", "treated as the header", "# time,II\n0,1\n0.004,2\n", Samples{1, 2}),
       refuses("a comment among the rows", "mV\n1\n# here\n2\n", "x.csv:3: byte 5: '# here' is not a number"),
       refuses("arbitrary lines of text", "run,7\nsite,x\n1\n2\n3\n", "skip_lines=2)"),
       reads("such lines, with ingest.skip_lines", "passed over", "run,7\nsite,x\n1\n2\n3\n", Samples{1, 2, 3}, "",
             Settings{"ingest.skip_lines=2"}),
       refuses("fewer lines than ingest.skip_lines", "1\n2\n", "has only 2 lines", Settings{"ingest.skip_lines=5"}),
       refuses("metadata that look like data", "Age,45\nWeight,70\n1\n2\n", "2 columns and no header; choose one"),
       reads("two rates in metadata", "neither is used; a warning", "# fs: 360\n# sampling rate: 500\n1\n2\n",
             Samples{1, 2}, "lines 1 and 2 give different sampling rates: neither is used"),
       reads("an invalid rate in metadata", "not used; a warning", "# fs: about 300\n1\n2\n", Samples{1, 2},
             "is not understood as a sampling rate"),
       reads("a column ECG after another", "ECG is read; inspect lists what is omitted",
             "time,ppg,ECG\n0,7,1\n0.004,8,2\n", Samples{1, 2}),
       reads("a column with ECG in its name", "read", "time,ppg,ecg_value\n0,7,1\n0.004,8,2\n", Samples{1, 2}),
       reads("columns named `CH1` and `CH2`", "all are read, with a warning", "CH1,CH2\n1,5\n2,4\n", Samples{1, 2},
             "no column is named like an ECG: 'CH1', 'CH2' are taken for its leads"),
       reads("several possible signal columns", "the first is read; a warning names the others", "a,b\n1,3\n2,4\n",
             Samples{1, 2},
             "column 'a' is read, and not 'b'; --lead NAME chooses another, --set ingest.leads=NAME,NAME several"),
       reads("a column of text before the samples", "passed over", "who,value\nme,1\nme,2\n", Samples{1, 2}),
       reads("timestamp and samples", "the samples are read; steps of 4 are milliseconds, with a warning",
             counted("timestamp,samples", 4), counted_samples(), "taken for milliseconds, which makes 250 Hz"),
       reads("microseconds without a unit", "detected, with a warning", counted("timestamp,II", 4000),
             counted_samples(), "taken for microseconds, which makes 250 Hz"),
       reads("a time column that counts rows", "no times: --rate is needed", counted("t,II", 1), counted_samples()),
       reads("a counting column before the samples", "treated as an index", counted("no,value", 1), counted_samples()),
       refuses("only times and an index", counted("time,index", 1), "no column seems to hold a signal"),
       reads("an index of pandas with dates", "the unnamed column specifies the rate",
             ",ECG\n2026-11-21 10:00:00,1\n2026-11-21 10:00:00.004,2\n2026-11-21 10:00:00.008,3\n", Samples{1, 2, 3}),
       reads("an index of pandas with differences of times", "the unnamed column specifies the rate",
             ",ECG\n0 days 00:00:00,1\n0 days 00:00:00.004000,2\n0 days 00:00:00.008000,3\n", Samples{1, 2, 3}),
       reads("dates with the day first, decimal commas, names in Latin-1", "read; the dates specify rate and start",
             "Zeit;Ableitung II [\xb5V]\n05.03.2024 14:22:10,000;1,5\n05.03.2024 14:22:10,004;-1,625\n",
             Samples{1.5f, -1.625f}),
       reads("decimal commas between semicolons", "read", "time;mV\n0;1,5\n0,004;-1,625\n", Samples{1.5f, -1.625f}),
       reads("decimal commas without a header", "read: the first row is data", "1,5\t7\n2,5\t8\n", Samples{1.5f, 2.5f},
             "", Settings{"ingest.column=0"}),
       refuses("decimal commas and a point", many_rows("mV;x\n", "1,5;0\n") + "1.234;0\n",
               "'1.234' is not a number (a decimal point? this file has decimal commas)"),
       refuses("commas that may separate thousands", "mV;x\n1,500;0\n2,000;0\n",
               "'1,500' is not a number (a decimal comma? --set ingest.decimal=,)"),
       reads("such commas, with ingest.decimal", "decimals", "mV;x\n1,500;0\n2,000;0\n", Samples{1.5f, 2},
             "column 'mV' is read, and not 'x'", Settings{"ingest.decimal=,"}),
       reads("decimal commas in one column, with ingest.decimal", "read", "mV\n1,5\n2,5\n", Samples{1.5f, 2.5f}, "",
             Settings{"ingest.decimal=,"}),
       refuses("an Excel workbook", std::string("PK\x03\x04") + "...[Content_Types].xml",
               "this is an Excel workbook (.xlsx); save its sheet as CSV"),
       refuses("a NumPy archive", std::string("PK\x03\x04") + "...x.npy",
               "this is a NumPy archive (.npz); save its array alone")}};
}

InputSection array_classes() {
  constexpr const char* kTest = "InputClasses.Arrays";
  const auto reads = [](auto... arguments) { return taken(kTest, arguments...); };
  const auto refuses = [](auto... arguments) { return turned_away(kTest, arguments...); };
  const std::string two_by_three = packed_numbers<float>({1, 2, 3, 4, 5, 7});
  return {"Arrays of NumPy and MATLAB",
          {reads("NumPy, [samples], float64", "read", npy("<f8", "(3,)", packed_numbers<double>({1, 2.5, -3})),
                 Samples{1, 2.5f, -3}),
           reads("NumPy, [samples], int16", "read", npy("<i2", "(3,)", packed_numbers<std::int16_t>({1, -2, 300})),
                 Samples{1, -2, 300}),
           reads("NumPy, [leads, samples]", "all leads are read; here the first is shown",
                 npy("<f4", "(2, 3)", two_by_three), Samples{1, 2, 3}),
           reads("NumPy, [samples, leads]", "the longer side is time", npy("<f4", "(3, 2)", two_by_three),
                 Samples{1, 3, 5}),
           reads("NumPy, in Fortran order", "read", npy("<f4", "(2, 3)", two_by_three, true), Samples{1, 3, 5}),
           reads("NumPy, big-endian", "read", npy(">i2", "(2,)", std::string("\x01\x02\x00\x05", 4)), Samples{258, 5}),
           reads("NumPy, a lead of times and another one", "omitted, with a warning", npy_with_times(),
                 times_neighbour(), "lead 0 rises evenly: it is taken for times and left out"),
           refuses("NumPy, cut off", npy("<f8", "(300,)", packed_numbers<double>({1, 2})),
                   "is cut off: its array is 1 x 300, and the file holds 2 numbers"),
           refuses("NumPy, a shape beyond any file", npy("<f8", "(4611686018427387904, 8)", ""), "is cut off"),
           refuses("NumPy, an infinite value",
                   npy("<f4", "(2,)", packed_numbers<float>({1, std::numeric_limits<float>::infinity()})),
                   "lead 0, sample 1: the value is infinite or beyond float32's range"),
           refuses("NumPy, objects", npy("|O", "(2,)", "12345678"), "elements of type 'O' are not read"),
           refuses("NumPy, three dimensions", npy("<f4", "(2, 2, 2)", packed_numbers<float>({1, 2, 3, 4, 5, 6, 7, 8})),
                   "its array is 2 x 2 x 2: save one of [samples], [leads, samples]"),
           reads("MATLAB, level 4", "read; `val` is the signal",
                 mat4("val", 1, 3, packed_numbers<std::int16_t>({1, -2, 3})), Samples{1, -2, 3}),
           reads("MATLAB, -v6", "read; the only array is the signal", mat5({mat5_array("x", 1, 3, {1, 2.5, -3})}),
                 Samples{1, 2.5f, -3}),
           reads("MATLAB, -v7, compressed", "read; a number Fs is the rate",
                 mat5({mat5_packed(mat5_array("ecg", 1, 3, {1, 2.5, -3})), mat5_packed(mat5_array("Fs", 1, 1, {500}))}),
                 Samples{1, 2.5f, -3}),
           refuses("MATLAB, several arrays", mat5({mat5_array("a", 1, 2, {1, 2}), mat5_array("b", 1, 2, {1, 2})}),
                   "which array is the ECG? It has 'a' (1 x 2), 'b' (1 x 2); choose one: --set ingest.variable=NAME"),
           reads("MATLAB, several arrays, with ingest.variable", "read",
                 mat5({mat5_array("a", 1, 2, {1, 2}), mat5_array("b", 1, 2, {3, 5})}), Samples{3, 5}, "",
                 Settings{"ingest.variable=b"}),
           refuses("MATLAB, cut off", mat5({mat5_array("x", 1, 3, {1, 2, 3})}).substr(0, 150), "is cut off"),
           refuses("MATLAB 7.3", "MATLAB 7.3 MAT-file, Platform", "is an HDF5 file (MATLAB 7.3), which is not read"),
           {"MATLAB, signal file of a WFDB record", "read as the record: its header specifies rate, unit and leads",
            "ArrayFiles.AMatFileWithAHeaderIsARecord"}}};
}

InputSection column_file_classes() {
  return {
      "Parquet and Arrow",
      {{"Parquet, a column for each lead", "read; units and rate come from metadata, names or times",
        "ColumnFiles.LeadsUnitsAndRateAreRead"},
       {"Parquet, a table of pandas with an index of dates", "read; the index specifies rate, start and missing rows",
        "ColumnFiles.AnIndexOfPandasReportsTimeAndMissingRows"},
       {"Arrow (Feather)", "read", "ColumnFiles.AFeatherFileIsRead"},
       {"Parquet, a time that goes back", "status 3, names the row", "ColumnFiles.ATimeThatGoesBackIsRefused"},
       {"Parquet, a value beyond float32's range", "status 3, names column and row",
        "ColumnFiles.AValueBeyondFloat32IsRefused"},
       {"Parquet or Arrow, cut off or damaged", "status 3, if Arrow detects it", "ColumnFiles.DamageIsRefused"}}};
}

}  // namespace beatscan
