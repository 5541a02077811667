#include <gtest/gtest.h>

#include <string>

#include "app/config/config.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

void expect_suggested(const std::string& part, const std::string& setting) {
  expect_error(ErrorKind::usage, part, [&] { load_config("", {setting}); });
}

TEST(Suggestion, AKeyWithoutItsSectionIsSuggestedWithIt) {
  expect_suggested("--set: unknown key 'epochs'; did you mean 'vae.epochs'?", "epochs=1");
  expect_suggested("--set: unknown key 'pause_s'; `beatscan config show` lists all", "pause_s=1");  // two have it
}

TEST(Suggestion, AMistypedSectionIsSuggestedToo) {
  expect_suggested("--set: unknown key 'embd.row_span'; did you mean 'embed.row_span_s'?", "embd.row_span=1");
  expect_suggested(
      "--set: unknown key 'embd.length'; the section 'embed' has 'embed.min_length_s', 'embed.min_length_samples', "
      "'embed.max_length_s', 'embed.max_length_samples'",
      "embd.length=1");
  expect_suggested("unknown key 'pol.what'; the section 'pool' has 'pool.kind', 'pool.limit_bytes'", "pol.what=1");
  expect_suggested("unknown key 'pool'; the section 'pool' has 'pool.kind', 'pool.limit_bytes'", "pool=1");
  expect_suggested("unknown key 'rythm.weight'; the section 'rhythm' has 'rhythm.prev_weight', 'rhythm.next_weight'",
                   "rythm.weight=1");
  expect_error(ErrorKind::usage, "x.json: unknown key 'embd'; the section 'embed' has 'embed.min_length_s',", [] {
    Config config;
    apply(config, Json::parse(R"({"embd": {"length": 1}})"), "x.json");
  });
  expect_suggested("unknown key 'qqqqq.length'; `beatscan config show` lists all", "qqqqq.length=1");
  expect_suggested("unknown key '.'; `beatscan config show` lists all", ".=1");
}

}  // namespace
}  // namespace beatscan
