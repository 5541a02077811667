#include "stages/rhythm/episode.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(EpisodeLabels, HaveTheNamesOfTheirFile) {
  EXPECT_EQ(name_of(EpisodeLabel::atrial_fibrillation), "AFIB");
  EXPECT_EQ(name_of(EpisodeLabel::ventricular_flutter), "VFL");
  EXPECT_EQ(name_of(EpisodeLabel::gap), "GAP");
}

}  // namespace
}  // namespace beatscan
