#include "stages/io/csv/foreign_formats.h"

#include <algorithm>
#include <array>

#include "kernels/runtime/error.h"
#include "stages/common/letters.h"
#include "stages/common/one_line.h"

namespace beatscan {
namespace {

using namespace std::string_view_literals;

// Bytes at the start of a file, or further on.
struct Signature {
  std::string_view bytes, what;
  std::size_t at = 0;
};

constexpr std::string_view kExport = "; export it as CSV, EDF or WFDB";

constexpr std::array kWholeAdvice = {
    Signature{"\xd0\xcf\x11\xe0"sv, "an Excel workbook (.xls); save its sheet as CSV"},
    Signature{"PAR1"sv, "a Parquet file that is cut off; copy it again"},
    Signature{"ARROW1"sv, "a damaged Arrow file; copy it again"},
    Signature{"FEA1"sv, "an old Feather file; write it again by pyarrow.feather.write_feather"},
    Signature{"\xff\xfe"sv, "UTF-16 text; save it as UTF-8"},
    Signature{"\xfe\xff"sv, "UTF-16 text; save it as UTF-8"},
    Signature{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive; unpack it first"},
    Signature{"Rar!"sv, "a RAR archive; unpack it first"},
    Signature{"ustar"sv, "a tar archive; unpack it first", 257},
    Signature{"version https://git-lfs"sv, "a pointer of Git LFS and not the file; fetch the file by: git lfs pull"},
    Signature{"/annex/objects/"sv, "a pointer of git-annex and not the file; fetch the file by: git annex get"},
    Signature{"../.git/annex/"sv, "a pointer of git-annex and not the file; fetch the file by: git annex get"},
    Signature{"outs:\n"sv, "a pointer of DVC and not the file; fetch the file by: dvc pull"}};

// Recordings and documents that must be exported.
constexpr std::array kToExport = {Signature{"DICM"sv, "a DICOM file", 128},
                                  Signature{"SCPECG"sv, "an SCP-ECG file", 16},
                                  Signature{"Brain Vision"sv, "a header of BrainVision"},
                                  Signature{"BrainVision"sv, "a header of BrainVision"},
                                  Signature{"%PDF"sv, "a PDF document"},
                                  Signature{"\x89PNG"sv, "a picture (PNG)"},
                                  Signature{"\xff\xd8\xff"sv, "a picture (JPEG)"},
                                  Signature{"RIFF"sv, "a RIFF file, such as sound (.wav)"},
                                  Signature{"SQLite format 3"sv, "an SQLite database"},
                                  Signature{"RDX2\n"sv, "a file of R (.RData)"},
                                  Signature{"RDX3\n"sv, "a file of R (.RData)"},
                                  Signature{"\x80\x03"sv, "a Python pickle"},
                                  Signature{"\x80\x04"sv, "a Python pickle"},
                                  Signature{"\x80\x05"sv, "a Python pickle"}};

// The names of the root elements of ECG documents in XML.
constexpr std::array kRoots = {Signature{"annotatedecg"sv, "HL7 aECG"}, Signature{"restingecgdata"sv, "Philips"},
                               Signature{"restingecg"sv, "GE MUSE"}, Signature{"cardiologyxml"sv, "GE CardioSoft"},
                               Signature{"ecg"sv, "an ECG recorder"}};

bool has(std::string_view head, const Signature& signature) {
  return head.size() > signature.at && head.substr(signature.at).starts_with(signature.bytes);
}

// Describes the contents of a zip archive by the names in it.
std::string kind_of_zip(std::string_view head) {
  const auto has_name = [&](std::string_view name) { return head.find(name) != head.npos; };
  if (has_name("[Content_Types].xml") || has_name("xl/")) return "an Excel workbook (.xlsx); save its sheet as CSV";
  if (has_name("opendocument.spreadsheet")) return "a spreadsheet (.ods); save its sheet as CSV";
  if (has_name(".npy")) return "a NumPy archive (.npz); save its array alone by numpy.save, as .npy";
  return "a zip archive; unpack it first";
}

// Returns the name of the first element of markup, in small letters and without a prefix "hl7:".
std::string root_element(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    if (text.substr(at).starts_with("<!--")) at = text.find("-->", at);
    if (at == text.npos) break;
    const auto rest = text.substr(at + 1);
    const char next = rest.empty() ? '\0' : rest[0];
    if (next == '?' || next == '!' || next == '-') continue;
    std::string name = in_small_letters(rest.substr(0, rest.find_first_of(" \t\r\n/>")));
    return name.substr(name.find(':') == name.npos ? 0 : name.find(':') + 1);
  }
  return "";
}

// Returns whether a number follows a first line: any text may name a column.
bool is_name_of_numbers(std::string_view text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto next = text.find_first_not_of(" \t\r\n\"+-.", end);
  return next != text.npos && decimal::is_digit(text[next]);
}

// Describes markup and JSON; empty for any other text.
std::string kind_of_markup(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const auto begin = head.find_first_not_of(" \t\r\n");
  const std::string_view text = begin == head.npos ? std::string_view{} : head.substr(begin);
  if (text.starts_with("<") && !is_name_of_numbers(text)) {
    const std::string root = root_element(text);
    if (root == "html" || in_small_letters(text.substr(0, 14)) == "<!doctype html")
      return "a page of the web (HTML) and not the file; download the file itself";
    for (const auto& [name, maker, at] : kRoots)
      if (root.starts_with(name)) return "an XML document of " + std::string(maker) + std::string(kExport);
    return "an XML document" + (root.empty() ? "" : " ('" + in_one_line(root.substr(0, 40)) + "')") +
           std::string(kExport);
  }
  const auto after = text.empty() ? text.npos : text.find_first_not_of(" \t\r\n", 1);
  const char next = after == text.npos ? '\0' : text[after];
  const auto closes = std::min(text.find(']'), text.size());  // "[10:00:00.000 31/10/2021]" is a time, and no list
  const bool is_list = text.starts_with("[") && "[{\"-]0123456789"sv.find(next) != std::string_view::npos &&
                       (closes > text.find('\n') || closes + 1 >= text.find_last_not_of(" \t\r\n"));
  const bool is_object = text.starts_with("{") && (next == '"' || next == '}');
  if (next != '\0' && (is_object || is_list)) return "JSON and not a table; write its samples as CSV";
  return "";
}

}  // namespace

void refuse_foreign_format(const std::string& path, std::string_view head) {
  const auto refuse = [&](const std::string& what) { fail(ErrorKind::input, path, "this is " + what); };
  if (head.starts_with("PK\x03\x04"sv)) refuse(kind_of_zip(head));
  for (const Signature& signature : kWholeAdvice)
    if (has(head, signature)) refuse(std::string(signature.what));
  for (const Signature& signature : kToExport)
    if (has(head, signature)) refuse(std::string(signature.what) + std::string(kExport));
  if (const std::string markup = kind_of_markup(head); !markup.empty()) refuse(markup);
  if (head.find('\0') != head.npos)
    fail(ErrorKind::input, path,
         "byte " + std::to_string(head.find('\0')) + " is NUL: this is not a text file; save it as text, in UTF-8");
}

}  // namespace beatscan
