// Files, pipes, packed files; line ends and encodings.
#include "tests/input_classes.h"

namespace beatscan {

using namespace std::string_literals;

InputSection file_classes() {
  const std::string files = "InputClasses.Files", programs = "InputPrograms.";
  return {
      "Files",
      {{"missing", "status 3, names it", "InputFiles.WhatIsNoFileIsRefused"},
       {"directory", "status 3, names it", "InputFiles.WhatIsNoFileIsRefused"},
       {"no permission", "status 3, names it", "InputFaults.WithoutPermission"},
       {"empty", "status 3", files, text(""), {}, Status::input, "x.csv: is empty"},
       {"header only", "status 4", files, text("mV\n"), {}, Status::unanalysable, "no sample has a value"},
       {"a zip archive as CSV", "status 3, says what it is", files, text("PK\x03\x04junk"), {}, Status::input, "zip"},
       {"a Parquet file as CSV", "status 3, says what it is", files, text("PAR1junk"), {}, Status::input, "Parquet"},
       {"an EDF file named .csv", "read as EDF: what a file is, its first bytes tell", "EdfFiles.MayBeNamedAsCsv"},
       {"gz or zst that is cut off", "status 3", "InputFiles.CutOffAnywhereIsRefused"},
       {"gz whose check sum or length is wrong", "status 3", "InputFiles.ADamagedByteIsRefused"},
       {"gz of several members", "they are one text", "InputFiles.CompressedTextIsTheText"},
       {"a gz bomb", "status 6: a temporary file takes at most nine tenths of the free space",
        "InputFiles.ABombIsStopped"},
       {"a pipe, FIFO or standard input", "read to its end into a temporary file first",
        "InputFiles.APipeIsReadToItsEnd"},
       {"a FIFO whose writer dies", "what came is read; a warning where it ends within a line",
        "InputFaults.AWriterThatDies"},
       {"/dev/zero", "status 3 at once: a device", "InputFiles.WhatIsNoFileIsRefused"},
       {"a file that grows while it is read", "status 3, names it", "InputFaults.AFileThatGrows"},
       {"a file that is cut while it is read", "status 3, names it", "InputFaults.AFileThatIsCut"},
       {"a file that is written to while it is read", "status 3, names it", "InputFaults.AFileThatIsWrittenTo"},
       {"a file that is replaced while it is read", "status 3, names it", "InputFaults.AFileThatIsReplaced"},
       {"a segment of a WFDB record that changes", "status 3, names it", "InputFaults.ASegmentOfARecordThatChanges"},
       {"a file that is removed while it is read", "read: it is there until it is closed",
        "InputFaults.AFileThatIsRemoved"},
       {"names with line ends, blanks, bytes that are not UTF-8, a leading dash",
        "analysed like any other; messages are one line", programs + "OddNames"},
       {"a German locale", "the same bytes: a point is a point", programs + "AGermanLocale"}}};
}

InputSection line_classes() {
  const std::string lines = "InputClasses.Lines";
  const std::string rows(4097, '1');
  return {
      "Lines and encodings",
      {{"no final line end", "read", lines, text("mV\n1\n2"), {}, Status::ok, "", {1, 2}},
       {"several final line ends",
        "blank lines at the end are no rows",
        lines,
        text("mV\n1\n2\n\n\n"),
        {},
        Status::ok,
        "",
        {1, 2}},
       {"blank lines between", "missing values", lines, text("mV\n1\n\n\n4\n"), {}, Status::ok, "", {1, 2, 3, 4}, 2},
       {"CR LF", "read", lines, text("mV\r\n1\r\n2\r\n"), {}, Status::ok, "", {1, 2}},
       {"CR LF and LF mixed", "read", lines, text("mV\r\n1\n2\r\n3\n"), {}, Status::ok, "", {1, 2, 3}},
       {"CR alone",
        "status 3, says so",
        lines,
        text("mV\r1\r2\r"),
        {},
        Status::input,
        "line 1: byte 2: a CR that no LF follows; convert the line ends to LF"},
       {"CR alone behind the header",
        "status 3 with line",
        lines,
        text("mV\n1\r2\r3\n"),
        {},
        Status::input,
        "x.csv:2: byte 3: '1?2?3' is not a number"},
       {"UTF-8 byte order mark", "passed over", lines, text("\xef\xbb\xbfmV\n1\n2\n"), {}, Status::ok, "", {1, 2}},
       {"UTF-16, little end first",
        "status 3, says so",
        lines,
        text("\xff\xfem\0V\0\n\0"s),
        {},
        Status::input,
        "UTF-16"},
       {"UTF-16, big end first", "status 3, says so", lines, text("\xfe\xff\0m\0V\0\n"s), {}, Status::input, "UTF-16"},
       {"UTF-16 without a mark", "status 3: no text", lines, text("m\0V\0\n\0"s), {}, Status::input, "byte 1 is NUL"},
       {"NUL bytes at the start",
        "status 3: no text",
        lines,
        text("mV\n1\n\0\0\n"s),
        {},
        Status::input,
        "byte 5 is NUL"},
       {"NUL bytes further on",
        "status 3 with line",
        lines,
        [] {
          std::string bytes = "mV\n";
          for (int i = 0; i < 3000; ++i) bytes += "1\n";
          return bytes + "\0\0\0\n"s;
        },
        {},
        Status::input,
        "x.csv:3002: byte 6003: '\?\?\?' is not a number"},
       {"Latin-1 in another column",
        "read: other columns may hold anything",
        lines,
        text("note,mV\n\xe4\xf6,1\n\xfc,2\n"),
        {"ingest.column=mV"},
        Status::ok,
        "",
        {1, 2}}}};
}

}  // namespace beatscan
