// stages/recording/lead_names.h — tells by the name or the unit of a signal whether it may be an ECG.
#pragma once

#include <string>

namespace beatscan {

// Tells whether a unit is one of voltage: "mV", "µV".
bool is_voltage(const std::string& unit);

// Tells whether a lead is ECG by its name and nothing that was worked out of it: "II", "ECG 1" and "EKG-Ref" are,
// "ECG rate" is not.
bool is_ecg_by_name(const std::string& name);

// Tells whether a name has to do with an ECG: "ECG rate" has, too.
bool called_like_an_ecg(const std::string& name);

// Tells whether a name numbers a channel and says nothing else: "CH1", "Channel B", "signal_3 (mV)".
bool numbers_a_channel(const std::string& name);

// Tells whether a name says nothing of what its signal is: it numbers a channel, is a number or a letter, the name of
// an orthogonal or EASI lead (X, E-S), what a format writes where there is none, or empty.
bool says_nothing(const std::string& name);

// Tells whether a word of a name is that of another signal than an ECG: "Resp", "PPG_finger", "Marker 1".
bool names_another_signal(const std::string& name);

}  // namespace beatscan
