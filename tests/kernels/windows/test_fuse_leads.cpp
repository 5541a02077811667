// Tests how the distances of several leads become one.
#include "kernels/windows/log_scores.h"

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Flags = std::vector<std::uint8_t>;

struct LeadOfTest {
  Floats distances, noise;
  Flags heard;
  float factor = 1, share = 1;
};

template <class Context>
class FuseLeads : public OnBackend<Context> {
 protected:
  struct Fused {
    Floats fused;
    Flags most;
  };
  Fused fuse(const std::vector<LeadOfTest>& leads, std::int64_t beats) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> numbers;
    std::vector<Buffer<std::uint8_t, Context>> flags;
    numbers.reserve(2 * leads.size());
    flags.reserve(leads.size());
    std::vector<LeadDistances> views;
    for (const auto& lead : leads) {
      const auto& distances = numbers.emplace_back(from_host(context, lead.distances));
      const auto& noise = numbers.emplace_back(from_host(context, lead.noise));
      const auto& heard = flags.emplace_back(from_host(context, lead.heard));
      views.push_back({distances, noise, heard, lead.factor, lead.share});
    }
    Buffer<float, Context> fused(context, beats);
    Buffer<std::uint8_t, Context> most(context, beats);
    fuse_leads(context, views, fused, most);
    return {to_host(context, fused), to_host(context, most)};
  }
};
TYPED_TEST_SUITE(FuseLeads, Backends, BackendNames);

TYPED_TEST(FuseLeads, OfAHandWorkedCase) {
  const LeadOfTest first{.distances = {4, 4, 4, 4}},
      second{.distances = {2, 32, 2, 2}, .noise = {1, 2, 1, 1}, .heard = {1, 1, 0, 1}, .factor = 0.5f, .share = 3};
  const auto found = this->fuse({first, second}, 4);
  EXPECT_EQ(found.fused, (Floats{(4 + 3 * 1) / 4.0f, (4 + 3 * 8) / 4.0f, 4, (4 + 3 * 1) / 4.0f}));
  EXPECT_EQ(found.most, (Flags{0, 1, 0, 0}));
}

TYPED_TEST(FuseLeads, ABeatThatIsUnreadableEverywhereIsMeasuredInAllLeads) {
  const LeadOfTest first{.distances = {1, 1}, .heard = {0, 0}}, second{.distances = {3, 3}, .heard = {0, 1}};
  EXPECT_EQ(this->fuse({first, second}, 2).fused, (Floats{2, 3}));
}

TYPED_TEST(FuseLeads, OneLeadIsItself) {
  const Floats distances{0, 1.5f, 1e30f};
  EXPECT_EQ(this->fuse({{.distances = distances}}, 3).fused, distances);
  EXPECT_EQ(this->fuse({{.distances = distances}}, 3).most, (Flags{0, 0, 0}));
  EXPECT_TRUE(this->fuse({{}}, 0).fused.empty());
}

// A CPU thread takes 4,096 beats, a Cuda block 256.
TYPED_TEST(FuseLeads, MatchesItsDefinition) {
  for (const int leads : {1, 2, 12, 64})
    for (const int beats : {1, 255, 256, 257, 8193}) {
      SCOPED_TRACE(testing::Message() << leads << " leads, " << beats << " beats");
      std::mt19937 random(static_cast<unsigned>(leads * beats));
      std::vector<LeadOfTest> given(leads);
      for (auto& lead : given) {
        lead.factor = static_cast<float>(1 + random() % 3);
        lead.share = static_cast<float>(1 + random() % 4);
        for (int b = 0; b < beats; ++b) {
          lead.distances.push_back(static_cast<float>(random() % 100));
          lead.noise.push_back(static_cast<float>(1 << random() % 3));
          lead.heard.push_back(random() % 4 != 0);
        }
      }
      const auto found = this->fuse(given, beats);
      for (int b = 0; b < beats; ++b) {
        double sum = 0, shares = 0, all = 0, all_shares = 0;
        for (const auto& lead : given) {
          const double part = static_cast<double>(lead.share) * lead.factor * lead.distances[b] / lead.noise[b];
          all += part;
          all_shares += lead.share;
          if (lead.heard[b]) sum += part, shares += lead.share;
        }
        ASSERT_NEAR(found.fused[b], shares > 0 ? sum / shares : all / all_shares, 1e-4) << b;
      }
    }
}

TYPED_TEST(FuseLeads, BadShapesThrow) {
  EXPECT_THROW_KIND(this->fuse({}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->fuse({{.distances = {1, 2}}}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->fuse({{.distances = {1}, .noise = {1, 2}}}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->fuse({{.distances = {1}, .heard = {1, 0}}}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->fuse({{.distances = {1}, .share = 0}}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->fuse(std::vector<LeadOfTest>(65, {.distances = {1}}), 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
