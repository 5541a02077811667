// stages/io/ishne/ishne_header.h — the header of an ISHNE Holter file: where its samples are, and of which leads.
//
//   byte 0     8 characters "ISHNE1.0", then the header's CRC-CCITT (2 bytes)
//   byte 10    fixed block of 512 bytes, then a block of text of any length
//   then      the samples: int16, little-endian, the leads interleaved
//
// Sources:
// - F. Badilini, The ISHNE Holter Standard Output File Format, Ann Noninvasive Electrocardiol 3(3), 263-266, 1998
// - what programs that read such files found in practice: EDFbrowser, ECG Toolkit, ishneholterlib, ECGDataKit
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/recording/start_time.h"

namespace beatscan {

class InputFile;

inline constexpr std::int64_t kIshneHeaderBytes = 522;  // before the block of text
inline constexpr std::string_view kIshneMagic = "ISHNE1.0", kIshneAnnotationMagic = "ANN  1.0";

struct IshneLead {
  std::string name;                  // "II"; "unknown", "absent" or "code 27" where the header names no lead
  bool is_absent = false;            // the header calls the lead absent (code -9), but the file holds its samples
  std::int64_t resolution_nv = 0;    // one step of a sample in nV; a file may claim 0 or less
  std::int64_t resolution_byte = 0;  // its place in the file
};

struct IshneHeader {
  std::vector<IshneLead> leads;                // [L] 1 to 12, in the order in which they are interleaved
  std::int64_t samples_byte = 0;               // the first sample begins here
  std::int64_t samples = 0;                    // N of each lead, all of them in the file
  std::optional<std::int64_t> sample_rate_hz;  // nothing if the header has none above 0
  std::optional<StartTime> start;              // nothing if the header has no time of day
  std::vector<std::string> warnings;           // inconsistencies of the header, one line each
};

// Returns the ending of a file's name in small letters, without that of a packed file: ".ecg".
std::string ishne_extension(const std::filesystem::path& name);

// Names a lead code of the standard's table 1.
std::string ishne_lead_name(int code);

// Reads and checks the header. It decides what the count of samples means, which the standard leaves open:
// - It is the number of samples of each lead, or of all leads together, if the file's size confirms either.
// - Otherwise the file's size decides, and a warning says so: some recorders write 0 or a fixed maximum.
// A checksum that does not fit is a warning, too; a checksum of 0 was not computed.
// Throws ErrorKind::input, with the byte, for
// - an annotation file, or another version of the format
// - blocks that overlap or lie outside of the file, a number of leads other than 1 to 12
// - a file that holds fewer samples than the count and ends between the samples of two leads: it is cut off
IshneHeader read_ishne_header(const InputFile& file);

}  // namespace beatscan
