// app/python/embedded/guarded.h — runs the work of a C function, with its error as a status and a message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/common/errors.h"
#include "app/common/json.h"
#include "stages/common/interrupt.h"
#include "stages/common/one_line.h"

namespace beatscan {

// Calls work(), which returns an ExitStatus. Writes the error as one line to `message`, cut to `size` bytes with its
// final 0, or an empty text where there is none.
template <class Work>
int guarded(char* message, std::size_t size, Work&& work) noexcept {
  const auto report = [&](std::string_view text) {
    if (size == 0) return;
    text = text.substr(0, size - 1);
    *std::ranges::copy(text, message).out = 0;
  };
  report("");
  try {
    return static_cast<int>(work());
  } catch (const Error& error) {
    report(in_one_line(error.what()));
    return static_cast<int>(status_of(error.kind()));
  } catch (const Interrupted& interrupted) {
    report("stopped by a signal");
    return 128 + interrupted.signal;
  } catch (const Json::exception& error) {
    report(std::string("the arguments are not JSON, or one is of another type: ") + error.what());
    return static_cast<int>(ExitStatus::usage);
  } catch (const std::bad_alloc&) {
    report("out of memory");
  } catch (const std::exception& error) {
    report(unexpected_error(error));
  } catch (...) {
    report("internal error");
  }
  return static_cast<int>(ExitStatus::internal);
}

}  // namespace beatscan
