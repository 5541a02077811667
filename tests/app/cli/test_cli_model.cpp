// The real program without a model: `--model none`.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class CliModel : public testing::Test {
 protected:
  CliModel() {
    std::ifstream file(source_folder() + "/data/mitdb_205.csv");
    std::string text, line;
    for (int i = 0; i < 120 * 360 && std::getline(file, line); ++i) text += line + "\n";
    input_ = folder_.write("two_minutes.csv", text).string();
  }

  ProgramResult run(const std::string& out, std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", input_, "--rate", "360", "--out", (folder_.path() / out).string(),
                                     "--no-report", "--device", "cpu"});
    return run_program(options);
  }
  nlohmann::json model_of(const std::string& out) const {
    return nlohmann::json::parse(contents_of((folder_.path() / out / "summary.json").string()))["model"];
  }
  // Returns the values of a column of beats.csv.
  std::vector<std::string> column(const std::string& out, const std::string& name) const {
    std::istringstream file(contents_of((folder_.path() / out / "beats.csv").string()));
    std::vector<std::string> values;
    std::size_t place = 0;
    for (std::string line; std::getline(file, line);) {
      std::istringstream row(line);
      std::vector<std::string> cells;
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      if (values.empty()) place = std::find(cells.begin(), cells.end(), name) - cells.begin();
      values.push_back(place < cells.size() ? cells[place] : "");
    }
    return values;
  }

  TemporaryFolder folder_;
  std::string input_;
};

TEST_F(CliModel, WithoutOneScoresAndClassesAreTheSame) {
  ASSERT_EQ(run("with", {"--model", "vae"}).status, 0);
  const auto none = run("none", {"--model", "none"});
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_NE(none.out.find("model      none: vae.epochs is 0\n"), std::string::npos) << none.out;
  EXPECT_EQ(model_of("none")["why_none"], "vae.epochs is 0");
  EXPECT_FALSE(model_of("with").contains("why_none"));
  for (const char* name : {"score", "rank", "beat_class", "anomalous"}) {
    EXPECT_GT(column("none", name).size(), 100u);
    EXPECT_EQ(column("none", name), column("with", name)) << name;
  }
  EXPECT_NE(column("none", "reconstruction_error"), column("with", "reconstruction_error"));
}

TEST_F(CliModel, ThatIsAFileIsRefusedByRun) {
  const auto file = run("file", {"--model", "model.safetensors"});
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.err.find("--model"), std::string::npos) << file.err;
}

TEST_F(CliModel, IsNeededByThePublishedMethod) {
  const auto published = run("published", {"--config", "published", "--model", "none"});
  EXPECT_EQ(published.status, 2);
  EXPECT_NE(published.err.find("vae.epochs: 0 trains no model, and the method published ranks by its model"),
            std::string::npos)
      << published.err;
}

}  // namespace
}  // namespace beatscan
