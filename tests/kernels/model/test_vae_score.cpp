// Tests the fused scores and decoding errors against an independent PyTorch model in float64, tests/reference/vae.py.
#include <cmath>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/vae_reference.h"

namespace beatscan {
namespace {

template <class Context>
class VaeScore : public VaeStep<Context> {
 protected:
  struct Scores {
    std::vector<float> error, kl, latents;
  };
  Scores score(const std::vector<float>& rows, const std::vector<std::int32_t>& indices = {},
               const std::vector<float>& eps = {}) {
    auto& context = this->context();
    const std::int64_t beats = indices.empty() ? std::ssize(rows) / vae::kPoints : std::ssize(indices);
    const auto device_rows = from_host(context, rows), device_eps = from_host(context, eps);
    const auto device_indices = from_host(context, indices);
    const auto device_parameters = from_host(context, this->parameters);
    Buffer<float, Context> error(context, beats), kl(context, beats), latents(context, beats * vae::kLatents);
    vae_score(context, {device_rows, device_indices, device_eps}, device_parameters, {error, kl, latents});
    return {to_host(context, error), to_host(context, kl), to_host(context, latents)};
  }
};
TYPED_TEST_SUITE(VaeScore, Backends, BackendNames);

TYPED_TEST(VaeScore, AgreesWithTheReference) {
  const auto found = this->score(this->rows);
  const auto error = stored<double>("error_at_mean"), kl = stored<double>("kl"), mu = stored<double>("mu");
  EXPECT_LT(relative_error(found.error.data(), error.data(), 37), 1e-5);
  EXPECT_LT(relative_error(found.kl.data(), kl.data(), 37), 1e-5);
  EXPECT_LT(relative_error(found.latents.data(), mu.data(), 74), 1e-5);
}

// The loss with noise is the one that training computes: another kernel gives the same sum.
TYPED_TEST(VaeScore, WithNoiseSumsToTheLossOfTheBatch) {
  for (const int n : {1, 37, 500}) {
    SCOPED_TRACE(n);
    const auto indices = this->many_indices(n);
    const auto eps = this->many_eps(n);
    const auto found = this->score(this->rows, indices, eps);
    double loss = 0;
    for (int i = 0; i < n; ++i) loss += found.error[i] + kKlWeight * found.kl[i];
    EXPECT_NEAR(loss / this->gradient(indices, eps).loss, 1, 1e-5);
    const auto quiet = this->score(this->rows, indices);
    EXPECT_EQ(found.latents, quiet.latents);
    EXPECT_NE(found.error, quiet.error);
  }
}

TYPED_TEST(VaeScore, RefusesBadShapes) {
  EXPECT_THROW_KIND(this->score(this->rows, {0, 1}, {0.5f, 0.5f, 0.5f}), ErrorKind::internal);
  this->parameters.pop_back();
  EXPECT_THROW_KIND(this->score(this->rows), ErrorKind::internal);
}

// A row's scores do not depend on the rows around it.
TYPED_TEST(VaeScore, TakesAnyNumberOfRows) {
  const auto all = this->score(this->rows);
  for (const int n : {0, 1, 7, 8, 9, 15, 16, 17, 1023, 5000}) {
    SCOPED_TRACE(n);
    std::vector<float> rows;
    for (int i = 0; i < n; ++i) rows.insert(rows.end(), &this->rows[i % 37 * 256], &this->rows[i % 37 * 256] + 256);
    const auto found = this->score(rows);
    ASSERT_EQ(std::ssize(found.latents), 2 * n);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(found.error[i], all.error[i % 37]) << i;
      EXPECT_EQ(found.kl[i], all.kl[i % 37]) << i;
      EXPECT_EQ(found.latents[2 * i + 1], all.latents[i % 37 * 2 + 1]) << i;
    }
  }
}

// The mean squared difference from what latents decode to is the error that the fused pass computes.
TEST(VaeDecode, GivesRowsWithTheErrorsOfTheDecodedRows) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.3f);
  std::vector<float> parameters(vae::kParameters);
  for (float& value : parameters) value = normal(random);
  for (const int n : {0, 1, 15, 16, 17, 33}) {
    SCOPED_TRACE(n);
    std::vector<float> latents(n * vae::kLatents), rows(n * vae::kPoints), decoded(n * vae::kPoints), errors(n);
    for (auto* values : {&latents, &rows})
      for (float& value : *values) value = normal(random);
    vae_decode(latents, parameters, decoded);
    Cpu cpu(1);
    vae_decoded_error(cpu, rows, latents, parameters, errors);
    for (int i = 0; i < n; ++i) {
      double error = 0;
      for (int t = 0; t < vae::kPoints; ++t)
        error += std::pow(double{decoded[i * vae::kPoints + t]} - rows[i * vae::kPoints + t], 2) / vae::kPoints;
      EXPECT_NEAR(errors[i] / error, 1, 1e-5) << i;
    }
  }
  // The memory of a call before, even of a broken model, changes nothing.
  const std::vector<float> latents(vae::kLatents, 0.5f), broken(vae::kParameters, std::nanf(""));
  std::vector<float> rows(vae::kPoints), again(vae::kPoints);
  vae_decode(latents, parameters, rows);
  vae_decode(latents, broken, again);
  vae_decode(latents, parameters, again);
  EXPECT_EQ(again, rows);
  EXPECT_THROW_KIND(vae_decode(std::vector<float>(3), parameters, rows), ErrorKind::internal);
  EXPECT_THROW_KIND(vae_decode(std::vector<float>(4), parameters, rows), ErrorKind::internal);
  parameters.pop_back();
  EXPECT_THROW_KIND(vae_decode(std::vector<float>(2), parameters, rows), ErrorKind::internal);
}

// --- errors of what given latents decode to ---

template <class Context>
class VaeDecodedError : public VaeScore<Context> {
 protected:
  std::vector<float> decoded_error(const std::vector<float>& rows, const std::vector<float>& latents) {
    return decoded_error(rows, latents, std::ssize(rows) / vae::kPoints);
  }
  std::vector<float> decoded_error(const std::vector<float>& rows, const std::vector<float>& latents,
                                   std::int64_t beats) {
    auto& context = this->context();
    auto error = from_host(context, std::vector<float>(beats, NAN));  // everything has to be written
    vae_decoded_error(context, from_host(context, rows), from_host(context, latents),
                      from_host(context, this->parameters), error);
    return to_host(context, error);
  }
  // These are the latents from which the reference's `decoded` comes.
  static std::vector<float> noisy_latents() {
    const auto mu = stored<double>("mu"), logvar = stored<double>("logvar");
    const auto eps = stored<float>("eps");
    std::vector<float> z;
    for (std::size_t i = 0; i < mu.size(); ++i)
      z.push_back(static_cast<float>(mu[i] + eps[i] * std::exp(logvar[i] / 2)));
    return z;
  }
};
TYPED_TEST_SUITE(VaeDecodedError, Backends, BackendNames);

// The tolerance covers the difference between float32 and float64.
TYPED_TEST(VaeDecodedError, AgreesWithTheReference) {
  const auto mu = stored<double>("mu"), at_mean = stored<double>("error_at_mean"), decoded = stored<double>("decoded");
  const auto found = this->decoded_error(this->rows, {mu.begin(), mu.end()});
  EXPECT_LT(relative_error(found.data(), at_mean.data(), 37), 1e-5);
  std::vector<double> expected(37);
  for (int i = 0; i < 37 * vae::kPoints; ++i)
    expected[i / vae::kPoints] += std::pow(this->rows[i] - decoded[i], 2) / vae::kPoints;
  const auto noisy = this->decoded_error(this->rows, this->noisy_latents());
  EXPECT_LT(relative_error(noisy.data(), expected.data(), 37), 1e-5);
}

// Every point is exact to 1e-5 of the row's size. Errors are squares of that.
TYPED_TEST(VaeDecodedError, OfTheDecodingItselfIsNothing) {
  const auto decoded = stored<double>("decoded");
  const auto found = this->decoded_error({decoded.begin(), decoded.end()}, this->noisy_latents());
  for (int i = 0; i < 37; ++i) {
    double size = 0;
    for (int t = 0; t < vae::kPoints; ++t) size += std::pow(decoded[i * vae::kPoints + t], 2) / vae::kPoints;
    EXPECT_LT(found[i], 1e-10 * size) << i;
  }
}

// Two kernels compute the same sums. A compiler may fuse their multiplications and additions in different ways.
TYPED_TEST(VaeDecodedError, IsTheScoresErrorAtItsOwnLatents) {
  const auto scores = this->score(this->rows);
  const auto found = this->decoded_error(this->rows, scores.latents);
  for (int i = 0; i < 37; ++i) EXPECT_NEAR(found[i] / scores.error[i], 1, 1e-5) << i;
}

// A Cuda block has 8 warps, and a CPU thread takes groups of 16 rows, 64 rows at least. A row's scores do not depend on
// the rows around it.
TYPED_TEST(VaeDecodedError, TakesAnyNumberOfRows) {
  const auto latents = this->noisy_latents();
  const auto all = this->decoded_error(this->rows, latents);
  for (const int n : {0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1023, 5000}) {
    SCOPED_TRACE(n);
    std::vector<float> rows, z;
    for (int i = 0; i < n; ++i) {
      rows.insert(rows.end(), &this->rows[i % 37 * 256], &this->rows[i % 37 * 256] + 256);
      z.insert(z.end(), {latents[i % 37 * 2], latents[i % 37 * 2 + 1]});
    }
    const auto found = this->decoded_error(rows, z);
    ASSERT_EQ(std::ssize(found), n);
    for (int i = 0; i < n; ++i) ASSERT_EQ(found[i], all[i % 37]) << i;
  }
}

TYPED_TEST(VaeDecodedError, RefusesBadShapes) {
  const std::vector<float> latents(74, 0.0f);
  EXPECT_THROW_KIND(this->decoded_error(this->rows, {latents.begin(), latents.end() - 1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->decoded_error({this->rows.begin(), this->rows.end() - 1}, latents, 37), ErrorKind::internal);
  EXPECT_THROW_KIND(this->decoded_error(this->rows, latents, 36), ErrorKind::internal);
  this->parameters.pop_back();
  EXPECT_THROW_KIND(this->decoded_error(this->rows, latents), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
