// Writes models and reads them back, and tests which files are refused.
#include "app/output/model_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// A minimal topology: one convolution each way, 2 latents, rows of 64 points.
SavedModel small_model() {
  SavedModel model;
  model.config.vae.channels = {2};
  model.config.rows.points = 64;
  model.config.seed = 42;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(model.parameters.size()) + 0.1f * i;
    model.parameters.push_back({name, std::move(shape), std::move(values)});
  };
  add("conv0.weight", {2, 1, 3}, 6);
  add("conv0.bias", {2}, 2);
  add("convA.weight", {2, 2, 3}, 12);
  add("convA.bias", {2}, 2);
  add("convB.weight", {2, 2, 3}, 12);
  add("convB.bias", {2}, 2);
  add("restore.weight", {32, 2}, 64);
  add("restore.bias", {32}, 32);
  add("conv1.weight", {1, 1, 3}, 3);
  add("conv1.bias", {1}, 1);
  add("sigma.alpha", {1}, 1);
  return model;
}

class ModelFile : public testing::Test {
 protected:
  SavedModel read(const std::string& bytes) { return read_model(folder_.write("m.safetensors", bytes)); }
  void expect_refused(const std::string& part, const std::string& bytes) {
    SCOPED_TRACE(part);
    expect_error(ErrorKind::input, part, [&] { read(bytes); });
  }
  // Returns the model's bytes with a part of the header replaced by one of the same length.
  static std::string changed(const std::string& from, const std::string& to) {
    std::string bytes = model_safetensors(small_model());
    const auto at = bytes.find(from);
    EXPECT_NE(at, bytes.npos) << from;
    EXPECT_EQ(from.size(), to.size());
    return bytes.replace(at, to.size(), to);
  }
  TemporaryFolder folder_;
};

TEST_F(ModelFile, KeepsTheSpreadOfTheDominantBeats) {
  SavedModel model = small_model();
  EXPECT_FALSE(read(model_safetensors(model)).training_spread) << "a file of an older version has none";
  TrainingSpread spread;
  for (int i = 1; i < TrainingSpread::kBins; ++i) spread.error.push_back(0.1 * i);
  spread.latents = {spread.error, spread.error};
  model.training_spread = spread;
  const SavedModel back = read(model_safetensors(model));
  ASSERT_TRUE(back.training_spread);
  EXPECT_EQ(back.training_spread->error, spread.error);
  EXPECT_EQ(back.training_spread->latents, spread.latents);
  for (const auto& latents :
       {std::vector<std::vector<double>>{spread.error}, {spread.error, {1, 2}}, {spread.error, {}}}) {
    model.training_spread->latents = latents;
    expect_refused("dominant_beats is not as it was written", model_safetensors(model));
  }
  model.training_spread = spread;
  std::swap(model.training_spread->error[0], model.training_spread->error[1]);
  expect_refused("dominant_beats is not as it was written", model_safetensors(model));
}

TEST_F(ModelFile, ReadsBackAsItWasWritten) {
  const auto model = small_model(), found = read(model_safetensors(model));
  EXPECT_EQ(to_json(found.config), to_json(model.config));
  ASSERT_EQ(found.parameters.size(), model.parameters.size());
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    EXPECT_EQ(found.parameters[i].name, model.parameters[i].name);
    EXPECT_EQ(found.parameters[i].shape, model.parameters[i].shape);
    EXPECT_EQ(found.parameters[i].values, model.parameters[i].values);
  }
}

TEST_F(ModelFile, CutOffAnywhereIsRefused) {
  const std::string bytes = model_safetensors(small_model());
  for (std::size_t size = 0; size < bytes.size(); size += size < 16 ? 1 : 97) {
    SCOPED_TRACE(size);
    expect_error(ErrorKind::input, "m.safetensors: ", [&] { read(bytes.substr(0, size)); });
  }
  expect_error(ErrorKind::input, "cut off or damaged", [&] { read(bytes.substr(0, bytes.size() - 1)); });
}

TEST_F(ModelFile, DamagedHeadersAreRefused) {
  expect_refused("not a complete safetensors file", std::string(8, '\xff'));
  expect_refused("its header is not JSON", std::string("\2\0\0\0\0\0\0\0{]", 10));
  expect_refused("its header is not JSON", std::string("\x0b\0\0\0\0\0\0\0{\"a\":1e999}", 19));
  expect_refused("its header is not JSON", std::string("\x0d\0\0\0\0\0\0\0{\"a\":1,\"a\":1}", 21));
  expect_refused("holds no model of beatscan", std::string("\2\0\0\0\0\0\0\0{}", 10));
  expect_refused("holds no model of beatscan", changed("beatscan-vae-2", "somebody-elses"));
  expect_refused("in the form 'beatscan-vae-1'", changed("beatscan-vae-2", "beatscan-vae-1"));
  expect_refused("is not of type F32", changed("\"F32\"", "\"F16\""));
  expect_refused("conv0.weight' does not lie within the file", changed("[2,1,3]", "[2,1,4]"));
  expect_refused("conv0.weight' has an invalid shape", changed("[2,1,3]", "[2,-13]"));
  expect_refused("unknown key 'sead'", changed("\\\"seed\\\"", "\\\"sead\\\""));
}

TEST_F(ModelFile, OtherTopologiesAreRefused) {
  SavedModel model = small_model();
  model.parameters.pop_back();
  expect_refused("parameter 'sigma.alpha' is missing", model_safetensors(model));
  model = small_model();
  model.parameters.back().name = "sigma.beta";
  expect_refused("parameter 'sigma.beta' is of another topology", model_safetensors(model));
  model = small_model();
  model.config.vae.latents = 3;
  expect_refused("parameter 'convA.weight' is [2,2,3], and the configuration's topology has [3,2,3]",
                 model_safetensors(model));
}

TEST_F(ModelFile, ValuesThatAreNotFiniteAreRefused) {
  SavedModel model = small_model();
  model.parameters[3].values[1] = NAN;
  expect_refused("tensor 'convA.bias' holds a value that is not finite", model_safetensors(model));
}

}  // namespace
}  // namespace beatscan
