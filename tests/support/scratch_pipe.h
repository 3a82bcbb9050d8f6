// A named pipe of its own for one test, and a thread that may wait for its other end for ever where it should not.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

#include "support/scratch_folder.h"

namespace warpmeter::test {

class NamedPipe {
 public:
  NamedPipe() : path_(folder_.file("pipe")) {
    if (mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error(path_ + ": cannot be made");
  }
  const std::string& path() const { return path_; }

  // A writer, which is gone with the next call of close(2). Waits for a reader.
  int writer() const { return open(path_.c_str(), O_WRONLY | O_CLOEXEC); }

  // What `use` returns or throws, which is to end although nobody comes to the other end.
  template <class Use>
  auto alone(Use use) const {
    auto ended = std::async(std::launch::async, use);
    const bool soon = ended.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    EXPECT_TRUE(soon) << "waits for the other end of a named pipe";
    const int both_ends = soon ? -1 : open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (!soon) ended.wait_for(std::chrono::seconds(1));
    if (both_ends >= 0) close(both_ends);
    return ended.get();
  }

 private:
  ScratchFolder folder_;
  std::string path_;
};

}  // namespace warpmeter::test
