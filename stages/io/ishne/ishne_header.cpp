#include "stages/io/ishne/ishne_header.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/letters.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::int64_t kMostIshneLeads = 12, kSampleBytes = 2;
constexpr int kAbsent = -9;                       // the code of an absent lead
constexpr std::int64_t kMostTextBytes = 1 << 24;  // the blocks of text of recorders have a few thousand

// Offsets of the header's fields, in bytes from the file's start.
constexpr std::int64_t kChecksum = 8, kTextSize = 10, kSampleCount = 14, kSamplesByte = 22, kDate = 138, kTime = 150,
                       kLeadCount = 156, kLeadCodes = 158, kResolutions = 206, kRate = 272;
constexpr std::int64_t kChecked = 10;  // the checksum is computed from this byte to the end of the block of text

[[noreturn]] void fail_at(const InputFile& file, std::int64_t byte, const std::string& what) {
  fail(ErrorKind::input, file.path().string() + ": byte " + std::to_string(byte), what);
}

// Throws for files that are no ISHNE recording. A file that is shorter than the mark passes, as one that is cut off.
void check_magic(const InputFile& file) {
  const std::string path = file.path().string();
  std::string magic(kIshneMagic.size(), '\0');
  magic.resize(static_cast<std::size_t>(file.read(0, magic)));
  // Some annotation files carry the mark of a recording, and only their name distinguishes them.
  if (magic == kIshneAnnotationMagic || (magic == kIshneMagic && ishne_extension(file.path()) == ".ann"))
    fail(ErrorKind::input, path,
         "is an ISHNE annotation file, which lists beats and holds no samples; give the recording's .ecg file");
  if (kIshneMagic.starts_with(magic)) return;
  fail(
      ErrorKind::input, path,
      "is named .ecg and does not begin with 'ISHNE1.0', as an ISHNE file does; of a WFDB record, where .ecg files are "
      "annotations, give the header (.hea); rename a file of another format");
}

// Holds the header's fixed part; fields are named by their byte in the file.
class Fields {
 public:
  explicit Fields(const InputFile& file) : bytes_(static_cast<std::size_t>(kIshneHeaderBytes), '\0') {
    check_magic(file);
    if (file.read(0, bytes_) < kIshneHeaderBytes)
      fail(ErrorKind::input, file.path().string(),
           "is cut off: it has " + counted(file.size(), "byte") + ", and an ISHNE header " +
               std::to_string(kIshneHeaderBytes) + "; copy the file again");
  }
  std::int16_t int16(std::int64_t byte) const { return static_cast<std::int16_t>(uint16(byte)); }
  std::uint16_t uint16(std::int64_t byte) const { return static_cast<std::uint16_t>(at(byte) | at(byte + 1) << 8); }
  std::int32_t int32(std::int64_t byte) const {
    return static_cast<std::int32_t>(uint16(byte) | static_cast<std::uint32_t>(uint16(byte + 2)) << 16);
  }

 private:
  unsigned at(std::int64_t byte) const { return static_cast<unsigned char>(bytes_[static_cast<std::size_t>(byte)]); }
  std::string bytes_;
};

// Returns the byte after the block of text.
std::int64_t text_end(const InputFile& file, const Fields& fields) {
  const std::int64_t size = fields.int32(kTextSize);
  if (size < 0 || size > file.size() - kIshneHeaderBytes)
    fail_at(file, kTextSize,
            "a block of text of " + counted(size, "byte") + " does not fit into a file of " +
                counted(file.size(), "byte") + "; the header is damaged or the file cut off: export it again");
  if (size > kMostTextBytes)
    fail_at(file, kTextSize,
            "a block of text of " + counted(size, "byte") + " is longer than the " + std::to_string(kMostTextBytes) +
                " bytes that are read; the header is damaged: export the recording again");
  return kIshneHeaderBytes + size;
}

std::int64_t samples_byte(const InputFile& file, const Fields& fields, std::int64_t earliest) {
  const std::int64_t byte = fields.int32(kSamplesByte);
  if (byte < earliest || byte > file.size())
    fail_at(file, kSamplesByte,
            "the header puts the first sample at byte " + std::to_string(byte) + ", outside of " +
                std::to_string(earliest) + " (end of the header) to " + std::to_string(file.size()) +
                " (end of the file); export the recording again");
  return byte;
}

std::int64_t lead_count(const InputFile& file, const Fields& fields) {
  const std::int64_t count = fields.int16(kLeadCount);
  if (count < 1 || count > kMostIshneLeads)
    fail_at(file, kLeadCount,
            counted(count, "lead") + "; an ISHNE file has 1 to 12: the header is damaged, export the recording again");
  return count;
}

IshneLead lead_at(const Fields& fields, std::int64_t position) {
  const int code = fields.int16(kLeadCodes + 2 * position);
  const std::int64_t resolution = kResolutions + 2 * position;
  return {ishne_lead_name(code), code == kAbsent, fields.int16(resolution), resolution};
}

// Computes the CRC-CCITT of the header from byte 10 to `end`: polynomial 0x1021, first value 0xffff.
std::uint16_t checksum_of(const InputFile& file, std::int64_t end) {
  std::uint32_t sum = 0xffff;
  std::vector<char> block(1 << 16);
  for (std::int64_t byte = kChecked; byte < end;) {
    const auto wanted = static_cast<std::size_t>(std::min(std::ssize(block), end - byte));
    const std::int64_t read = file.read(byte, std::span(block).first(wanted));
    if (read <= 0) file.throw_changed();
    for (const char c : std::span(block).first(static_cast<std::size_t>(read))) {
      sum ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8;
      for (int bit = 0; bit < 8; ++bit) sum = (sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1) & 0xffff;
    }
    byte += read;
  }
  return static_cast<std::uint16_t>(sum);
}

// Warns of a checksum that does not fit. Some recorders leave 0, and some store the two bytes the other way round.
void check_checksum(const InputFile& file, const Fields& fields, std::int64_t end, std::vector<std::string>& warnings) {
  const std::uint16_t stated = fields.uint16(kChecksum);
  if (stated == 0) return;
  const std::uint16_t found = checksum_of(file, end);
  if (stated == found || stated == static_cast<std::uint16_t>(found << 8 | found >> 8)) return;
  char text[120];
  std::snprintf(text, sizeof text,
                "byte 8: the header's checksum is 0x%04x and its bytes give 0x%04x: it may be damaged", stated, found);
  warnings.push_back(std::string(text) + "; check rate, leads and unit");
}

// Decides how many samples of each lead are read (see read_ishne_header).
std::int64_t sample_count(const InputFile& file, const Fields& fields, const IshneHeader& header,
                          std::vector<std::string>& warnings) {
  const std::int64_t stated = fields.int32(kSampleCount), leads = std::ssize(header.leads);
  const std::int64_t bytes = file.size() - header.samples_byte, time_bytes = kSampleBytes * leads;
  const std::int64_t held = bytes / time_bytes;
  if (stated < 0)
    fail_at(file, kSampleCount, counted(stated, "sample") + "; the header is damaged, export the recording again");
  if (held == 0)
    fail_at(file, header.samples_byte, "the file ends before the first sample of " + counted(leads, "lead"));
  const bool whole = bytes % time_bytes == 0;
  if (stated == held || stated == held * leads) return held;
  if (stated > held && !whole)
    fail_at(file, kSampleCount,
            "is cut off: the header states " + counted(stated, "sample") + ", and the file ends within number " +
                std::to_string(held + 1) + " of each lead; copy it again");
  warnings.push_back("byte 14: the header states " + counted(stated, "sample") + " of each lead, and the file holds " +
                     std::to_string(held) + ": all of these are read" +
                     (stated > held || !whole ? "; the file may be cut off" : ""));
  return held;
}

}  // namespace

std::string ishne_extension(const std::filesystem::path& name) {
  return in_small_letters(without_packing(name).extension().string());
}

std::string ishne_lead_name(int code) {
  static constexpr std::array kNames = {"unknown", "bipolar", "X",  "Y",  "Z",  "I",  "II", "III", "aVR", "aVL",
                                        "aVF",     "V1",      "V2", "V3", "V4", "V5", "V6", "ES",  "AS",  "AI"};
  if (code == kAbsent) return "absent";
  if (code < 0 || code >= static_cast<int>(kNames.size())) return "code " + std::to_string(code);
  return kNames[static_cast<std::size_t>(code)];
}

IshneHeader read_ishne_header(const InputFile& file) {
  const Fields fields(file);
  IshneHeader header;
  const std::int64_t end = text_end(file, fields);
  header.samples_byte = samples_byte(file, fields, end);
  const std::int64_t leads = lead_count(file, fields);
  header.leads.reserve(static_cast<std::size_t>(leads));
  for (std::int64_t i = 0; i < leads; ++i) header.leads.push_back(lead_at(fields, i));
  if (const std::int64_t rate = fields.int16(kRate); rate > 0) header.sample_rate_hz = rate;
  header.start = start_time({.hour = fields.int16(kTime),
                             .minute = fields.int16(kTime + 2),
                             .second = static_cast<double>(fields.int16(kTime + 4)),
                             .day = fields.int16(kDate),
                             .month = fields.int16(kDate + 2),
                             .year = fields.int16(kDate + 4)});
  check_checksum(file, fields, end, header.warnings);
  header.samples = sample_count(file, fields, header, header.warnings);
  return header;
}

}  // namespace beatscan
