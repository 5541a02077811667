#include "stages/io/arrays/mat_file.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "kernels/runtime/error.h"
#include "stages/common/letters.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"
#include "stages/io/arrays/mat_variables.h"
#include "stages/io/csv/csv_metadata.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

constexpr std::string_view kLevel5 = "MATLAB 5.0 MAT-file", kLevel73 = "MATLAB 7.3 MAT-file", kHdf5 = "\x89HDF\r\n";

std::string start_of_file(const InputFile& file) {
  std::string start(kLevel5.size(), '\0');
  start.resize(static_cast<std::size_t>(file.read(0, start)));
  return start;
}

bool is_array(const MatVariable& variable) { return variable.why_not.empty() && !variable.scalar; }

std::string described(const MatVariable& variable) {
  std::string shape;
  for (const std::int64_t side : variable.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(side);
  return "'" + in_one_line(variable.name.substr(0, 40)) + "' (" +
         (variable.why_not.empty() ? shape : variable.why_not) + ")";
}

std::string described(const std::vector<MatVariable>& variables) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), kMost); ++i)
    text += (text.empty() ? "" : ", ") + described(variables[i]);
  return text + (variables.size() > kMost ? ", …" : "");
}

bool mentions_ecg(const MatVariable& variable) {
  const std::string name = in_small_letters(variable.name);
  return name.find("ecg") != name.npos || name.find("ekg") != name.npos;
}

const MatVariable& chosen_variable(const std::vector<MatVariable>& variables, const std::string& wanted,
                                   const std::string& path) {
  if (variables.empty()) fail(ErrorKind::input, path, "has no variables");
  if (!wanted.empty()) {
    const auto found = std::ranges::find(variables, wanted, &MatVariable::name);
    if (found == variables.end())
      fail(ErrorKind::input, path,
           "no variable '" + in_one_line(wanted) + "' (ingest.variable); it has " + described(variables));
    if (!found->why_not.empty())
      fail(ErrorKind::input, path, "variable " + described(*found) + " is no array of real numbers");
    return *found;
  }
  std::vector<const MatVariable*> arrays, ecg;
  for (const auto& variable : variables)
    if (is_array(variable)) {
      if (variable.name == "val") return variable;
      arrays.push_back(&variable);
      if (mentions_ecg(variable)) ecg.push_back(&variable);
    }
  if (arrays.size() == 1) return *arrays[0];
  if (ecg.size() == 1) return *ecg[0];
  fail(ErrorKind::input, path,
       (arrays.empty() ? "holds no array of real numbers: it has " : "which array is the ECG? It has ") +
           described(variables) +
           (arrays.empty() ? "; save the signal as an array of its own" : "; choose one: --set ingest.variable=NAME"));
}

// Takes the sampling rate from variables that are single numbers.
void tell_rate(const std::vector<MatVariable>& variables, SignalInfo& signal) {
  for (const auto& variable : variables) {
    if (!variable.scalar) continue;
    const auto hz = rate_stated_by(variable.name, number_text(*variable.scalar, 17));
    if (!hz) continue;
    if (signal.sample_rate_hz && *signal.sample_rate_hz != *hz) {
      signal.warnings.push_back("several variables give different sampling rates: none is used");
      signal.sample_rate_hz = std::nullopt;
      signal.rate_origin = RateOrigin::none;
      signal.metadata.clear();
      return;
    }
    signal.sample_rate_hz = hz;
    signal.rate_origin = RateOrigin::metadata;
    signal.metadata = {"variable '" + in_one_line(variable.name) + "' gives the sampling rate: " + number_text(*hz, 9)};
  }
}

}  // namespace

bool is_mat(const InputFile& file) {
  const std::string start = start_of_file(file);
  return start == kLevel5 || start == kLevel73 || start.starts_with(kHdf5) || is_mat_level_4(file);
}

SampleSource mat_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice,
                        const std::string& variable) {
  const std::string path = file->path().string(), start = start_of_file(*file);
  if (start == kLevel73 || start.starts_with(kHdf5))
    fail(ErrorKind::input, path,
         "is an HDF5 file (MATLAB 7.3), which is not read; save the array in MATLAB by save(FILE, NAME, '-v7')");
  const auto variables = start == kLevel5 ? variables_of_level_5(*file) : variables_of_level_4(*file);
  const MatVariable& chosen = chosen_variable(variables, variable, path);
  StoredArray array{.file = file,
                    .first_byte = chosen.first_byte,
                    .element = chosen.element,
                    .big_endian = chosen.big_endian,
                    .column_major = true};
  if (chosen.stream_bytes > 0) array.file = inflated(*file, chosen.stream_byte, chosen.stream_bytes);
  std::tie(array.rows, array.columns) = as_matrix(chosen.shape, path);
  SampleSource source = array_source(array, choice);
  source.signal.format = "MATLAB";
  source.bytes = file->size();
  source.signal.metadata = {};
  tell_rate(variables, source.signal);
  source.signal.metadata.insert(source.signal.metadata.begin(), "variable " + described(chosen) + " is read");
  if (source.signal.sample_rate_hz) source.signal.no_rate_because.clear();
  return source;
}

}  // namespace beatscan
