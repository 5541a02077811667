// stages/io/recording/lead_names.h — whether a signal may be an ECG, judged by its name or its unit.
#pragma once

#include <string>

namespace beatscan {

// Returns whether a unit is one of voltage: "mV", "µV".
bool is_voltage(const std::string& unit);

// Returns whether a lead is ECG by its name and not a quantity derived from one: "II", "ECG 1", "EKG-Ref", "LL-RA",
// "Nehb D" and "Frank X" are, "ECG rate" is not. With the word ECG, or a lead behind the word lead, other words may be
// there that name nothing derived: "ECG lead II (chest)", "Device_1_ECG_LL-RA_24BIT_CAL", but not "ECG_filtered".
bool is_ecg_by_name(const std::string& name);

// Returns whether a name has ECG or EKG in it and no word of a derived quantity: "ECG_filtered", "ecgvalue".
bool mentions_ecg(const std::string& name);

// Returns whether a name refers to an ECG: "ECG rate" does, too.
bool called_like_an_ecg(const std::string& name);

// Returns whether a name only numbers a channel: "CH1", "Channel B", "signal_3 (mV)".
bool numbers_a_channel(const std::string& name);

// Returns whether a name does not describe its signal: it numbers a channel, is a number or a letter, the name of an
// orthogonal or EASI lead (X, E-S), a format's placeholder for a missing name, or empty.
bool says_nothing(const std::string& name);

// Returns whether a word of a name refers to another signal than an ECG: "Resp", "PPG_finger", "Marker 1".
bool names_another_signal(const std::string& name);

}  // namespace beatscan
