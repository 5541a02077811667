#include "app/output/model_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "app/common/build_info.h"
#include "app/common/json_text.h"
#include "app/common/whole_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/one_line.h"

namespace beatscan {
namespace {

constexpr const char* kKind = "beatscan-vae-2";  // increased if an older program would misread a newer file

using Shape = std::vector<std::int64_t>;

// Throws with `what` in one line: the names that it quotes from the header may hold any bytes.
[[noreturn]] void refuse_model(const std::string& source, const std::string& what) {
  fail(ErrorKind::input, source, in_one_line(what));
}

// Returns the shapes of a topology's parameters by name (stages/model/vae.h).
std::map<std::string, Shape> shapes_of(const VaeOptions& options, std::int64_t row_points) {
  std::map<std::string, Shape> shapes = {{"sigma.alpha", {1}}};
  const auto add = [&](const std::string& name, Shape weight) {
    shapes[name + ".bias"] = {weight[0]};
    shapes[name + ".weight"] = std::move(weight);
  };
  const auto depth = std::ssize(options.channels);
  std::int64_t in = 1;
  for (std::int64_t i = 0; i < depth; ++i) {
    const std::int64_t out = options.channels[i];
    add("conv" + std::to_string(i), {out, std::exchange(in, out), 3});
  }
  add("convA", {options.latents, in, 3});
  add("convB", {options.latents, in, 3});
  in /= 2;
  add("restore", {in * (row_points >> depth), options.latents});
  for (std::int64_t i = depth; i < 2 * depth; ++i) {
    const std::int64_t out = i + 1 < 2 * depth ? in / 2 : 1;
    add("conv" + std::to_string(i), {out, std::exchange(in, out), 3});
  }
  return shapes;
}

std::int64_t elements_of(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t length : shape) {
    if (length < 0 || length > (1 << 24)) return -1;
    elements *= length;
    if (elements > (1 << 28)) return -1;
  }
  return elements;
}

// Reads one tensor: its header entry and its values.
NamedArray read_tensor(const std::string& name, const Json& entry, std::string_view data, const std::string& source) {
  const auto bad = [&](const std::string& what) { refuse_model(source, "tensor '" + name + "' " + what); };
  if (!entry.is_object() || text_at(entry, "dtype") != "F32") bad("is not of type F32");
  if (!entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2)
    bad("has no shape or no place");
  NamedArray array{.name = name};
  for (const auto& length : entry["shape"]) {
    if (!length.is_number_unsigned()) bad("has an invalid shape");
    array.shape.push_back(length.get<std::int64_t>());
  }
  const auto& offsets = entry["data_offsets"];
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) bad("has no place");
  const auto first = offsets[0].get<std::uint64_t>(), last = offsets[1].get<std::uint64_t>();
  const std::int64_t elements = elements_of(array.shape);
  if (elements < 0 || first > last || last > data.size() || last - first != elements * sizeof(float))
    bad("does not lie within the file: it is cut off or damaged");
  array.values.resize(elements);
  std::memcpy(array.values.data(), data.data() + first, last - first);
  for (const float value : array.values)
    if (!std::isfinite(value)) bad("holds a value that is not finite");
  return array;
}

Json parse_header(const std::string& bytes, std::string_view& data, const std::string& source) {
  std::uint64_t size = 0;
  if (bytes.size() >= sizeof size) std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() < sizeof size || size > bytes.size() - sizeof size)
    refuse_model(source, "is not a complete safetensors file; give the model.safetensors of a result");
  const Json header = parse_json_if_any<Json>(std::string_view(bytes).substr(sizeof size, size));
  if (!header.is_object()) refuse_model(source, "is not a safetensors file: its header is not JSON");
  data = std::string_view(bytes).substr(sizeof size + size);
  return header;
}

Config config_of(const Json& metadata, const std::string& source) {
  if (!metadata.is_object() || !text_at(metadata, "model").starts_with("beatscan-vae-"))
    refuse_model(source, "holds no model of beatscan; give the model.safetensors of a result");
  if (text_at(metadata, "model") != kKind)
    refuse_model(source, "was made by beatscan " + text_at(metadata, "beatscan_version") + " in the form '" +
                             text_at(metadata, "model") + "', and this program reads '" + kKind + "'; train again");
  const Json document = parse_json_if_any<Json>(text_at(metadata, "config"));
  if (!document.is_object()) refuse_model(source, "holds no configuration");
  Config config;
  try {
    apply(config, document, source);
    check_config(config);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what());
  }
  return config;
}

// Returns the edges of bins, in ascending order.
std::vector<double> edges_in(const Json& list) {
  auto edges = list.get<std::vector<double>>();
  if (edges.size() != TrainingSpread::kBins - 1 || !std::ranges::is_sorted(edges)) throw std::invalid_argument("edges");
  return edges;
}

std::optional<TrainingSpread> training_spread_of(const Json& metadata, const Config& config,
                                                 const std::string& source) {
  if (!metadata.contains("dominant_beats")) return std::nullopt;
  try {
    const Json document = parse_json<Json>(text_at(metadata, "dominant_beats"));
    TrainingSpread spread{.error = edges_in(document.at("reconstruction_error")), .latents = {}};
    for (const Json& latent : document.at("latents")) spread.latents.push_back(edges_in(latent));
    if (std::ssize(spread.latents) != config.vae.latents) throw std::invalid_argument("latents");
    return spread;
  } catch (const Json::exception&) {
  } catch (const std::invalid_argument&) {
  }
  refuse_model(source, "has damaged metadata: dominant_beats is not as it was written; train again");
}

}  // namespace

std::string model_safetensors(const SavedModel& model) { return model_safetensors(model, to_json(model.config)); }

std::string model_safetensors(const SavedModel& model, const Json& config) {
  Json metadata = {{"format", "pt"},
                   {"beatscan_version", BEATSCAN_VERSION},
                   {"model", kKind},
                   {"config", text_of(config, -1)},
                   // "none": rows are the input's values. "recording": residuals from the recording's own median beat,
                   // in units of its amplitude and of the spread around it (stages/windows/centred_beats.h).
                   {"input_scaling", model.config.method == Method::r_peaks ? "recording" : "none"}};
  if (model.training_spread)
    metadata["dominant_beats"] = text_of(
        {{"reconstruction_error", model.training_spread->error}, {"latents", model.training_spread->latents}}, -1);
  return safetensors_bytes({std::move(metadata), model.parameters});
}

std::string safetensors_bytes(const Safetensors& file) {
  Json header = {{"__metadata__", file.metadata}};
  std::string data;
  for (const auto& array : file.arrays) {
    const std::size_t first = data.size();
    data.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
    header[array.name] = {{"dtype", "F32"}, {"shape", array.shape}, {"data_offsets", {first, data.size()}}};
  }
  std::string text = text_of(header, -1);
  text.append((8 - text.size() % 8) % 8, ' ');
  const auto size = std::bit_cast<std::array<char, 8>>(static_cast<std::uint64_t>(text.size()));
  return std::string(size.data(), size.size()) + text + data;
}

Safetensors parse_safetensors(const std::string& bytes, const std::string& source) {
  std::string_view data;
  const Json header = parse_header(bytes, data, source);
  Safetensors file{.metadata = header.contains("__metadata__") ? header["__metadata__"] : Json()};
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__") file.arrays.push_back(read_tensor(name, entry, data, source));
  return file;
}

SavedModel read_model(const std::filesystem::path& path) {
  const std::string source = path.string();
  Safetensors file = parse_safetensors(read_whole_file(path), source);
  SavedModel model{config_of(file.metadata, source), std::move(file.arrays)};
  model.training_spread = training_spread_of(file.metadata, model.config, source);
  check_parameters(model.parameters, model.config, source);
  return model;
}

void check_parameters(const std::vector<NamedArray>& parameters, const Config& config, const std::string& source) {
  auto expected = shapes_of(config.vae, row_points_of(config));
  for (const auto& array : parameters) {
    const auto found = expected.find(array.name);
    if (found == expected.end())
      refuse_model(source, "parameter '" + array.name + "' is of another topology than the configuration's");
    if (found->second != array.shape)
      refuse_model(source, "parameter '" + array.name + "' is " + Json(array.shape).dump() +
                               ", and the configuration's topology has " + Json(found->second).dump());
    expected.erase(found);
  }
  if (!expected.empty()) refuse_model(source, "parameter '" + expected.begin()->first + "' is missing");
}

}  // namespace beatscan
