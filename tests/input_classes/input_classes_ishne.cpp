// ISHNE Holter files.
#include "tests/input_classes/input_classes.h"

#include <utility>

#include "tests/support/ishne_files.h"

namespace beatscan {
namespace {

constexpr const char* kIshne = "InputClasses.Ishne";

InputClass read(std::string name, std::string behaviour, IshneFile file, std::vector<float> samples,
                std::string warning = "", std::int64_t missing = 0) {
  return {std::move(name),    std::move(behaviour), kIshne, text(bytes_of(file)), {}, ExitStatus::ok,
          std::move(warning), std::move(samples),   missing};
}

InputClass refused(std::string name, std::string bytes, std::string words) {
  std::string behaviour = "status 3: “" + words + "”";
  return {std::move(name),   std::move(behaviour), kIshne, text(std::move(bytes)), {},
          ExitStatus::input, std::move(words)};
}

}  // namespace

InputSection ishne_classes() {
  const std::vector<float> samples = {0.005f, 0.015f, 0.025f};  // the samples of lead II
  const std::string whole = bytes_of(IshneFile{});
  return {
      "ISHNE Holter files",
      {read("an ISHNE file, whatever its name", "read", {}, samples),
       read("a count of samples of all leads together", "read: the file's size confirms it", {.count = 6}, samples),
       read("no count of samples", "computed from the file's size; a warning", {.count = 0}, samples,
            "byte 14: the header states 0 samples of each lead, and the file holds 3: all of these are read"),
       read("a count below the file's content", "the whole file is read; a warning", {.count = 2}, samples,
            "byte 14: the header states 2 samples"),
       read("a count above the file's content", "the existing samples are read; a warning", {.count = 86'400'000},
            samples,
            "byte 14: the header states 86400000 samples of each lead, and the file holds 3: all of these are read; "
            "the "
            "file may be cut off"),
       refused("cut off within a sample time", whole.substr(0, whole.size() - 1),
               "byte 14: is cut off: the header states 3 samples, and the file ends within number 3 of each lead"),
       refused("cut off within the header", whole.substr(0, 100),
               "is cut off: it has 100 bytes, and an ISHNE header 522"),
       read("no checksum (0)", "read", {.checksum = 0}, samples),
       read("a wrong checksum", "read; a warning", {.checksum = 1}, samples,
            "byte 8: the header's checksum is 0x0001 and its bytes give 0x"),
       read("a rate of 0", "undetermined: `--rate` is needed", {.rate_hz = 0}, samples),
       read("names and text that are not ASCII", "passed over",
            {.text = "\xfc"
                     "ber"},
            samples),
       read("a sample of -32768, the mark of a lead fault", "missing", {.samples = {1, 0, -32768, 2, 5, 0}}, samples,
            "", 1),
       read("a lead that is flat or faulty throughout, and another one", "omitted, with a warning",
            {.samples = {1, -32768, 3, -32768, 5, -32768}}, samples,
            "lead 'V1' has no sample with a value; it is left out"),
       read("lead X before II", "both are read: the first is 0.001 mV",
            {.codes = {2, kIshneII}, .resolutions_nv = {1000, 1000}, .samples = {1, 5, 2, 6, 3, 7}},
            {0.001f, 0.002f, 0.003f}),
       read("only leads X, Y, Z", "all are read: the first is 0.001 mV",
            {.codes = {2, 3, 4}, .resolutions_nv = {1000, 7, 7}, .samples = {1, 2, 3, 2, 5, 6}}, {0.001f, 0.002f}),
       read("a lead that is absent (-9) or has no resolution", "not chosen unless requested",
            {.codes = {-9, 0, kIshneII}, .resolutions_nv = {1, -9, 5000}, .samples = {0, 0, 1, 0, 0, 3, 0, 0, 5}},
            samples),
       refused("a chosen lead without resolution", bytes_of({.resolutions_nv = {0, 0}}),
               "byte 206: the resolution of lead 'II' is 0 nV, so its samples have no unit; choose another lead"),
       refused("no leads", bytes_of({.leads = 0}), "byte 156: 0 leads; an ISHNE file has 1 to 12"),
       refused("more than 12 leads", bytes_of({.leads = 13}), "byte 156: 13 leads; an ISHNE file has 1 to 12"),
       refused("a negative count of samples", bytes_of({.count = -9}), "byte 14: -9 samples; the header is damaged"),
       refused("a block of text beyond the file", bytes_of({.text_size = 2'000'000'000}),
               "byte 10: a block of text of 2000000000 bytes does not fit into a file of 534 bytes"),
       refused("samples that begin beyond the file", bytes_of({.begin = 2'000'000'000}),
               "byte 22: the header puts the first sample at byte 2000000000, outside of 522"),
       refused("samples that begin within the header", bytes_of({.begin = 512}),
               "byte 22: the header puts the first sample at byte 512, outside of 522"),
       refused("no samples", bytes_of({.samples = {}}), "byte 522: the file ends before the first sample of 2 leads"),
       refused("an ISHNE annotation file", bytes_of({.magic = "ANN  1.0"}),
               "is an ISHNE annotation file, which lists beats and holds no samples; give the recording's .ecg file"),
       {"a file named .ecg, neither ISHNE nor text", "status 3, says so", "IshneHeaders.OfAnotherKindOfFile"},
       {"text named .ecg", "read as CSV", "IshneFiles.TextNamedEcgIsStillCsv"},
       {"any bytes in the header", "refused, or at most the file's content is read", "IshneHeaders.AnyBytes"}}};
}

}  // namespace beatscan
