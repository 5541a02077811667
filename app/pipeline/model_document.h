// app/pipeline/model_document.h — the common format of trained model files: a JSON document with arrays in base64.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
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
  // Refuses a document of another format or version. `what` is the expected type: "a model of signal quality".
  void check_form(const char* format, int version, const char* what) const;
};

// Returns the bytes of a base64 text; nullopt if it is invalid.
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

// Returns JSON as Python's json.dumps writes it with sorted keys: digests cover this text.
std::string python_text(const nlohmann::json& json);

// Parses the text of a model, and calls read(document). Refuses the document if a part is missing or has another type.
void parse_model_document(const std::string& text, const std::string& source, const std::string& advice,
                          const std::function<void(const ModelDocument&)>& read);

// Returns the text of a model's file. Throws ErrorKind::usage if it cannot be read.
std::string read_model_text(const std::filesystem::path& path, const std::string& advice);

}  // namespace beatscan
