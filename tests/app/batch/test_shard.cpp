#include "app/batch/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "app/batch/recording_list.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

TEST(Shard, IsReadAndChecked) {
  const Shard shard = shard_of("2/8", {}, true).shard;
  EXPECT_EQ(shard.index, 2);
  EXPECT_EQ(shard.count, 8);
  EXPECT_TRUE(shard_of("", {}, true).shard.whole());
  EXPECT_TRUE(shard_of("0/1", {}, true).shard.whole());
  const auto refused = [](const std::string& part, const std::string& value) {
    expect_error(ErrorKind::usage, part, [&] { shard_of(value, {}, true); });
  };
  refused("--shard '4/4' is out of range: shards count from 0, so the last is 3/4", "4/4");
  refused("--shard '-1/4' is out of range", "-1/4");
  for (const char* count : {"0/0", "0/-1", "0/1000001"}) refused("the number of shards must be from 1 to", count);
  for (const char* other : {"1", "a/4", "1/b", "1/", "/4", "1/4/2", "1 / 4", "AUTO", "1.0/4"})
    refused("give I/N, as in 0/4, or auto", other);
}

std::vector<ListedRecording> recordings(int count) {
  std::vector<ListedRecording> all;
  for (int i = 0; i < count; ++i) all.push_back({.input = std::to_string(i), .name = std::to_string(i)});
  return all;
}

TEST(Shard, EachRecordingIsOfOneShard) {
  for (const int count : {0, 1, 7, 100})
    for (const std::int64_t shards : {1, 2, 3, 7, 200}) {
      SCOPED_TRACE(testing::Message() << count << " recordings, " << shards << " shards");
      const auto all = recordings(count);
      std::vector<std::size_t> seen;
      for (std::int64_t i = 0; i < shards; ++i) {
        const auto members = members_of({i, shards}, all);
        EXPECT_TRUE(std::ranges::is_sorted(members));
        EXPECT_LE(std::ssize(members), (count + shards - 1) / shards) << "shares are even";
        seen.insert(seen.end(), members.begin(), members.end());
      }
      std::ranges::sort(seen);
      EXPECT_EQ(std::ssize(seen), count);
      EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
    }
}

TEST(Shard, HasTheSameRecordingsInAnyOrder) {
  auto all = recordings(50);
  const auto names = [&] {
    std::set<std::string> names;
    for (const auto i : members_of({1, 4}, all)) names.insert(all[i].name);
    return names;
  };
  const auto expected = names();
  std::mt19937 random(3);
  for (int i = 0; i < 5; ++i) {
    std::ranges::shuffle(all, random);
    EXPECT_EQ(names(), expected);
  }
}

}  // namespace
}  // namespace beatscan
