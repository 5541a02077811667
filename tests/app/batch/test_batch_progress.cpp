#include "app/batch/batch.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

namespace beatscan {
namespace {

TEST(BatchFigures, AreReported) {
  EXPECT_EQ(batch_figures_text({.all = 1000, .made = 118, .kept = 0, .failed = 2, .elapsed_s = 8}),
            "120 of 1,000 recordings, 2 failed, 15 a second, 59 s left");
  EXPECT_EQ(batch_figures_text({.all = 10, .made = 0, .kept = 4, .failed = 0, .elapsed_s = 1}),
            "4 of 10 recordings, 4 kept, 0 failed")
      << "kept results do not count for the speed";
  EXPECT_EQ(batch_figures_text({.all = 5, .made = 1, .kept = 4, .failed = 0, .elapsed_s = 2}),
            "5 of 5 recordings, 4 kept, 0 failed, 0.5 a second");
  EXPECT_EQ(batch_figures_text({.all = 2469, .made = 2469, .kept = 0, .failed = 0, .elapsed_s = 2}),
            "2,469 of 2,469 recordings, 0 failed, 1,235 a second");
  EXPECT_LT((BatchFigures{.all = 5}.seconds_left()), 0);
}

// Counts from several threads, and returns the lines on stderr.
std::vector<std::string> lines_of(LogFormat format) {
  testing::internal::CaptureStderr();
  {
    Log log(1, format);
    BatchProgress progress(log, 400, std::chrono::milliseconds(20));
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) k % 10 == 0 ? progress.failed() : progress.made();
      });
    threads.clear();
    EXPECT_EQ(progress.figures().made, 180);
    EXPECT_EQ(progress.figures().failed, 20);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(BatchProgress, PrintsALineAtATime) {
  const auto lines = lines_of(LogFormat::text);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_TRUE(lines.back().starts_with("batch: 200 of 400 recordings, 20 failed, ")) << lines.back();
}

TEST(BatchProgress, HasItsFiguresInJson) {
  const auto lines = lines_of(LogFormat::json);
  ASSERT_GE(lines.size(), 2u);
  const auto line = nlohmann::json::parse(lines.back());
  EXPECT_EQ(line["level"], "progress");
  EXPECT_EQ(line["done"], 200);
  EXPECT_EQ(line["of"], 400);
  EXPECT_EQ(line["failed"], 20);
  EXPECT_GT(line["per_second"], 0);
  EXPECT_GT(line["seconds_left"], 0);
}

}  // namespace
}  // namespace beatscan
