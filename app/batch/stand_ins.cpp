#include "app/batch/stand_ins.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "app/text/error_text.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

// Messages between the processes. Sockets of kind SOCK_SEQPACKET keep them apart.
struct Order {
  std::size_t recording;
  int threads;
};
struct Hello {
  pid_t process;
};
struct Answer {
  enum Outcome { done, interrupted, error } outcome = done;
  ErrorKind kind = ErrorKind::internal;
  std::array<char, 4096> what{};
};

template <class Message>
bool send_message(int socket, const Message& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

// Returns nothing where the other end is closed.
template <class Message>
std::optional<Message> receive_message(int socket) {
  Message message;
  const ssize_t size = TEMP_FAILURE_RETRY(recv(socket, &message, sizeof message, 0));
  return size == sizeof message ? std::optional(message) : std::nullopt;
}

Answer answer_of(ErrorKind kind, std::string_view what) {
  Answer answer{.outcome = Answer::error, .kind = kind};
  what.copy(answer.what.data(), answer.what.size() - 1);
  return answer;
}

// A GPU, and the socket that goes with it to another process.
bool send_gpu(int socket, Gpu gpu, int passed) {
  iovec part{&gpu, sizeof gpu};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof passed)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof passed);
  std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof gpu;
}

// Returns the socket; nothing where the other end is closed.
std::optional<int> receive_gpu(int socket, Gpu& gpu) {
  iovec part{&gpu, sizeof gpu};
  int passed = -1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof passed)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (TEMP_FAILURE_RETRY(recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) != sizeof gpu) return std::nullopt;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return std::nullopt;
  std::memcpy(&passed, CMSG_DATA(header), sizeof passed);
  return passed;
}

Answer answer_to(const Order& order, const StandIns::Work& work) {
  const Share threads = order.threads;
  const ShareOfThisThread share(&threads);
  try {
    work(order.recording);
    return {};
  } catch (const Interrupted&) {
    return {.outcome = Answer::interrupted};
  } catch (const Error& error) {
    return answer_of(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return answer_of(ErrorKind::internal, "out of memory");
  } catch (const std::exception& error) {
    return answer_of(ErrorKind::internal, unexpected_error(error));
  }
}

// The life of a stand-in. The system ends what CUDA holds.
[[noreturn]] void serve(int socket, const Gpu& gpu, const StandIns::MakeWork& make_work) {
  bool goes_on = send_message(socket, Hello{getpid()});
  const StandIns::Work work = make_work(gpu);
  while (goes_on) {
    const auto order = receive_message<Order>(socket);
    if (!order) break;
    const Answer answer = answer_to(*order, work);
    std::fflush(stdout);
    goes_on = send_message(socket, answer) && answer.outcome != Answer::interrupted &&
              !(answer.outcome == Answer::error && answer.kind == ErrorKind::device);
  }
  _exit(0);
}

// Has a signal's handler stay when the signal comes. Otherwise a second signal of its kind ends a process at once, and
// a stand-in gets two: one with all processes of the batch, and one from the process that it stands in for.
void keep_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    action.sa_flags &= ~static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

// The life of the copy that has not used CUDA. It ends when the process that made it does.
[[noreturn]] void copy_on_demand(int socket, const StandIns::MakeWork& make_work) {
  signal(SIGCHLD, SIG_IGN);  // nobody waits for stand-ins
  keep_handlers();
  Gpu gpu;
  while (const auto passed = receive_gpu(socket, gpu)) {
    if (fork() == 0) {
      close(socket);
      serve(*passed, gpu, make_work);
    }
    close(*passed);
  }
  _exit(0);
}

// Makes two sockets that are connected; both are -1 where that fails.
std::array<int, 2> connected_sockets() {
  std::array<int, 2> ends{-1, -1};
  socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
  return ends;
}

}  // namespace

StandIns::StandIns(const MakeWork& make_work) {
  const auto [here, there] = connected_sockets();
  if (here < 0) return;
  std::fflush(nullptr);  // otherwise the copy would write what is buffered once more
  const pid_t copy = fork();
  if (copy == 0) {
    close(here);
    copy_on_demand(there, make_work);
  }
  close(there);
  socket_ = here;
}

StandIns::~StandIns() {
  if (socket_ >= 0) close(socket_);
}

std::unique_ptr<StandIn> StandIns::start(const Gpu& gpu) const {
  const auto [here, there] = connected_sockets();
  if (there >= 0) {
    send_gpu(socket_, gpu, there);  // if it fails, nobody answers
    close(there);
  }
  return std::make_unique<StandIn>(here);
}

StandIn::~StandIn() { hang_up(); }

void StandIn::hang_up() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void StandIn::analyse(std::size_t recording, int threads) {
  constexpr const char* kNone = "another process that uses the GPU cannot be started";
  if (process_ == 0) {
    const auto hello = receive_message<Hello>(socket_);
    if (!hello) throw Error(ErrorKind::device, kNone);
    process_ = hello->process;
  }
  if (!send_message(socket_, Order{recording, threads})) throw Error(ErrorKind::device, kNone);
  try {
    wait_for_bytes(socket_);
  } catch (const Interrupted& interrupted) {
    stop(interrupted.signal);
    throw;
  }
  const auto answer = receive_message<Answer>(socket_);
  if (!answer) throw Error(ErrorKind::internal, "the process that analysed it has ended before it was done");
  if (answer->outcome == Answer::interrupted) {
    throw_if_interrupted();
    throw Error(ErrorKind::internal, "the process that analysed it was stopped by a signal");
  }
  if (answer->outcome == Answer::done) return;
  if (answer->kind == ErrorKind::device) hang_up();  // it has ended
  throw Error(answer->kind, answer->what.data());
}

// Stops the process by a signal, and waits until it has ended: it may write a checkpoint first.
void StandIn::stop(int signal) {
  kill(process_, signal);
  constexpr int kMilliseconds = 60'000;
  pollfd ended{socket_, POLLIN, 0};
  poll(&ended, 1, kMilliseconds);
}

}  // namespace beatscan
