// Tests which GPUs are chosen, with some that are too old for the build.
#include "app/batch/devices.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "app/common/log.h"
#include "app/config/config.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr const char* kOld = "its compute capability is 7.0, and this build is for 9.0 and later";

CudaAvailability old_first() { return {.built = true, .devices = 2, .why_not = {kOld, "", ""}}; }
CudaAvailability all_old() { return {.built = true, .devices = 0, .reason = kOld, .why_not = {kOld, kOld}}; }

Config config_of(DeviceChoice device, std::vector<int> gpus = {}) {
  Config config;
  config.device = device;
  config.gpus = std::move(gpus);
  return config;
}

std::vector<int> numbers(const CudaAvailability& cuda, const Config& config, const std::vector<int>& left = {},
                         int verbosity = -1) {
  std::vector<int> chosen;
  for (const Gpu& gpu : gpus_among(cuda, config, left, Log(verbosity, LogFormat::text))) chosen.push_back(gpu.number);
  return chosen;
}

TEST(Gpus, TooOldOnesAreLeftOutWhichIsSaid) {
  for (const DeviceChoice device : {DeviceChoice::automatic, DeviceChoice::cuda}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(numbers(old_first(), config_of(device), {}, 1), (std::vector{1, 2}));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(std::string("cuda:0 is left out: ") + kOld), std::string::npos) << said;
    EXPECT_EQ(said.find("cuda:1"), std::string::npos) << said;
  }
}

TEST(Gpus, AreKnownByTheUsersNumbers) {
  const auto gpus = gpus_among(old_first(), config_of(DeviceChoice::automatic), {4, 5, 6}, Log(-1, LogFormat::text));
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].device, 1);
  EXPECT_EQ(gpus[0].number, 5);
}

TEST(Gpus, ATooOldOneThatIsNamedIsAnError) {
  EXPECT_EQ(numbers(old_first(), config_of(DeviceChoice::cuda, {1})), std::vector{1});
  try {
    numbers(old_first(), config_of(DeviceChoice::cuda, {1, 0}));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_EQ(std::string(error.what()), std::string("cuda:0: ") + kOld);
  }
}

TEST(Gpus, WhereAllAreTooOldTheCpuWorksOrNothingDoes) {
  EXPECT_EQ(numbers(all_old(), config_of(DeviceChoice::automatic)), std::vector<int>());
  EXPECT_THROW(numbers(all_old(), config_of(DeviceChoice::cuda)), Error);
}

TEST(Gpus, OneThatIsNotThereIsAnError) {
  EXPECT_THROW(numbers(old_first(), config_of(DeviceChoice::cuda, {3})), Error);
  EXPECT_THROW(numbers(old_first(), config_of(DeviceChoice::cuda, {1, 2, 3, 4}), {1, 2, 3, 4}), Error);
}

// Expects that a function sets a missing environment variable, and keeps an existing one.
void expect_a_default(const char* name, void (*set)(), const char* value) {
  const char* before = std::getenv(name);
  const std::optional<std::string> of_the_user = before ? std::optional<std::string>(before) : std::nullopt;
  unsetenv(name);
  set();
  EXPECT_STREQ(std::getenv(name), value);
  setenv(name, "OTHER", 1);
  set();
  EXPECT_STREQ(std::getenv(name), "OTHER");
  of_the_user ? setenv(name, of_the_user->c_str(), 1) : unsetenv(name);
}

TEST(Gpus, CudaStartsAsTheProgramNeedsItUnlessTheUserSaysOtherwise) {
  expect_a_default("CUDA_MODULE_LOADING", load_kernels_at_start, "EAGER");
  expect_a_default("CUDA_DEVICE_MAX_CONNECTIONS", use_one_channel, "1");
}

TEST(Gpus, OfOneModelAreThoseOfWhichTheDriverSaysSo) {
  const TemporaryFolder folder;
  const auto add = [&](const char* gpu, const char* model) {
    std::filesystem::create_directory(folder.path() / gpu);
    folder.write(std::string(gpu) + "/information", std::string("Model: \t\t ") + model + "\nIRQ:   \t\t 17\n");
  };
  EXPECT_TRUE(of_one_model(folder.path()));
  EXPECT_TRUE(of_one_model(folder.path() / "not_there"));
  add("0000:01:00.0", "NVIDIA H200");
  add("0000:02:00.0", "NVIDIA H200");
  EXPECT_TRUE(of_one_model(folder.path()));
  add("0000:03:00.0", "Tesla V100");
  EXPECT_FALSE(of_one_model(folder.path()));
}

}  // namespace
}  // namespace beatscan
