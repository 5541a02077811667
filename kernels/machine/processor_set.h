// kernels/machine/processor_set.h — the processors that threads may run on, and their names.
#pragma once

#include <filesystem>
#include <istream>
#include <set>
#include <string>
#include <string_view>

namespace beatscan {

// Returns the model's name, which x86-64 has. Elsewhere it returns the name that the numbers of maker and part stand
// for, or these numbers if they are unknown; it is empty if there is neither.
std::string processor_name(std::istream& cpuinfo);

using ProcessorSet = std::set<int>;  // the system's numbers of processors, from 0

// Returns the processors of a list as Linux writes it: "0-3,8,10-11". Returns none if the text is no such list.
ProcessorSet processors_in(std::string_view list);

// Returns the processors that the calling thread may run on; none if they are unknown.
ProcessorSet processors_of_this_thread();

// Returns the processors that the process may run on, which are those of the thread that calls this first.
const ProcessorSet& processors_of_process();

// Returns the processors that are near a PCI device: those of its memory node. Returns none if they are unknown.
//   name     of the device, such as "0000:3B:00.0", in small or capital letters
//   devices  the folder of the system: /sys/bus/pci/devices
ProcessorSet processors_near(std::string_view name, const std::filesystem::path& devices);

// Keeps the calling thread on some processors while the object lives, and with it all threads that it starts meanwhile.
// It does nothing if the set is empty, or the system refuses. The object must end on the thread that made it.
class OnProcessors {
 public:
  explicit OnProcessors(const ProcessorSet& processors);
  ~OnProcessors();
  OnProcessors(const OnProcessors&) = delete;
  OnProcessors& operator=(const OnProcessors&) = delete;

 private:
  ProcessorSet before_;  // empty: nothing was changed
};

}  // namespace beatscan
