#include "app/report/stored/stored_findings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr const char* kEpisodeHeader =
    "start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality\n";

TEST(StoredEpisodes, AreReadAsTheyAreWritten) {
  TemporaryFolder folder;
  EXPECT_FALSE(read_episodes(folder.path() / "episodes.csv", 100)) << "the rhythm was not judged";
  const auto path = folder.write("episodes.csv", std::string(kEpisodeHeader) +
                                                     "1.5,3,150,300,VT,5,160.5,0.9,good\n"
                                                     "10,20,1000,2000,NOISE,0,,1,noisy\n");
  const auto episodes = read_episodes(path, 100);
  ASSERT_TRUE(episodes && episodes->size() == 2);
  EXPECT_EQ((*episodes)[0].from, 1.5);
  EXPECT_EQ((*episodes)[0].to, 3);
  EXPECT_EQ((*episodes)[0].label, "VT");
  EXPECT_EQ((*episodes)[0].beats, 5);
  EXPECT_EQ((*episodes)[0].rate_bpm, 160.5);
  EXPECT_EQ((*episodes)[1].quality, "noisy");
  EXPECT_TRUE(std::isnan((*episodes)[1].rate_bpm));
  EXPECT_EQ(read_episodes(folder.write("episodes.csv", kEpisodeHeader), 100)->size(), 0u);
}

TEST(StoredEpisodes, DamagedLinesAreNamed) {
  TemporaryFolder folder;
  const auto read = [&](const std::string& line) {
    read_episodes(folder.write("episodes.csv", kEpisodeHeader + line), 100);
  };
  for (const char* line :
       {"x,3,0,0,VT,5,1,1,good\n", "3,1,0,0,VT,5,1,1,good\n", "1,1000,0,0,VT,5,1,1,good\n", "1,2,0,0,,5,1,1,good\n",
        "1,2,0,0,VT,-5,1,1,good\n", "1,2,0,0,VT,5,fast,1,good\n", "1,2,0,0,AVERYLONGLABELINDEED,5,1,1,good\n", "1,2\n"})
    expect_error(ErrorKind::input, "episodes.csv:2: ", [&] { read(line); });
}

TEST(StoredTemplates, OlderFilesHaveFewerColumns) {
  TemporaryFolder folder;
  const std::string header = "template,beat_class,beats,share,rate_bpm,first_s,last_s";
  EXPECT_TRUE(read_templates(folder.path() / "templates.csv", 10).empty());
  const auto older = read_templates(folder.write("templates.csv", header + "\n0,N,9,0.9,70.5,1,2\n"), 10);
  ASSERT_EQ(older.size(), 1u);
  EXPECT_EQ(older[0].beats, 9);
  EXPECT_EQ(older[0].typical, -1);
  const auto path = folder.write("templates.csv", header +
                                                      ",most_typical_beat,most_atypical_beat,spread,width_ms\n"
                                                      "0,V,9,0.9,,1,2,4,7,0.25,81.5\n");
  const auto templates = read_templates(path, 10);
  EXPECT_EQ(templates[0].beat_class, 'V');
  EXPECT_EQ(templates[0].typical, 4);
  EXPECT_EQ(templates[0].most_atypical, 7);
  EXPECT_EQ(templates[0].spread, 0.25);
  EXPECT_EQ(templates[0].width_ms, 81.5);
  EXPECT_TRUE(std::isnan(older[0].width_ms));
  EXPECT_EQ(templates[0].paced, Chamber::none);
  const std::string with_pacing = header + ",paced\n0,N,9,0.9,,1,2,\n1,Q,9,0.9,,1,2,ventricles\n2,N,9,0.9,,1,2,atria\n";
  const auto paced = read_templates(folder.write("paced.csv", with_pacing), 30);
  EXPECT_EQ(paced[0].paced, Chamber::none);
  EXPECT_EQ(paced[1].paced, Chamber::ventricles);
  EXPECT_EQ(paced[2].paced, Chamber::atria);
  expect_error(ErrorKind::input, "odd.csv:2: 'heart' is neither atria nor ventricles",
               [&] { read_templates(folder.write("odd.csv", header + ",paced\n0,N,9,0.9,,1,2,heart\n"), 10); });
  expect_error(ErrorKind::input, "templates.csv:2: '7' is out of range", [&] { read_templates(path, 7); });
  expect_error(ErrorKind::input, "templates.csv:2: 'X' is not one of",
               [&] { read_templates(folder.write("templates.csv", header + "\n0,X,9,0.9,,1,2\n"), 10); });
}

}  // namespace
}  // namespace beatscan
