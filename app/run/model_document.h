// app/run/model_document.h — what the files of trained models have in common: a JSON document with arrays in base64.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "app/text/json.h"
#include "kernels/runtime/error.h"

namespace beatscan {

// A model's document, and how errors name it.
struct ModelDocument {
  const Json& json;
  std::string source;  // "FILE", or the path of a built-in model
  std::string advice;  // what to do instead: "give waves.model a file of ..."

  // Throws ErrorKind::input: the source, what is wrong with it, and the advice.
  [[noreturn]] void refuse(const std::string& why) const { fail(ErrorKind::input, source, why + "; " + advice); }
  // Refuses a document of another format or version. `what` says what it should be: "a model of signal quality".
  void check_form(const char* format, int version, const char* what) const;
};

// Returns the bytes of a text in base64; none where it is not.
std::vector<char> from_base64(const std::string& text);

// Returns the values of an array in base64. Refuses the document where it does not hold whole values.
template <class Value>
std::vector<Value> values_of(const ModelDocument& document, const Json& text) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto bytes = from_base64(text.get<std::string>());
  if (bytes.size() % sizeof(Value) != 0) document.refuse("damaged: an array does not hold whole values");
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Returns JSON as Python's json.dumps writes it with sorted keys: digests are those of this text.
std::string python_text(const nlohmann::json& json);

// Parses the text of a model, and calls read(document). A part that is missing or of another type refuses the document.
void parse_model_document(const std::string& text, const std::string& source, const std::string& advice,
                          const std::function<void(const ModelDocument&)>& read);

// Returns the text of a model's file. Throws ErrorKind::usage where it cannot be read.
std::string read_model_text(const std::filesystem::path& path, const std::string& advice);

}  // namespace beatscan
