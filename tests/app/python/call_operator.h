// tests/app/python/call_operator.h — calls an operator through PyTorch's dispatcher, as Python does.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace beatscan {

using OperatorArguments = std::map<std::string, c10::IValue>;

// Calls an operator with some arguments by name; the others have their defaults.
inline c10::Stack call(const std::string& name, const OperatorArguments& given, const char* overload = "") {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("beatscan::" + name).c_str(), overload);
  c10::Stack stack;
  std::size_t taken = 0;
  for (const auto& argument : op.schema().arguments()) {
    const auto found = given.find(argument.name());
    taken += found != given.end();
    stack.push_back(found != given.end() ? found->second : argument.default_value().value());
  }
  EXPECT_EQ(taken, given.size()) << name << " has no argument of some name";
  op.callBoxed(stack);
  return stack;
}

}  // namespace beatscan
