// Reads the annotations of EDF+ files, for themselves and as reference beats.
#include "stages/io/edf/edf_events.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/evaluation/truth.h"
#include "stages/io/recording/input_file.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class EdfEvents : public testing::Test {
 protected:
  // Returns a file with these lists of annotations in its records.
  std::filesystem::path file(const std::vector<std::string>& lists, const std::string& kind = "EDF+C") {
    std::vector<int> data;
    for (std::string list : lists) {
      for (int i = 0; i < 4; ++i) data.push_back(i);
      list.resize(60);
      for (std::size_t i = 0; i < list.size(); i += 2)
        data.push_back(static_cast<std::int16_t>(static_cast<unsigned char>(list[i]) |
                                                 static_cast<unsigned char>(list[i + 1]) << 8));
    }
    return folder_.write(
        "x.edf",
        bytes_of(
            {{{}, {.label = "EDF Annotations", .unit = "", .physical_min = "-1", .physical_max = "1", .samples = 30}},
             kind},
            data));
  }
  static std::string start(const std::string& time) { return "+" + time + "\x14\x14" + std::string(1, '\0'); }
  static std::string event(const std::string& times, const std::string& texts) {
    return "+" + times + "\x14" + texts + "\x14" + std::string(1, '\0');
  }
  TemporaryFolder folder_;
};

TEST_F(EdfEvents, TextsTheirTimesAndDurations) {
  const auto events = edf_events(InputFile(file({start("0.5") + event("0.75", "N") +
                                                     event("1\x15"
                                                           "2.5",
                                                           "Lights off\x14Noise"),
                                                 start("1.5") + event("1.75", "Schl\xc3\xa4gt")})));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].text, "N");
  EXPECT_DOUBLE_EQ(events[0].time_s, 0.25);
  EXPECT_EQ(events[1].text, "Lights off");
  EXPECT_DOUBLE_EQ(events[1].duration_s, 2.5);
  EXPECT_EQ(events[2].text, "Noise");
  EXPECT_DOUBLE_EQ(events[2].time_s, 0.5);
  EXPECT_EQ(events[3].text, "Schlägt");
}

TEST_F(EdfEvents, DamageIsPassedOver) {
  EXPECT_TRUE(edf_events(InputFile(file({"+x\x14"
                                         "a\x14",
                                         "no list at all"})))
                  .empty());
  EXPECT_TRUE(edf_events(InputFile(file({start("0") + event("0.1", "N")}, ""))).empty()) << "plain EDF has none";
}

TEST_F(EdfEvents, AreReferenceBeats) {
  const auto path = file({start("0") + event("0.25", "N") + event("0.5", "V"),
                          start("1") + event("1.5", "Movement") + event("1.75", "A")});
  const auto beats = read_truth(path, {.sample_rate_hz = 4});
  ASSERT_EQ(beats.size(), 3u);
  EXPECT_EQ(beats[0].sample, 1);
  EXPECT_EQ(beats[1].symbol, 'V');
  EXPECT_EQ(beats[2].sample, 7);
  EXPECT_EQ(beats[2].symbol, 'A');
}

}  // namespace
}  // namespace beatscan
