// tests/support/wfdb_records.h — reads WFDB records on every back end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/read_npy.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

// The folder of the records that tests/reference/wfdb_records.py made.
inline const std::filesystem::path kWfdbRecords =
    std::filesystem::path(source_folder()) / "tests/reference/expected/wfdb";

template <class Context>
class WfdbRecords : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::filesystem::path& path, const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    return read_recording(this->context(), resolve_input(path, options), options);
  }

  // Compares every lead bit for bit. A missing sample must be in a gap.
  void expect_as_wfdb(const std::string& name, std::size_t leads) {
    for (std::size_t lead = 0; lead < leads; ++lead) {
      SCOPED_TRACE(name + ", lead " + std::to_string(lead));
      const auto expected = read_npy<float>(kWfdbRecords / (name + "_" + std::to_string(lead) + ".npy")).values;
      const auto recording = read(kWfdbRecords / name, std::to_string(lead));
      const auto samples = to_host(this->context(), recording.leads.front().samples);
      ASSERT_EQ(samples.size(), expected.size());
      std::vector<bool> missing(samples.size());
      const auto firsts = to_host(this->context(), recording.leads.front().gap_firsts);
      const auto lasts = to_host(this->context(), recording.leads.front().gap_lasts);
      for (std::size_t gap = 0; gap < firsts.size(); ++gap)
        std::fill(missing.begin() + firsts[gap], missing.begin() + lasts[gap] + 1, true);
      for (std::size_t i = 0; i < samples.size(); ++i) {
        ASSERT_EQ(missing[i], std::isnan(expected[i])) << i;
        ASSERT_TRUE(missing[i] || samples[i] == expected[i]) << i;
      }
      EXPECT_EQ(recording.leads.front().missing,
                std::ranges::count_if(expected, [](float value) { return std::isnan(value); }));
    }
  }

  // Writes a record "x" in its own folder.
  std::filesystem::path record(const std::string& header, const std::string& data = std::string(1000, '\1')) {
    folder_.write("x.dat", data);
    return folder_.write("x.hea", header);
  }
  void expect_refused(const std::string& part, const std::filesystem::path& path, const std::string& lead = "") {
    expect_error(ErrorKind::input, part, [&] { read(path, lead); });
  }
  TemporaryFolder folder_;
};

}  // namespace beatscan
