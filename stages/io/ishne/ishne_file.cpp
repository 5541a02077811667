#include "stages/io/ishne/ishne_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/io/ishne/ishne_header.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

constexpr std::int64_t kShareBytes = 1 << 15;  // what a thread reads at a time
constexpr std::int16_t kLeadFault = -32768;
static_assert(std::endian::native == std::endian::little, "samples are stored low byte first");

// Reads some leads from the file's first sample to its last.
class IshneSamples {
 public:
  IshneSamples(std::shared_ptr<const InputFile> file, const IshneHeader& header,
               const std::vector<std::size_t>& positions)
      : file_(std::move(file)), next_byte_(header.samples_byte), time_bytes_(2 * std::ssize(header.leads)) {
    for (const std::size_t position : positions)
      leads_.push_back({2 * position, static_cast<double>(header.leads[position].resolution_nv)});
  }

  // Reads and decodes shares of the samples in parallel.
  void read(LeadBlocks blocks) {
    const std::int64_t samples = std::ssize(blocks[0]), most = kShareBytes / time_bytes_;
    const std::int64_t shares = (samples + most - 1) / most;
    if (std::ssize(bytes_) < shares) bytes_.resize(static_cast<std::size_t>(shares));
    run_parts(shares, [&](std::int64_t share) {
      const std::int64_t first = share * most, count = std::min(samples - first, most);
      read_bytes(next_byte_ + first * time_bytes_, count * time_bytes_, bytes_[share]);
      for (std::size_t lead = 0; lead < leads_.size(); ++lead)
        decode(bytes_[share], leads_[lead],
               blocks[lead].subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    });
    next_byte_ += samples * time_bytes_;
  }

 private:
  struct Place {
    std::size_t byte;  // where among the samples of one time the lead's sample is
    double resolution_nv;
  };

  void read_bytes(std::int64_t first, std::int64_t size, std::vector<char>& bytes) const {
    bytes.resize(static_cast<std::size_t>(size));
    file_->read_all(first, bytes);
  }
  void decode(const std::vector<char>& bytes, Place lead, std::span<float> values) const {
    const char* at = bytes.data() + lead.byte;
    for (float& value : values) {
      std::int16_t sample;
      std::memcpy(&sample, at, sizeof sample);
      value = sample == kLeadFault ? std::numeric_limits<float>::quiet_NaN()
                                   : static_cast<float>(sample * lead.resolution_nv / 1e6);
      at += time_bytes_;
    }
  }

  std::shared_ptr<const InputFile> file_;
  std::int64_t next_byte_;   // the next sample of the first lead begins here
  std::int64_t time_bytes_;  // one sample of each lead
  std::vector<Place> leads_;
  std::vector<std::vector<char>> bytes_;  // of each share
};

// Names the leads for choose_leads.
std::vector<Lead> named(const std::vector<IshneLead>& leads) {
  std::vector<Lead> named;
  named.reserve(leads.size());
  for (const auto& lead : leads) named.push_back({lead.name, "mV"});
  return named;
}

// Chooses the leads that are read if none is requested, among those that have samples with a unit: all that the
// standard has a name for (II, X, bipolar and the like), since the format is for ECG. If the header calls all of them
// absent, the first one that has a unit is read.
std::vector<std::size_t> usable_leads(const std::vector<IshneLead>& leads, const LeadChoice& choice,
                                      LeadsLeftOut& left_out) {
  std::vector<IshneLead> usable;
  std::vector<std::size_t> positions, in_standard;
  for (std::size_t i = 0; i < leads.size(); ++i) {
    if (leads[i].is_absent || leads[i].resolution_nv <= 0) continue;
    usable.push_back(leads[i]);
    positions.push_back(i);
    if (leads[i].name != "unknown" && !leads[i].name.starts_with("code ")) in_standard.push_back(i);
  }
  if (usable.empty()) {
    const auto first = std::ranges::find_if(leads, [](const IshneLead& lead) { return lead.resolution_nv > 0; });
    return {first == leads.end() ? 0 : static_cast<std::size_t>(first - leads.begin())};
  }
  if (!choice.first_alone && !in_standard.empty()) return in_standard;
  std::vector<std::size_t> chosen = left_out.choose(named(usable));
  for (std::size_t& position : chosen) position = positions[position];
  return chosen;
}

void check_resolution(const IshneLead& lead, const std::string& path) {
  if (lead.resolution_nv <= 0)
    fail(ErrorKind::input, path + ": byte " + std::to_string(lead.resolution_byte),
         "the resolution of lead '" + lead.name + "' is " + std::to_string(lead.resolution_nv) +
             " nV, so its samples have no unit; choose another lead (ingest.column)");
}

// Returns whether bytes are text: they hold no control characters.
bool is_text(std::span<const char> bytes) {
  return std::ranges::none_of(bytes, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
}

}  // namespace

bool is_ishne(const InputFile& file) {
  std::string head(kIshneMagic.size(), '\0');
  head.resize(static_cast<std::size_t>(file.read(0, head)));
  if (head == kIshneMagic || head == kIshneAnnotationMagic) return true;
  if (ishne_extension(file.path()) != ".ecg") return false;
  return !head.empty() && (head.starts_with("ISHNE") || kIshneMagic.starts_with(head) || !is_text(head));
}

SampleSource ishne_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice) {
  const IshneHeader header = read_ishne_header(*file);
  const std::vector<Lead> leads = named(header.leads);
  SampleSource source;
  source.path = file->path().string();
  LeadsLeftOut left_out(choice, source.path);
  const auto positions =
      choice.is_automatic() ? usable_leads(header.leads, choice, left_out) : choose_leads(leads, choice, source.path);
  std::vector<Lead> chosen;
  for (const std::size_t position : positions) {
    check_resolution(header.leads[position], source.path);
    chosen.push_back(leads[position]);
  }
  source.signal.format = "ISHNE";
  source.signal.names.reserve(leads.size());
  for (const auto& one : leads) source.signal.names.push_back(one.name);
  set_leads(source.signal, std::move(chosen));
  source.signal.warnings = header.warnings;
  source.signal.warnings.insert(source.signal.warnings.end(), left_out.warnings().begin(), left_out.warnings().end());
  if (choice.is_automatic() && std::ranges::all_of(header.leads, &IshneLead::is_absent))
    source.signal.warnings.push_back("the header calls all leads absent, and the file holds samples: lead " +
                                     std::to_string(positions.front()) + " is read; --lead N reads another");
  source.signal.start = header.start;
  if (header.sample_rate_hz) {
    source.signal.sample_rate_hz = static_cast<double>(*header.sample_rate_hz);
    source.signal.rate_origin = RateOrigin::header;
  } else {
    source.signal.no_rate_because = "the header does not specify it";
  }
  source.samples = header.samples;
  source.bytes = file->size();
  const auto samples = std::make_shared<IshneSamples>(file, header, positions);
  source.read = [samples](LeadBlocks blocks) { samples->read(blocks); };
  return source;
}

}  // namespace beatscan
