// app/pipeline/model_document.h — the common format of trained model files: a JSON document with arrays in base64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "app/common/json.h"
#include "kernels/runtime/error.h"

namespace beatscan {

// A model's document, and how errors name it.
struct ModelDocument {
  const Json& json;
  std::string source;  // "FILE", or the path of a built-in model
  std::string advice;  // a remedy: "give waves.model a file of ..."

  // Throws ErrorKind::input: the source, the problem, and the remedy.
  [[noreturn]] void refuse(const std::string& why) const { fail(ErrorKind::input, source, why + "; " + advice); }

  // Returns the digest that the document gives. Refuses the document if it is not that of the parts.
  std::string checked_digest(const nlohmann::json& parts) const;
  std::string checked_digest(std::initializer_list<const char*> parts) const;
};

// Returns JSON as Python's json.dumps writes it with sorted keys: digests cover this text.
std::string python_text(const nlohmann::json& json);

// Returns the bytes of a base64 text; nothing if it is invalid.
std::vector<char> from_base64(const std::string& text);

// Returns the values of a base64 array. Refuses the document if its size is not a multiple of the value's.
template <class Value>
std::vector<Value> values_of(const ModelDocument& document, const Json& text) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto bytes = from_base64(text.get<std::string>());
  if (bytes.size() % sizeof(Value) != 0) document.refuse("damaged: an array does not hold whole values");
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class Value>
bool are_finite(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [](Value value) { return std::isfinite(value); });
}

// What distinguishes one kind of model from another, for the functions below.
struct ModelKind {
  const char* format;  // "beatscan waves"
  int version;
  const char* what;             // "a model of P, QRS and T waves"
  const char *option, *script;  // that names the user's file, and that makes one
};

// Parses the text of a model, checks its format and version, and calls read(document). Refuses the document if a part
// is missing or has another type.
void parse_model_document(const ModelKind& kind, const std::string& text, const std::string& source,
                          const std::function<void(const ModelDocument&)>& read);

// Returns the text of a model's file. Throws ErrorKind::usage if it cannot be read.
std::string read_model_text(const ModelKind& kind, const std::filesystem::path& path);

// One kind of model, the built-in one, and how a document is read.
template <class Model>
struct ModelForm {
  ModelKind kind;
  const char *builtin_text, *builtin_source;
  Model (*read)(const ModelDocument&);

  Model parse(const std::string& text, const std::string& source) const {
    Model model;
    parse_model_document(kind, text, source, [&](const ModelDocument& document) { model = read(document); });
    return model;
  }
  // Reads a file, or returns the built-in model for an empty path.
  Model at(const std::filesystem::path& path) const {
    if (!path.empty()) return parse(read_model_text(kind, path), path.string());
    static const Model builtin = parse(builtin_text, builtin_source);
    return builtin;
  }
};

}  // namespace beatscan
