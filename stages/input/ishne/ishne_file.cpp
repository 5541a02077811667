#include "stages/input/ishne/ishne_file.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/input/ishne/ishne_header.h"
#include "stages/recording/leads.h"

namespace beatscan {
namespace {

constexpr std::int64_t kBlockBytes = 1 << 16;  // fits into the processor's cache
constexpr std::int16_t kLeadFault = -32768;

// Reads one lead from the file's first sample to its last.
class IshneSamples {
 public:
  IshneSamples(std::shared_ptr<const InputFile> file, const IshneHeader& header, std::size_t position)
      : file_(std::move(file)),
        next_byte_(header.samples_byte),
        time_bytes_(2 * std::ssize(header.leads)),
        lead_byte_(2 * static_cast<std::int64_t>(position)),
        resolution_nv_(static_cast<double>(header.leads[position].resolution_nv)) {}

  void read(std::span<float> values) {
    while (!values.empty()) {
      const auto block =
          values.first(static_cast<std::size_t>(std::min(std::ssize(values), kBlockBytes / time_bytes_)));
      read_block(block);
      values = values.subspan(block.size());
    }
  }

 private:
  void read_block(std::span<float> values) {
    bytes_.resize(static_cast<std::size_t>(std::ssize(values) * time_bytes_));
    if (file_->read(next_byte_, bytes_) != std::ssize(bytes_))
      fail(ErrorKind::input, file_->path().string(), "became shorter while it was read");
    next_byte_ += std::ssize(bytes_);
    auto at = static_cast<std::size_t>(lead_byte_);
    for (float& value : values) {
      const auto low = static_cast<unsigned char>(bytes_[at]), high = static_cast<unsigned char>(bytes_[at + 1]);
      const auto sample = static_cast<std::int16_t>(low | high << 8);
      value = sample == kLeadFault ? std::numeric_limits<float>::quiet_NaN()
                                   : static_cast<float>(sample * resolution_nv_ / 1e6);
      at += static_cast<std::size_t>(time_bytes_);
    }
  }

  std::shared_ptr<const InputFile> file_;
  std::int64_t next_byte_;   // the next sample of the first lead begins here
  std::int64_t time_bytes_;  // one sample of each lead
  std::int64_t lead_byte_;   // the lead's sample is this far behind the first lead's
  double resolution_nv_;
  std::vector<char> bytes_;
};

// Names the leads for choose_lead.
std::vector<Lead> named(const std::vector<IshneLead>& leads) {
  std::vector<Lead> named;
  named.reserve(leads.size());
  for (const auto& lead : leads) named.push_back({lead.name, "mV"});
  return named;
}

// Chooses the lead that is read if none is asked for, among those that have samples with a unit.
std::size_t default_lead(const std::vector<IshneLead>& leads, const std::string& path) {
  std::vector<IshneLead> usable;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < leads.size(); ++i)
    if (!leads[i].is_absent && leads[i].resolution_nv > 0) {
      usable.push_back(leads[i]);
      positions.push_back(i);
    }
  return usable.empty() ? 0 : positions[choose_lead(named(usable), "", path)];
}

// Tells text by the absence of control characters.
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

SampleSource ishne_source(const std::shared_ptr<const InputFile>& file, const std::string& lead) {
  const IshneHeader header = read_ishne_header(*file);
  const std::vector<Lead> leads = named(header.leads);
  SampleSource source;
  source.path = file->path().string();
  const std::size_t position =
      lead.empty() ? default_lead(header.leads, source.path) : choose_lead(leads, lead, source.path);
  if (const IshneLead& chosen = header.leads[position]; chosen.resolution_nv <= 0)
    fail(ErrorKind::input, source.path + ": byte " + std::to_string(chosen.resolution_byte),
         "the resolution of lead '" + chosen.name + "' is " + std::to_string(chosen.resolution_nv) +
             " nV, so its samples have no unit; choose another lead (ingest.column)");
  source.signal.format = "ISHNE";
  source.signal.names.reserve(leads.size());
  for (const auto& one : leads) source.signal.names.push_back(one.name);
  source.signal.name = leads[position].name;
  source.signal.unit = "mV";
  source.signal.warnings = header.warnings;
  if (header.sample_rate_hz) {
    source.signal.sample_rate_hz = static_cast<double>(*header.sample_rate_hz);
    source.signal.rate_origin = RateOrigin::header;
  } else {
    source.signal.no_rate_because = "the header does not tell it";
  }
  source.samples = header.samples;
  source.bytes = file->size();
  const auto samples = std::make_shared<IshneSamples>(file, header, position);
  source.read = [samples](std::span<float> values) { samples->read(values); };
  return source;
}

}  // namespace beatscan
