// Headers of ISHNE files that cannot be true: each is refused with the file, the byte and what to do.
#include "stages/io/ishne/ishne_header.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/support/expect_error.h"
#include "tests/support/ishne_files.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr int kMost = std::numeric_limits<std::int32_t>::max(), kLeast = std::numeric_limits<std::int32_t>::min();

class IshneHeaders : public testing::Test {
 protected:
  void expect_bytes_refused(const std::string& part, const std::string& bytes, const std::string& name = "x.ecg",
                            const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    expect_error(ErrorKind::input, part, [&] { look_at(resolve_input(folder_.write(name, bytes), options), options); });
  }
  void expect_refused(const std::string& part, const IshneFile& file, const std::string& lead = "") {
    expect_bytes_refused(part, bytes_of(file), "x.ecg", lead);
  }
  TemporaryFolder folder_;
};

TEST_F(IshneHeaders, NamesOfLeads) {
  EXPECT_EQ(ishne_lead_name(0), "unknown");
  EXPECT_EQ(ishne_lead_name(5), "I");
  EXPECT_EQ(ishne_lead_name(10), "aVF");
  EXPECT_EQ(ishne_lead_name(16), "V6");
  EXPECT_EQ(ishne_lead_name(19), "AI");
  EXPECT_EQ(ishne_lead_name(-9), "absent");
  for (const int code : {-1, 20, 32767, -32768}) EXPECT_EQ(ishne_lead_name(code), "code " + std::to_string(code));
}

TEST_F(IshneHeaders, OfAnotherKindOfFile) {
  const std::string annotations = "x.ann: is an ISHNE annotation file, which lists beats and holds no samples";
  expect_bytes_refused(annotations, bytes_of({.magic = "ANN  1.0"}), "x.ann");
  expect_bytes_refused(annotations, bytes_of(IshneFile{}), "x.ann");
  expect_bytes_refused("x.ecg: is an ISHNE annotation file", bytes_of({.magic = "ANN  1.0"}));
  const std::string other = "x.ecg: is named .ecg and does not begin with 'ISHNE1.0'";
  expect_bytes_refused(other, bytes_of({.magic = "ISHNE2.0"}));
  expect_bytes_refused(other, std::string("\x12\x04\x00\x04", 4));  // annotations of WFDB
}

TEST_F(IshneHeaders, AnnotationsAreRecognisedByNameInAnyCaseAndPacked) {
  for (const char* name : {"x.ANN", "x.ann.gz"})
    expect_bytes_refused("is an ISHNE annotation file", bytes_of(IshneFile{}), name);
}

TEST_F(IshneHeaders, AStrayByteAfterWholeSamplesIsNoCutOffFile) {
  IshneFile file;
  for (const int count : {3, 6}) {  // the samples of each lead, and those of both together
    file.count = count;
    const auto path = folder_.write("stray.ecg", bytes_of(file) + "x");
    EXPECT_TRUE(look_at(resolve_input(path, {}), {}).warnings.empty()) << count;
  }
}

TEST_F(IshneHeaders, ABlockOfTextThatNoRecorderWritesIsRefusedBeforeItIsRead) {
  expect_refused("x.ecg: byte 10: a block of text of 16777217 bytes is longer than the 16777216 bytes that are read",
                 IshneFile{.text = std::string((1 << 24) + 1, 'x'), .checksum = 1});
}

TEST_F(IshneHeaders, TheLeadThatIsReadByDefaultHasAResolution) {
  const auto path = folder_.write("x.ecg", bytes_of({.resolutions_nv = {0, 2500}}));
  EXPECT_EQ(look_at(resolve_input(path, {}), {}).name, "V1");
}

TEST_F(IshneHeaders, OfAFileThatIsCutOff) {
  const std::string bytes = bytes_of({.text = "text"});
  for (std::size_t size = 1; size < 522; size += size < 10 ? 1 : 51)
    expect_bytes_refused("x.ecg: is cut off: it has " + std::to_string(size) + " byte", bytes.substr(0, size));
  for (std::size_t size = 522; size < 526; ++size)
    expect_bytes_refused("x.ecg: byte 10: a block of text of 4 bytes does not fit", bytes.substr(0, size));
  for (std::size_t size = 526; size < 530; ++size)
    expect_bytes_refused("x.ecg: byte 526: the file ends before the first sample of 2 leads", bytes.substr(0, size));
  for (std::size_t size = 531; size < 538; ++size) {
    if (size == 534) continue;  // whole samples: a warning (test_ishne_file.cpp)
    expect_bytes_refused("x.ecg: byte 14: is cut off: the header states 3 samples, and the file ends within number",
                         bytes.substr(0, size));
  }
}

TEST_F(IshneHeaders, BlocksBeyondTheFile) {
  for (const int size : {-1, kLeast, 13, kMost}) {
    const std::string words = "x.ecg: byte 10: a block of text of " + std::to_string(size) + " bytes does not fit into";
    expect_refused(words, IshneFile{.text_size = size});
  }
  for (const int byte : {-1, kLeast, 0, 512, 521, 535, kMost})
    expect_refused("x.ecg: byte 22: the header puts the first sample at byte " + std::to_string(byte) +
                       ", outside of 522 (end of the header) to 534 (end of the file)",
                   IshneFile{.begin = byte});
  expect_refused("x.ecg: byte 22: the header puts the first sample at byte 522, outside of 526",
                 IshneFile{.text = "text", .begin = 522});
  expect_refused("x.ecg: byte 534: the file ends before the first sample", IshneFile{.begin = 534});
}

TEST_F(IshneHeaders, Counts) {
  for (const int leads : {0, -1, 13, 32767, -32768})
    expect_refused("x.ecg: byte 156: " + std::to_string(leads) + " leads; an ISHNE file has 1 to 12", {.leads = leads});
  for (const int count : {-1, -9, kLeast})
    expect_refused("x.ecg: byte 14: " + std::to_string(count) + " samples; the header is damaged", {.count = count});
  expect_refused("x.ecg: byte 522: the file ends before the first sample of 2 leads", {.samples = {}});
}

TEST_F(IshneHeaders, LeadsThatCannotBeRead) {
  for (const int resolution : {0, -9, -32768})
    expect_refused("x.ecg: byte 208: the resolution of lead 'V1' is " + std::to_string(resolution) +
                       " nV, so its samples have no unit; choose another lead",
                   {.resolutions_nv = {5000, resolution}}, "V1");
  expect_refused("x.ecg: no lead 'V2'; the leads are 'II', 'V1'; did you mean 'V1'?", IshneFile{}, "V2");
  expect_refused("x.ecg: no lead at position 2: there are 2", IshneFile{}, "2");
  expect_refused("x.ecg: there are several leads 'unknown'; choose one by position", {.codes = {0, 0}}, "unknown");
}

// Whatever the header's bytes are, the file is refused, or no more is read of it than it holds.
TEST_F(IshneHeaders, AnyBytes) {
  std::mt19937_64 random(1);
  const std::string bytes = bytes_of({.text = "text"});
  for (int i = 0; i < 300; ++i) {
    std::string changed = bytes;
    for (auto changes = 1 + random() % 8; changes > 0; --changes)
      changed[random() % (random() % 2 ? 27 : changed.size())] = static_cast<char>(random());
    const auto path = folder_.write("x.ecg", changed);
    try {
      const auto header = read_ishne_header(InputFile(path));
      EXPECT_GE(header.samples, 1);
      EXPECT_LE(header.samples_byte + 2 * header.samples * std::ssize(header.leads), std::ssize(changed)) << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }
}

}  // namespace
}  // namespace beatscan
