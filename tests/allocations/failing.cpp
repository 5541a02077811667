#include "tests/allocations/failing.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
}

namespace beatscan::allocations {
namespace {

// The number of our calls that identify a site. A single one would not distinguish the callers of std::vector.
constexpr int kDepth = 2;
constexpr std::size_t kSlots = 1 << 16;

enum class Mode { off, recording, failing };
enum class Owner { ours, libtorch, other };

struct Slot {
  std::atomic<std::uint64_t> id;
  std::atomic<std::uint32_t> requests;
  std::atomic<bool> libtorchs;
  std::array<void*, kDepth> calls;
};

struct Module {
  std::uintptr_t first, last, base;
  Owner owner;
  char name[64];
};

Slot* slots = nullptr;  // shared with all forks
std::array<Module, 64> modules;
int module_count = 0;
std::atomic<Mode> mode = Mode::off;
std::atomic<std::uint64_t> failing_site;
std::atomic<std::uint32_t> requests_left;
std::atomic<bool> fails_for_good, failed;
thread_local bool busy = false;

const Module* module_of(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& module : std::span(modules).first(static_cast<std::size_t>(module_count)))
    if (module.first <= place && place < module.last) return &module;
  return nullptr;
}

int add_module(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view path(info->dlpi_name);
  const auto name = path.substr(path.find_last_of('/') + 1);
  const bool ours = path.empty() || name.starts_with("libbeatscan");  // the program itself has no name
  const bool libtorchs = name.starts_with("libtorch") || name.starts_with("libc10");
  for (int i = 0; (ours || libtorchs) && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X) || module_count == std::ssize(modules)) continue;
    auto& module = modules[static_cast<std::size_t>(module_count++)];
    module = {info->dlpi_addr + part.p_vaddr,
              info->dlpi_addr + part.p_vaddr + part.p_memsz,
              info->dlpi_addr,
              ours ? Owner::ours : Owner::libtorch,
              {}};
    std::snprintf(module.name, sizeof module.name, "%.*s", static_cast<int>(name.size()), name.data());
  }
  return 0;
}

struct Request {
  std::uint64_t site = 0;  // 0: the request does not come from our code
  bool libtorchs = false;
  std::array<void*, kDepth> calls{};
};

struct Walk {
  Request request;
  int calls = 0;
  std::size_t known = 0;
};

// Checks one call on the stack, and ends the walk when the site is known: a few calls identify most requests.
_Unwind_Reason_Code look_at_call(_Unwind_Context* context, void* data) {
  constexpr int kOwn = 2, kMostCalls = 40;  // must_fail() and its caller are not part of the site
  auto& [request, calls, known] = *static_cast<Walk*>(data);
  if (++calls <= kOwn) return _URC_NO_REASON;
  void* const call = reinterpret_cast<void*>(_Unwind_GetIP(context));
  const Module* module = module_of(call);
  if (module && module->owner == Owner::libtorch && known == 0) request.libtorchs = true;
  if (module && module->owner == Owner::ours) {
    request.calls[known++] = call;
    request.site = (request.site ^ reinterpret_cast<std::uintptr_t>(call)) * 0x9e3779b97f4a7c15u;
  }
  return known == kDepth || calls == kMostCalls ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void record(const Request& request) {
  for (std::size_t i = request.site % kSlots, tries = 0; tries < kSlots; i = (i + 1) % kSlots, ++tries) {
    std::uint64_t expected = 0;
    if (slots[i].id.compare_exchange_strong(expected, request.site)) {
      slots[i].calls = request.calls;
      slots[i].libtorchs = request.libtorchs;
    } else if (expected != request.site) {
      continue;
    }
    ++slots[i].requests;
    return;
  }
}

bool fails(const Request& request) {
  if (failed) return fails_for_good;
  if (request.site != failing_site) return false;
  if (requests_left.fetch_sub(1) != 0) return false;
  failed = true;
  return true;
}

// Returns whether the current request must fail. Allocates no memory itself.
[[gnu::noinline]] bool must_fail(bool for_a_tensor = false) noexcept {
  if (mode == Mode::off || busy || (failed && !fails_for_good)) return false;
  busy = true;
  Walk walk;
  _Unwind_Backtrace(look_at_call, &walk);
  Request& request = walk.request;
  if (for_a_tensor) request.libtorchs = false;
  bool result = false;
  if (request.site != 0 && mode == Mode::recording) record(request);
  if (request.site != 0 && mode == Mode::failing) result = fails(request);
  busy = false;
  return result;
}

}  // namespace

void prepare() {
  Walk walk;
  _Unwind_Backtrace(look_at_call, &walk);  // loads now what the first walk needs
  void* memory = mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  slots = static_cast<Slot*>(memory);  // the memory is zero, as constructed slots are
  dl_iterate_phdr(add_module, nullptr);
}

void start_recording() {
  std::memset(static_cast<void*>(slots), 0, kSlots * sizeof(Slot));
  mode = Mode::recording;
}

std::vector<Site> recorded() {
  mode = Mode::off;
  std::vector<Site> sites;
  for (std::size_t i = 0; i < kSlots; ++i) {
    const auto& slot = slots[i];
    if (slot.id == 0) continue;
    Site site{slot.id, slot.requests, slot.libtorchs, {}};
    for (const void* call : slot.calls)
      if (const Module* module = call ? module_of(call) : nullptr) {
        char text[100];
        std::snprintf(text, sizeof text, "%s+0x%zx ", module->name,
                      reinterpret_cast<std::uintptr_t>(call) - module->base);
        site.where += text;
      }
    sites.push_back(std::move(site));
  }
  std::ranges::sort(sites, {}, &Site::id);
  return sites;
}

void fail(std::uint64_t site, std::uint32_t request, bool for_good) {
  failing_site = site;
  requests_left = request;
  fails_for_good = for_good;
  failed = false;
  mode = Mode::failing;
}

void stop() { mode = Mode::off; }

bool has_failed() { return failed; }

}  // namespace beatscan::allocations

// --- Functions that the linker substitutes for the standard ones

namespace {

using beatscan::allocations::must_fail;

void* plain(std::size_t bytes) { return __real_malloc(bytes ? bytes : 1); }
void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (bytes / unit + 1) * unit);
}
void* or_throw(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return or_throw(must_fail() ? nullptr : plain(bytes)); }
void* operator new[](std::size_t bytes) { return or_throw(must_fail() ? nullptr : plain(bytes)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return must_fail() ? nullptr : plain(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return must_fail() ? nullptr : plain(bytes); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return or_throw(must_fail() ? nullptr : aligned(bytes, a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return or_throw(must_fail() ? nullptr : aligned(bytes, a));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {
void* __wrap_malloc(std::size_t bytes) { return must_fail() ? nullptr : __real_malloc(bytes); }
void* __wrap_calloc(std::size_t n, std::size_t bytes) { return must_fail() ? nullptr : __real_calloc(n, bytes); }
void* __wrap_realloc(void* memory, std::size_t bytes) { return must_fail() ? nullptr : __real_realloc(memory, bytes); }

// This one is exported (ENABLE_EXPORTS), so that LibTorch finds it.
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  if (must_fail(true)) return ENOMEM;
  *memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  return *memory ? 0 : ENOMEM;
}
}
