#include "app/batch/worker_processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/batch/devices.h"
#include "app/common/errors.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

// Messages between the processes. Sockets of type SOCK_SEQPACKET preserve message boundaries.
using Order = WorkerProcess::Order;
struct Hello {
  pid_t process;
};
struct Answer {
  enum Outcome { done, interrupted, error } outcome = done;
  ErrorKind kind = ErrorKind::internal;
  bool names_it = true;       // the message names the recording
  bool process_ends = false;  // its GPU is no longer usable
  std::array<char, 4096> what{};
};

template <class Message>
bool send_message(int socket, const Message& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

// Returns nullopt if the other end is closed.
template <class Message>
std::optional<Message> receive_message(int socket) {
  Message message;
  const ssize_t size = TEMP_FAILURE_RETRY(recv(socket, &message, sizeof message, 0));
  return size == sizeof message ? std::optional(message) : std::nullopt;
}

Answer answer_of(ErrorKind kind, std::string_view what, bool names_it) {
  Answer answer{.outcome = Answer::error, .kind = kind, .names_it = names_it};
  what.copy(answer.what.data(), answer.what.size() - 1);
  return answer;
}

// A message with a GPU, and space for a socket that is passed to another process.
struct GpuAndSocket {
  Gpu gpu;
  iovec part{&gpu, sizeof gpu};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};

  explicit GpuAndSocket(const Gpu& of = {}) : gpu(of) {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  GpuAndSocket(const GpuAndSocket&) = delete;  // contains a pointer to itself
  GpuAndSocket& operator=(const GpuAndSocket&) = delete;
};

bool send_gpu(int socket, const Gpu& gpu, int passed) {
  GpuAndSocket sent(gpu);
  cmsghdr* const header = CMSG_FIRSTHDR(&sent.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof passed);
  std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  return sendmsg(socket, &sent.message, MSG_NOSIGNAL) == sizeof gpu;
}

// Returns the socket; nullopt if the other end is closed.
std::optional<int> receive_gpu(int socket, Gpu& gpu) {
  GpuAndSocket received;
  if (TEMP_FAILURE_RETRY(recvmsg(socket, &received.message, MSG_CMSG_CLOEXEC)) != sizeof gpu) return std::nullopt;
  const cmsghdr* const header = CMSG_FIRSTHDR(&received.message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return std::nullopt;
  gpu = received.gpu;
  int passed = -1;
  std::memcpy(&passed, CMSG_DATA(header), sizeof passed);
  return passed;
}

Answer answer_to(const Order& order, const WorkerProcesses::Work& work) {
  const Share threads = order.threads;
  const ShareOfThisThread share(&threads);
  try {
    work.analyse(order.recording, order.resume);
    return {};
  } catch (const Interrupted&) {
    return {.outcome = Answer::interrupted};
  } catch (const Error& error) {
    Answer answer = answer_of(error.kind(), error.what(), true);
    answer.process_ends = error.kind() == ErrorKind::device && !work.gpu_works();
    return answer;
  } catch (const std::bad_alloc&) {
    return answer_of(ErrorKind::internal, "out of memory", false);
  } catch (const std::exception& error) {
    return answer_of(ErrorKind::internal, unexpected_error(error), false);
  }
}

// Makes this process end with its parent, even after SIGKILL. Otherwise it would finish a recording that nobody waits
// for.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent has ended already
}

// Main function of a worker process. Without noexcept, an exception would unwind into this copy's batch code. The
// system frees what CUDA holds.
[[noreturn]] void serve(int socket, const Gpu& gpu, const WorkerProcesses::MakeWork& make_work) noexcept {
  signal(SIGCHLD, SIG_DFL);
  bool goes_on = send_message(socket, Hello{getpid()});
  const WorkerProcesses::Work work = make_work(gpu);
  while (goes_on) {
    const auto order = receive_message<Order>(socket);
    if (!order) break;
    const Answer answer = answer_to(*order, work);
    std::fflush(stdout);
    goes_on = send_message(socket, answer) && answer.outcome != Answer::interrupted && !answer.process_ends;
  }
  _exit(0);
}

// Keeps a signal's handler installed after the first signal. Otherwise a second signal ends the process at once, and a
// worker process gets two: one sent to all processes of the batch, and one from the process that it works for.
void keep_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    action.sa_flags &= ~static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

// Main function of the process copy that has not used CUDA. It ends with the process that forked it.
[[noreturn]] void copy_on_demand(int socket, const WorkerProcesses::MakeWork& make_work) noexcept {
  signal(SIGCHLD, SIG_IGN);  // nobody waits for the worker processes
  keep_handlers();
  Gpu gpu;
  const pid_t here = getpid();
  while (const auto passed = receive_gpu(socket, gpu)) {
    pretend_signal(0);  // a signal sent to this process is not for the worker processes
    if (fork() == 0) {
      end_with(here);
      close(socket);
      serve(*passed, gpu, make_work);
    }
    close(*passed);
  }
  _exit(0);
}

// A signal sent to all processes of the batch may reach a worker process first. Throws Interrupted if it arrives here,
// too.
void wait_for_own_signal() {
  for (int i = 0; i < 100; ++i) {
    throw_if_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Creates a pair of connected sockets; both are -1 on failure.
std::array<int, 2> connected_sockets() {
  std::array<int, 2> ends{-1, -1};
  socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
  return ends;
}

}  // namespace

WorkerProcesses::WorkerProcesses(const MakeWork& make_work) {
  const auto [here, there] = connected_sockets();
  if (here < 0) return;
  std::fflush(nullptr);  // otherwise the copy would write the buffered output again
  const pid_t batch = getpid();
  copy_ = fork();
  if (copy_ == 0) {
    end_with(batch);
    close(here);
    copy_on_demand(there, make_work);
  }
  close(there);
  socket_ = here;
}

WorkerProcesses::~WorkerProcesses() {
  if (socket_ >= 0) close(socket_);
  if (copy_ > 0) TEMP_FAILURE_RETRY(waitpid(copy_, nullptr, 0));
}

std::unique_ptr<WorkerProcess> WorkerProcesses::start(const Gpu& gpu) const {
  const auto [here, there] = connected_sockets();
  if (there >= 0) {
    send_gpu(socket_, gpu, there);  // if it fails, nobody answers
    close(there);
  }
  return std::make_unique<WorkerProcess>(here);
}

WorkerProcess::~WorkerProcess() { hang_up(); }

void WorkerProcess::hang_up() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void WorkerProcess::analyse(const Order& order, const std::string& name) {
  requests_ = checkpoint_requests();
  send(order);
  try {
    wait_for_message();
  } catch (const Interrupted& interrupted) {
    stop(interrupted.signal);
    throw;
  }
  const auto answer = receive_message<Answer>(socket_);
  if (answer && answer->outcome == Answer::done) return;
  if (!answer || answer->outcome == Answer::interrupted || answer->process_ends) hang_up();
  if (!answer) throw Error(ErrorKind::device, name + ": the process that analysed it ended early");
  if (answer->outcome == Answer::interrupted) {
    wait_for_own_signal();
    throw Error(ErrorKind::internal, name + ": the process that analysed it was stopped by a signal");
  }
  throw Error(answer->kind, (answer->names_it ? "" : name + ": ") + answer->what.data());
}

void WorkerProcess::send(const Order& order) {
  if (process_ == 0 && !has_ended()) {
    wait_for_message();
    if (const auto hello = receive_message<Hello>(socket_)) process_ = hello->process;
  }
  if (process_ != 0 && send_message(socket_, order)) return;
  hang_up();
  throw Error(ErrorKind::device, "another process that uses the GPU cannot be started");
}

// Forwards requests for a checkpoint. Throws Interrupted after a signal that ends the program.
void WorkerProcess::wait_for_message() {
  constexpr int kMilliseconds = 100;
  pollfd answer{socket_, POLLIN, 0};
  for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR); ready = poll(&answer, 1, kMilliseconds)) {
    throw_if_interrupted();
    const int now = checkpoint_requests();
    if (process_ > 0 && std::exchange(requests_, now) != now) kill(process_, SIGUSR1);
  }
}

// Stops the process by a signal and waits until it ends: it may write a checkpoint first.
void WorkerProcess::stop(int signal) {
  kill(process_, signal);
  constexpr int kMilliseconds = 60'000;
  pollfd ended{socket_, POLLIN, 0};
  TEMP_FAILURE_RETRY(poll(&ended, 1, kMilliseconds));
}

}  // namespace beatscan
