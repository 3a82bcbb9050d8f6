// A pipe whose far end a thread writes in pieces.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/files/descriptor.h"
#include "support/byte_writer.h"

namespace warpmeter::test {

class FedPipe {
 public:
  // Writes `content`, `piece` bytes at a time, with a pause before each so that reads really come up short.
  FedPipe(Bytes content, std::size_t piece, std::chrono::microseconds pause = {}) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    read_end_ = ends[0];
    writer_ = std::thread([to = ends[1], content = std::move(content), piece, pause] {
      block_broken_pipe_signal();
      feed(to, content, piece, pause);
      close(to);
    });
  }
  ~FedPipe() { writer_.join(); }
  FedPipe(const FedPipe&) = delete;
  FedPipe& operator=(const FedPipe&) = delete;

  // For whoever reads, once.
  Descriptor read_end() const { return Descriptor(read_end_); }

 private:
  // The reader may be gone before all is written.
  static void block_broken_pipe_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  static void feed(int to, const Bytes& content, std::size_t piece, std::chrono::microseconds pause) {
    for (std::size_t at = 0; at < content.size();) {
      if (pause.count()) std::this_thread::sleep_for(pause);
      const ssize_t put = write(to, content.data() + at, std::min(piece, content.size() - at));
      if (put <= 0) break;
      at += static_cast<std::size_t>(put);
    }
  }

  int read_end_ = -1;
  std::thread writer_;
};

}  // namespace warpmeter::test
