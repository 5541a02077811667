// stages/io/recording/few_values.h — warns of leads whose values were rounded so coarsely that false beats are
// detected.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace beatscan {

template <class Context>
struct Recording;

// Fewest distinct values of 2 s of a lead without a warning. The 340 leads of six databases have 22 at least. Six
// records that were rounded to ever fewer levels kept their beats down to 9, and had false ones from 7 on.
inline constexpr double kFewValues = 10;

// Returns how many distinct values 2 s of a lead have, of which at most 32 count: the median over blocks, evenly spread
// over the recording, that move by more than a twentieth of the typical range. It is 0 if there is none.
template <class Context>
double distinct_values(Context&, std::span<const float> samples, double sample_rate_hz);

// Returns a line for each lead with fewer distinct values than kFewValues.
template <class Context>
std::vector<std::string> few_values_warnings(Context&, const Recording<Context>& recording, double sample_rate_hz);

}  // namespace beatscan
