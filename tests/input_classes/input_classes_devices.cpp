// Tables as recorders and other programs write them, and files that are something else.
#include <cmath>
#include <functional>
#include <utility>

#include "stages/common/number_text.h"
#include "tests/input_classes/input_classes.h"

namespace beatscan {
namespace {

using DeviceSettings = std::vector<std::string>;
using DeviceSamples = std::vector<float>;

constexpr int kRows = 120;

// Returns a value in whole numbers that looks like no index and no code.
int value_in(int row) { return 2048 + row * 37 % 200 - 100; }

DeviceSamples device_values(double scale = 1) {
  DeviceSamples values;
  for (int row = 0; row < kRows; ++row) values.push_back(static_cast<float>(value_in(row) * scale));
  return values;
}

// Returns a header and rows that `row` writes.
std::string table(std::string header, const std::function<std::string(int)>& row) {
  for (int i = 0; i < kRows; ++i) header += row(i) + "\n";
  return header;
}

std::string in_comma(double value, int decimals) {
  std::string text(40, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", decimals, value)));
  for (char& c : text)
    if (c == '.') c = ',';
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

InputClass of_device(std::string name, std::string behaviour, std::string bytes, DeviceSamples samples,
                     std::string warning = "", std::int64_t missing = 0, DeviceSettings settings = {}) {
  return {std::move(name),        std::move(behaviour), "InputClasses.Devices",
          text(std::move(bytes)), std::move(settings),  ExitStatus::ok,
          std::move(warning),     std::move(samples),   missing};
}

InputClass foreign(std::string name, std::string bytes, std::string words) {
  std::string behaviour = "status 3: “" + words + "”";
  return {std::move(name),   std::move(behaviour), "InputClasses.Devices", text(std::move(bytes)), {},
          ExitStatus::input, std::move(words)};
}

const std::string kApple =
    "Recorded Date,2026-08-26 18:15:35 +0100\nSample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n";

std::vector<InputClass> with_decimal_commas() {
  const auto tenths = [](int row) { return in_comma(value_in(row) / 10.0, 1); };
  return {
      of_device("an Apple Watch's ECG with decimal commas", "one column with unit, lead and rate",
                table(kApple, [](int row) { return in_comma(value_in(row) / 8.0, 3); }), device_values(0.125)),
      of_device("the same, all numbers of which have three decimals", "read", kApple + "-145,672\n-144,981\n143,25\n",
                {-145.672f, -144.981f, 143.25f}),
      of_device("the same, some numbers of which are whole", "read", kApple + "-1,5\n2\n-0,25\n7\n3,75\n0,5\n",
                {-1.5f, 2, -0.25f, 7, 3.75f, 0.5f}),
      of_device("decimal commas in one column with a name", "read", table("ECG\n", tenths), device_values(0.1)),
      of_device("decimal commas without a name", "read, if a digit shows it: here 0 behind the comma",
                "1,05\n-0,25\n2,75\n", {1.05f, -0.25f, 2.75f}),
      of_device(
          "decimal commas in quotes", "read",
          table("time,ecg\n", [&](int row) { return "\"" + in_comma(row * 0.004, 3) + "\",\"" + tenths(row) + "\""; }),
          device_values(0.1)),
      of_device("commas between columns, and decimal ones", "read, if all numbers have as many decimals",
                table("time,ecg\n", [&](int row) { return in_comma(row * 0.004, 3) + "," + tenths(row); }),
                device_values(0.1)),
      of_device("decimal commas between blanks", "read",
                table("", [&](int row) { return in_comma(row * 0.004, 3) + "   " + tenths(row); }), device_values(0.1),
                "", 0, {"ingest.leads=1"}),
      of_device("two columns of whole numbers", "no decimal commas", "sample,ecg\n0,12\n1,15\n2,11\n", {12, 15, 11}),
      foreign("two columns of whole numbers without a header", "10,12\n13,15\n12,11\n",
              "2 columns and no header; choose one by --lead 0, or several")};
}

std::vector<InputClass> between_blanks() {
  const auto three = [](int row) {
    return padded(std::to_string(row), 11) + padded(std::to_string(value_in(row)), 9) +
           padded(std::to_string(row % 7), 9);
  };
  const auto clock = [](int row) { return "0:00:00." + padded(std::to_string(row * 4), 3); };
  const auto timed = [&](int row) {
    std::string time = clock(row);
    for (char& c : time)
      if (c == ' ') c = '0';
    return time;
  };
  return {
      of_device("columns of a fixed width, as rdsamp's", "read", table("   sample #     MLII       V5\n", three),
                device_values()),
      of_device("the same with times and a row of units", "read",
                table("    Elapsed time       MLII\n   hh:mm:ss.mmm         (mV)\n",
                      [&](int row) { return "    " + timed(row) + padded(std::to_string(value_in(row)), 11); }),
                device_values()),
      of_device("the same with dates in brackets, and dashes", "a dash is a missing value",
                "            time and date     II\n[10:00:00.000 31/10/2021]      1\n[10:00:00.004 31/10/2021]      -\n"
                "[10:00:00.008 31/10/2021]      3\n",
                {1, 2, 3}, "", 1),
      of_device("a date and a time of day between blanks", "one time",
                "time ecg\n2021-10-31 10:00:00.000 1\n2021-10-31 10:00:00.004 5\n2021-10-31 10:00:00.008 3\n",
                {1, 5, 3}),
      of_device(
          "columns between blanks below a comment with names, as numpy.savetxt's", "read",
          table("# time(s) ECG(mV)\n",
                [](int row) { return padded(number_text(row * 0.004, 6), 9) + "  " + std::to_string(value_in(row)); }),
          device_values()),
      of_device(
          "an index without a name, as of pandas.DataFrame.to_string", "read",
          table("        ecg\n",
                [](int row) { return padded(std::to_string(row), 3) + padded(std::to_string(value_in(row)), 8); }),
          device_values()),
      of_device("row numbers without a name, as of R's write.table", "passed over",
                table("\"ecg\"\n",
                      [](int row) { return "\"" + std::to_string(row + 1) + "\" " + std::to_string(value_in(row)); }),
                device_values()),
      of_device("one column between blanks", "read",
                table("", [](int row) { return "   " + std::to_string(value_in(row)) + "  "; }), device_values()),
      foreign("columns between blanks without names", table("", three),
              "3 columns and no header; choose one by --lead 0"),
      of_device("the same, by position", "read", table("", three), device_values(), "", 0, {"ingest.column=1"})};
}

std::vector<InputClass> with_ends() {
  return {of_device("a separator at the end of the rows alone", "read",
                    table("time;ecg [uV]\n",
                          [](int row) { return std::to_string(row * 4) + ";" + std::to_string(value_in(row)) + ";"; }),
                    device_values(), "are taken for milliseconds"),
          of_device("several, and a blank and CR behind them", "read",
                    "time,ecg\r\n0.000,1,,, \r\n0.004,5,,, \r\n0.008,3\r\n", {1, 5, 3}),
          of_device("the same, with a missing last value", "missing", "a;ecg\n0;1;\n1;;\n2;3;\n", {1, 2, 3}, "", 1),
          of_device("a separator at the end of the header alone", "read", "time,ecg,\n0.000,1\n0.004,5\n", {1, 5}),
          of_device("a separator behind one column without a name", "read", "1.5;\n2.5;\n", {1.5f, 2.5f}),
          foreign("a value behind the last column", "a,b\n1,2,\n3,4,5\n",
                  "x.csv:2: byte 4: 3 cells where the first line has 2")};
}

std::vector<InputClass> with_first_values() {
  const auto two = [](int row) { return number_text(value_in(row) / 8.0, 8) + "," + std::to_string(row % 7) + ".5,"; };
  const std::string acq = "rec.acq\n4 msec/sample\n2 channels\nECG\nmV\nRESP\nVolts\n";
  return {
      of_device("AcqKnowledge: channels, and their numbers of samples",
                "ECG by its name; no sample is taken for a number", table(acq + "CH1,CH2,\n21600,21600,\n", two),
                device_values(0.125)),
      of_device("the same with times in minutes", "read",
                table(acq + "min,CH1,CH2,\n,21600,21600,\n",
                      [&](int row) {
                        std::string minutes = in_comma(row * 0.004 / 60, 8);
                        minutes[1] = '.';
                        return minutes + "," + two(row);
                      }),
                device_values(0.125)),
      of_device(
          "AcqKnowledge with decimal commas and tabs", "read",
          table("rec.acq\n2,777777 msec/sample\n1 channels\nECG\nmV\nsec\tCH1\t\n\t120\t\n",
                [](int row) { return in_comma(row / 360.0, 5) + "\t" + in_comma(value_in(row) / 8.0, 3) + "\t"; }),
          device_values(0.125)),
      of_device("a number of samples that is that of the rows", "left out",
                table("ECG\n120\n", [](int row) { return number_text(value_in(row) / 8.0, 8); }), device_values(0.125)),
      of_device("start and rate as the first values", "left out; they give start and rate",
                table("1544436041.000000\n250.000000\n", [](int row) { return number_text(value_in(row) / 8.0, 8); }),
                device_values(0.125)),
      of_device(
          "a first value far from the rest", "named in a warning",
          table("ECG\n9000\n", [](int row) { return std::to_string(value_in(row)); }),
          [] {
            auto values = device_values();
            values.insert(values.begin(), 9000);
            return values;
          }(),
          "1 sample is 9000 (sample 0), far outside of all others")};
}

std::vector<InputClass> with_status_columns() {
  const std::string units = "ms\tno units\tno units\tmV\t\n";
  const auto shimmer = [](int row) {
    return number_text(1.6e12 + 4 * row, 15) + "\t128\t" + std::to_string(row % 9) + "\t" +
           std::to_string(value_in(row)) + "\t";
  };
  return {
      of_device("a status, raw values and calibrated ones, with units", "those in a voltage are read",
                table("\"sep=\t\"\nS_1_Timestamp_Unix_CAL\tS_1_ECG_EMG_Status1_RAW\tS_1_ECG_LL-RA_24BIT_RAW\tS_1_ECG_"
                      "LL-RA_24BIT_CAL\t\n" +
                          units,
                      shimmer),
                device_values(), "column 'S_1_ECG_LL-RA_24BIT_RAW' is named like an ECG, too, and not read"),
      of_device("`ECG lead II (chest)` beside a quality", "read",
                table("ECG quality,ECG lead II (chest)\n",
                      [](int row) { return std::to_string(row % 9) + "," + std::to_string(value_in(row)); }),
                device_values()),
      of_device("`Nehb D`", "read", "x,Nehb D\n1,5\n2,3\n", {5, 3}),
      of_device("`Frank X`", "read", "x,Frank X\n1,5\n2,3\n", {5, 3}),
      of_device("`LA-RA`", "read", "x,LA-RA\n1,5\n2,3\n", {5, 3}),
      of_device("an ECG and a filtered one", "the other is named in a warning", "II,ECG_filtered\n1,5\n2,3\n", {1, 2},
                "column 'ECG_filtered' is named like an ECG, too, and not read; --set ingest.leads=NAME,NAME")};
}

std::vector<InputClass> of_several_rates() {
  const auto third = [](int row, const std::string& time) {
    return time + (row % 3 == 0 ? std::to_string(value_in(row / 3)) : "") + "," + std::to_string(row % 7) + "\n";
  };
  std::string periodic = "time,ecg,emg\n", without_times = "ecg,emg\n", merged = "time,ecg,emg\n";
  for (int row = 0; row < 3 * kRows; ++row) {
    periodic += third(row, number_text(row / 750.0, 8) + ",");
    without_times += third(row, "");
  }
  for (int k = 0, other = 0; k < kRows; ++k) {
    for (; other * 7 < k * 4; ++other)
      merged += number_text(other * 0.007, 8) + ",," + std::to_string(other % 5) + "\n";
    merged += number_text(k * 0.004, 8) + "," + std::to_string(value_in(k)) + ",\n";
  }
  return {of_device("a column with a value in each third row", "read with its own rate", periodic, device_values(),
                    "column 'ecg' has a value in 120 of 360 rows"),
          of_device("the same without times", "read; a given rate is that of the column", without_times,
                    device_values(), "a rate that is given is that of the column"),
          of_device("tables joined by their times", "read with its own times", merged, device_values(),
                    "these rows alone are read")};
}

std::vector<InputClass> of_other_formats() {
  return {foreign("an answer of a server", "{\"message\":\"Not Found\"}", "this is JSON and not a table"),
          foreign("a list in JSON", "[1, 2, 3]\n", "this is JSON and not a table"),
          foreign("a page of the web", "\n<!DOCTYPE HTML>\n<html lang=\"en\">\n", "this is a page of the web (HTML)"),
          foreign("a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12345\n",
                  "this is a pointer of Git LFS and not the file; fetch the file by: git lfs pull"),
          foreign("a pointer of git-annex", "/annex/objects/MD5E-s12--ab.csv\n", "this is a pointer of git-annex"),
          foreign("a pointer of DVC", "outs:\n- md5: ab\n", "this is a pointer of DVC"),
          foreign("GE MUSE", "<?xml version=\"1.0\"?>\n<!DOCTYPE RestingECG SYSTEM \"x.dtd\">\n<RestingECG>\n",
                  "this is an XML document of GE MUSE; export it as CSV, EDF or WFDB"),
          foreign("HL7 aECG", "<?xml version=\"1.0\"?>\n<!-- <x> -->\n<hl7:AnnotatedECG xmlns=\"urn\">\n",
                  "this is an XML document of HL7 aECG"),
          foreign("other XML", "<a b=\"c\"/>", "this is an XML document ('a')"),
          of_device("a name of a column that looks like XML", "read", "<b>ECG</b>\n1\n2\n", {1, 2}),
          foreign("a header of BrainVision", "Brain Vision Data Exchange Header File Version 1.0\n",
                  "this is a header of BrainVision; export it"),
          foreign("DICOM", std::string(128, '\0') + "DICM", "this is a DICOM file; export it"),
          foreign("SCP-ECG", std::string(16, '\1') + "SCPECG", "this is an SCP-ECG file; export it"),
          foreign("a tar archive", std::string(257, 'a') + "ustar", "this is a tar archive; unpack it first"),
          of_device("rows that begin with a bracket", "are times, and no JSON",
                    "[10:00:00.000 31/10/2021],1\n[10:00:00.004 31/10/2021],2\n", {1, 2}, "", 0, {"ingest.column=1"})};
}

}  // namespace

InputSection device_classes() {
  InputSection section{"Tables of recorders and other programs", {}};
  for (auto classes : {with_decimal_commas(), between_blanks(), with_ends(), with_first_values(), with_status_columns(),
                       of_several_rates(), of_other_formats()})
    for (auto& one : classes) section.classes.push_back(std::move(one));
  return section;
}

}  // namespace beatscan
