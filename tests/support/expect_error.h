// tests/support/expect_error.h — expects an Error of a kind, and reports what happened otherwise.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>

#include "kernels/runtime/error.h"

// Fails unless the statement throws Error of this kind, and reports what happened. A message can be streamed to it.
#define EXPECT_THROW_KIND(statement, kind) \
  EXPECT_PRED_FORMAT2(                     \
      beatscan::throws_kind, [&] { statement; }, kind)

namespace beatscan {

// Runs `action` and expects an Error of this kind with a one-line message that contains `part`.
template <class Action>
void expect_error(ErrorKind kind, const std::string& part, Action&& action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one with: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

inline std::string name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return "internal";
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::unanalysable:
      return "unanalysable";
    case ErrorKind::device:
      return "device";
    case ErrorKind::output:
      return "output";
  }
  return "unknown";
}

// Runs `action` and returns what it throws: "Error of kind usage: <message>", another exception's message, or
// "nothing". Sets `right` if that is an Error of this kind.
inline std::string thrown_by(const std::function<void()>& action, ErrorKind kind, bool& right) {
  try {
    action();
  } catch (const Error& error) {
    right = error.kind() == kind;
    return "Error of kind " + name_of(error.kind()) + ": " + error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
  return "nothing";
}

// The predicate of EXPECT_THROW_KIND. GoogleTest passes the text of the statement and of the kind.
inline testing::AssertionResult throws_kind(const char* statement, const char* kind_words,
                                            const std::function<void()>& action, ErrorKind kind) {
  bool right = false;
  const std::string thrown = thrown_by(action, kind, right);
  if (right) return testing::AssertionSuccess();
  return testing::AssertionFailure() << statement << "\nexpected: it throws Error of " << kind_words
                                     << "\n  actual: it throws " << thrown;
}

}  // namespace beatscan
