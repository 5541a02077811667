// app/report/words/reasons.h — says why a beat ranks as it does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

struct StoredResult;

struct Reason {
  bool rhythm = false, waveform = false;  // whether this part makes the score high; both may
  std::string words;                      // "34 % premature; dissimilar to the median beat (correlation 0.31)"
};

// Returns the reason of the k-th beat that report/ holds.
Reason reason_of(const StoredResult& result, std::int64_t k);

// Returns what a beat's shape adds to its score: what rhythm and class leave.
double waveform_part(const StoredResult& result, std::int64_t beat);

// Says how similar a beat is to a reference: "dissimilar to the median beat (correlation 0.31)". `usual` names that.
std::string similarity_words(std::span<const float> row, std::span<const float> reference, const std::string& usual);

}  // namespace beatscan
