#include "stages/io/recording/leads.h"

#include <gtest/gtest.h>

#include "kernels/runtime/error.h"
#include "stages/io/recording/lead_names.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

TEST(Leads, ByNameOrPosition) {
  const std::vector<Lead> leads = {{"MLII", "mV"}, {"V1", "mV"}, {"1", "mV"}, {"x", "mV"}, {"x", "mV"}};
  EXPECT_EQ(choose_lead(leads, "", "r"), 0u);
  EXPECT_EQ(choose_lead(leads, "V1", "r"), 1u);
  EXPECT_EQ(choose_lead(leads, "3", "r"), 3u);
  EXPECT_EQ(choose_lead(leads, "1", "r"), 2u) << "a name comes first";
  EXPECT_EQ(choose_lead(leads, WantedLead::at(1), "r"), 1u) << "a number is no name";
  const auto expect_refused = [&](const std::string& part, const WantedLead& wanted) {
    expect_error(ErrorKind::input, part, [&] { choose_lead(leads, wanted, "r"); });
  };
  expect_refused("r: no lead 'V2'; the leads are 'MLII', 'V1', '1', 'x', 'x'; did you mean 'V1'?", "V2");
  expect_refused("r: no lead 'MLII,V1'; the leads are 'MLII', 'V1', '1', 'x', 'x'; --set ingest.leads=NAME,NAME reads",
                 "MLII,V1");
  expect_refused("r: no lead at position 5: there are 5, counted from 0", "5");
  expect_refused("r: no lead at position 999999999: there are 5", WantedLead::at(999'999'999));
  expect_refused("r: there are several leads 'x'; choose one by position, counted from 0", "x");
  expect_error(ErrorKind::input, "r: has no signals", [&] { choose_lead({}, "", "r"); });
}

TEST(Leads, TheFirstThatIsAnEcg) {
  EXPECT_EQ(choose_lead({{"RESP", "mV"}, {"ECG II", "uV"}, {"V1", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"EEG Fpz-Cz", "uV"}, {"Lead II", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"EEG", "uV"}, {"aVR", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"ABP", "mmHg"}, {"CH1", "mV"}}, "", "r"), 1u) << "a voltage";
  EXPECT_EQ(choose_lead({{"0", ""}, {"1", ""}}, "", "r"), 0u);
}

TEST(Leads, AnotherUnitThanAVoltageIsNoEcgIfThereIsAVoltage) {
  using Positions = std::vector<std::size_t>;
  const std::vector<Lead> pressure_first = {{"I", "mmHg"}, {"V", "mmHg"}, {"II", "mV"}, {"III", ""}, {"V5", "uV"}};
  EXPECT_EQ(ecg_leads(pressure_first), (Positions{2, 3, 4}));
  EXPECT_EQ(choose_leads(pressure_first, {}, "r"), (Positions{2, 3, 4}));
  EXPECT_EQ(choose_lead(pressure_first, "", "r"), 2u) << "the one lead of the method published";
  EXPECT_EQ(choose_lead({{"ECG rate", "bpm"}, {"ECG raw data", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(ecg_leads({{"I", "mmHg"}, {"II", "adu"}, {"RESP", "mV"}}), (Positions{0, 1})) << "no ECG in a voltage";
  EXPECT_EQ(choose_lead({{"EEG", "uV"}, {"ECG", "counts"}}, "", "r"), 1u) << "the name says more than the unit";
  EXPECT_EQ(choose_lead({{"battery", ""}, {"ECG counts", ""}}, "", "r"), 1u);
}

TEST(Leads, EcgByNameAlone) {
  for (const char* name : {"II",
                           "V1",
                           "aVR",
                           "MLII",
                           "ECG",
                           "ECG 1",
                           "EKG-Ref",
                           "ECG II",
                           "Lead II",
                           "lead_V5",
                           "leadI",
                           "ECG LA-RA",
                           "ECG1-ECG2",
                           "II [mV]",
                           "ecg_raw",
                           "ECGV1",
                           "ecg2",
                           "EKG Lead I",
                           "V (mV)",
                           "Ableitung II [µV]",
                           "Abl. V1",
                           "DI",
                           "DII",
                           "DIII",
                           "Derivation I",
                           "ECG Ch1",
                           "EKG channel2",
                           "ECG L",
                           "ECG-R",
                           "EKG L-EKG R",
                           "ML5",
                           "MV2",
                           "V3R",
                           "v4r",
                           "D4",
                           "CM4",
                           "NASA",
                           "mod.V1",
                           "ECG A",
                           "MDC_ECG_LEAD_aVR",
                           "MDC_ECG_LEAD_II",
                           "Lead 2",
                           "lead_1"})
    EXPECT_TRUE(is_ecg_by_name(name)) << name;
  for (const char* name : {"",         "1",    "mV",    "PPG",   "ECG rate",  "ECG_Quality",   "ECG_R_Peaks",
                           "HR (ECG)", "mod",  "ECG D", "A",     "EEG Fp1",   "Vent",          "L",
                           "R",        "Left", "mV",    "Lead",  "Lead time", "MDC_PULS_OXIM", "ECG clean",
                           "Ch1",      "raw",  "Ref",   "pleth", "ABP",       "Ableitung",     "Abl. 1"})
    EXPECT_FALSE(is_ecg_by_name(name)) << name;
}

TEST(Leads, AWarningNamesOtherVoltagesIfTheLeadsNameIsNotDescriptive) {
  const auto warnings = [](const std::vector<Lead>& leads, const LeadChoice& choice = {}) {
    LeadsLeftOut left_out(choice, "r");
    left_out.choose(leads);
    return left_out.warnings();
  };
  const std::vector<Lead> unnamed = {{"RESP", "ohm"}, {"CH1", "mV"}, {"front", "mV"}};
  EXPECT_EQ(warnings(unnamed), std::vector<std::string>{"lead 'CH1' is read, and not 'front'; --lead NAME chooses "
                                                        "another, --set ingest.leads=NAME,NAME several"});
  EXPECT_TRUE(warnings(unnamed, {.one = "front"}).empty());
  EXPECT_TRUE(warnings(unnamed, {.first_alone = true}).empty());
  EXPECT_TRUE(warnings({{"CH1", "mV"}, {"RESP", "ohm"}}).empty()) << "nothing else is a voltage";
  EXPECT_TRUE(warnings({{"EEG", "uV"}, {"ECG clean", "uV"}}).empty()) << "its name is descriptive";
  EXPECT_TRUE(warnings({{"Ableitung II", "mV"}, {"CH2", "mV"}}).empty()) << "and so does this one";
}

TEST(Leads, NumberedVoltagesAreAllRead) {
  using Positions = std::vector<std::size_t>;
  const auto chosen = [](const std::vector<Lead>& leads, const LeadChoice& choice = {}) {
    return choose_leads(leads, choice, "r");
  };
  const std::vector<Lead> numbered = {{"RESP", "ohm"}, {"CH1", "mV"}, {"Channel 2", "mV"}, {"3", "mV"}, {"C", "mV"}};
  EXPECT_EQ(chosen(numbered), (Positions{1, 2, 3, 4}));
  EXPECT_EQ(chosen(numbered, {.first_alone = true}), Positions{1});
  EXPECT_EQ(chosen({{"E-S", "uV"}, {"A-S", "uV"}, {"A-I", "uV"}}), (Positions{0, 1, 2}));
  EXPECT_EQ(chosen({{"", "mV"}, {"record a01, signal 1", "mV"}}), (Positions{0, 1})) << "WFDB's own name";
  EXPECT_EQ(chosen({{"CH1", "mV"}, {"CH2", "mV"}, {"EEG", "mV"}}), Positions{0}) << "a descriptive name";
  EXPECT_EQ(chosen({{"CH1", "mV"}, {"CH2", "uV"}}), Positions{0}) << "another unit";
  EXPECT_EQ(chosen({{"CH1", ""}, {"CH2", ""}}), Positions{0}) << "no voltage";
  EXPECT_EQ(chosen({{"CH1", "mV"}, {"CH2", "mV"}, {"ECG clean", "mV"}}), Positions{2}) << "the ECG among them";
  EXPECT_EQ(chosen(std::vector<Lead>(12, {"7", "mV"})).size(), 12u);
  EXPECT_EQ(chosen(std::vector<Lead>(13, {"7", "mV"})), Positions{0}) << "more than an ECG has";
  const LeadChoice automatic;  // left_out refers to it
  LeadsLeftOut left_out(automatic, "r");
  left_out.choose(numbered);
  EXPECT_EQ(left_out.warnings(),
            std::vector<std::string>{"no lead is named like an ECG: 'CH1', 'Channel 2', '3', 'C' are taken for its "
                                     "leads; --lead NAME reads one, --set ingest.leads=NAME,NAME some of them"});
}

TEST(Leads, SeveralInOneRecording) {
  using Positions = std::vector<std::size_t>;
  const std::vector<Lead> leads = {{"RESP", "mV"}, {"II", "mV"}, {"V1", "uV"}, {"ECG", "bpm"}, {"V5", ""}};
  EXPECT_EQ(choose_leads(leads, {}, "r"), (Positions{1, 2, 4})) << "one in another unit than a voltage is none";
  EXPECT_EQ(choose_leads(leads, {.first_alone = true}, "r"), Positions{1});
  EXPECT_EQ(choose_leads(leads, {.one = "RESP", .several = {"II"}}, "r"), Positions{0});
  EXPECT_EQ(choose_leads(leads, {.several = {"V5", "1"}}, "r"), (Positions{4, 1})) << "in this order";
  EXPECT_EQ(choose_leads(leads, {.several = {"V5", "1"}, .first_alone = true}, "r"), Positions{4});
  EXPECT_EQ(choose_leads({{"left", "mV"}, {"b", "mV"}}, {}, "r"), Positions{0}) << "none is ECG by name";
  EXPECT_EQ(choose_leads({{"ECG rate", "1/s"}, {"II", "mV"}}, {}, "r"), Positions{1});
  EXPECT_EQ(choose_leads({{"I", "V"}, {"I", "mV"}}, {}, "r"), (Positions{0, 1})) << "names may stand there twice";
  expect_error(ErrorKind::input, "r: lead 'II' is asked for twice (ingest.leads)", [&] {
    choose_leads(leads, {.several = {"II", "1"}}, "r");
  });
  expect_error(ErrorKind::input, "r: no lead 'VI'", [&] { choose_leads(leads, {.several = {"II", "VI"}}, "r"); });
  expect_error(ErrorKind::input, "r: 65 leads are named like an ECG; choose at most 64", [&] {
    choose_leads(std::vector<Lead>(65, {"II", "mV"}), {}, "r");
  });
}

TEST(Leads, AWarningNamesALeadThatIsAnotherSignal) {
  const auto warnings = [](const std::vector<Lead>& leads, const LeadChoice& choice = {}) {
    LeadsLeftOut left_out(choice, "r");
    left_out.choose(leads);
    return left_out.warnings();
  };
  EXPECT_EQ(warnings({{"RESP", "mV"}, {"SpO2", "%"}}),
            std::vector<std::string>{"no lead is named like an ECG: 'RESP' is read, which seems to be another signal; "
                                     "--lead NAME chooses another"});
  EXPECT_EQ(warnings({{"P1", "mmHg"}}).size(), 1u);
  EXPECT_EQ(warnings({{"RESP", "mV"}}),
            std::vector<std::string>{"no lead is named like an ECG: 'RESP' is read, which seems to be another signal"})
      << "there is no other to choose";
  EXPECT_EQ(warnings({{"RESP", "mV"}, {"CH1", "mV"}}).size(), 2u) << "and the other voltage is named";
  EXPECT_TRUE(warnings({{"RESP", "mV"}}, {.one = "RESP"}).empty());
  EXPECT_TRUE(warnings({{"RESP", "mV"}, {"II", "mV"}}).empty());
  EXPECT_TRUE(warnings({{"record x, signal 0", "adu"}}).empty());
}

TEST(Leads, NamesThatNumberChannels) {
  for (const char* name :
       {"CH1", "ch 2", "Channel 3", "Channel B", "chan_4", "signal_5 (mV)", "sig12", "CH1 (V)", "CH1 [µV]", "ch1 mV"}) {
    EXPECT_TRUE(numbers_a_channel(name)) << name;
    EXPECT_TRUE(says_nothing(name)) << name;
    EXPECT_FALSE(is_ecg_by_name(name)) << name;
  }
  for (const char* name : {"", "1", "A", "CH", "mV", "CH1 temp", "CH1 温度", "CHF1", "x1", "lead 1", "Channel T"})
    EXPECT_FALSE(numbers_a_channel(name)) << name;
}

TEST(Leads, NamesThatSayNothing) {
  for (const char* name : {"", "-", "1", "A", "Z", "E-S", "AI", "unknown", "code 21", "record 100, signal 0"})
    EXPECT_TRUE(says_nothing(name)) << name;
  for (const char* name : {"P", "T", "呼吸", "Дыхание", "EEG", "C3-A2", "record 100", "x1", "signal quality"})
    EXPECT_FALSE(says_nothing(name)) << name;
}

TEST(Leads, NamesOfOtherSignals) {
  for (const char* name : {"Resp", "PPG_finger", "Marker 1", "ABP"}) EXPECT_TRUE(names_another_signal(name)) << name;
  for (const char* name : {"", "II", "response", "CH1", "pressure"}) EXPECT_FALSE(names_another_signal(name)) << name;
}

}  // namespace
}  // namespace beatscan
