// tests/support/ishne_files.h — ISHNE files, built byte by byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace beatscan {

inline constexpr int kIshneII = 6, kIshneV1 = 11;  // lead codes

struct IshneFile {
  std::string magic = "ISHNE1.0";
  std::vector<int> codes = {kIshneII, kIshneV1};
  std::vector<int> resolutions_nv = {5000, 2500};
  std::vector<int> samples = {1, 2, 3, 4, 5, 6};  // interleaved leads
  int rate_hz = 200;
  std::string text = "";
  int checksum = 0;                       // 0: none
  std::vector<int> date = {}, time = {};  // day, month, year; hour, minute, second
  std::optional<int> leads = {};          // number of samples in the header, if it differs
  std::optional<int> count = {}, begin = {}, text_size = {};
};

inline void put_number(std::string& bytes, std::size_t at, std::size_t size, int value) {
  for (std::size_t i = 0; i < size; ++i)
    bytes[at + i] = static_cast<char>(static_cast<unsigned>(value) >> 8 * i & 0xff);
}

inline std::string bytes_of(const IshneFile& file) {
  std::string bytes(522, '\0');
  bytes.replace(0, 8, file.magic);
  const auto leads = static_cast<int>(file.codes.size()), text = static_cast<int>(file.text.size());
  put_number(bytes, 8, 2, file.checksum);
  put_number(bytes, 10, 4, file.text_size.value_or(text));
  put_number(bytes, 14, 4, file.count.value_or(leads > 0 ? static_cast<int>(file.samples.size()) / leads : 0));
  put_number(bytes, 18, 4, 522);
  put_number(bytes, 22, 4, file.begin.value_or(522 + text));
  put_number(bytes, 26, 2, 1);
  bytes.replace(28, 6, "M\xfcller");
  for (std::size_t i = 0; i < file.date.size(); ++i) put_number(bytes, 138 + 2 * i, 2, file.date[i]);
  for (std::size_t i = 0; i < file.time.size(); ++i) put_number(bytes, 150 + 2 * i, 2, file.time[i]);
  put_number(bytes, 156, 2, file.leads.value_or(leads));
  for (std::size_t i = 0; i < 12; ++i) {
    put_number(bytes, 158 + 2 * i, 2, i < file.codes.size() ? file.codes[i] : -9);
    put_number(bytes, 182 + 2 * i, 2, -9);
    put_number(bytes, 206 + 2 * i, 2, i < file.resolutions_nv.size() ? file.resolutions_nv[i] : -9);
  }
  put_number(bytes, 272, 2, file.rate_hz);
  bytes += file.text;
  for (const int sample : file.samples) {
    bytes.append(2, '\0');
    put_number(bytes, bytes.size() - 2, 2, sample);
  }
  return bytes;
}

}  // namespace beatscan
