// app/python/call.h — one call of an operator: its arguments by name, and the resulting configuration.
#pragma once

#include <ATen/core/boxing/BoxedKernel.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>

#include "app/config/config.h"

namespace beatscan::operators {

class Call {
 public:
  Call(const c10::FunctionSchema& schema, const c10::Stack& stack) : schema_(schema), stack_(stack) {}

  // Returns an argument; None if it was not given, or the operator has none of that name.
  c10::IValue operator[](const std::string& name) const;
  const at::Tensor& tensor(const std::string& name) const;
  std::optional<double> rate_hz() const { return (*this)["rate_hz"].toOptional<double>(); }

  // Overrides `base` by the configuration named in the argument `config`, the keywords and the rate, in this order.
  Config config(const Config& base = {}) const;

 private:
  const c10::FunctionSchema& schema_;
  const c10::Stack& stack_;  // its last values are the arguments
};

}  // namespace beatscan::operators
