// What the log of operations says of each call, and that there is none unless it is asked for.
#include "simulator/runtime/operation_log.h"

#include <regex>
#include <thread>

#include "simulator/test/runtime/device_memory.h"
#include "support/scratch_folder.h"

namespace cuda_machine::test {
namespace {

using Lines = std::vector<std::string>;

class OperationLogTest : public MachineTest {
 protected:
  OperationLogTest() { settings().log_folder = folder_.path(); }

  // One a call, without the numbers of streams: other tests of the process had some.
  Lines lines() const {
    std::istringstream text(text_of_file());
    Lines found;
    for (std::string line; std::getline(text, line);) found.push_back(line);
    return found;
  }
  std::string text_of_file() const {
    return folder_.entries() ? warpmeter::test::file_text(folder_.file(std::to_string(::getpid()) + ".operations"))
                             : "";
  }
  static std::string member(const std::string& line, const std::string& name) {
    std::smatch found;
    const bool is_there = std::regex_search(line, found, std::regex('"' + name + R"(": ("[^"]*"|\d+|\[\[?.*?\]\]?))"));
    return is_there ? found[1].str() : "";
  }
  static Lines members(const Lines& lines, const std::string& name) {
    Lines found;
    for (const std::string& line : lines) found.push_back(member(line, name));
    return found;
  }

  const warpmeter::test::ScratchFolder folder_;
};

TEST_F(OperationLogTest, TellsEachCallOfAStreamInOrder) {
  const DeviceBytes memory(64), other(64);
  const PinnedBytes host(64);
  const TestStream stream;
  const TestEvent event;
  const std::size_t before = lines().size();
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.get(), 48, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(other.get(), 1, 32, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(other.get(), memory.get(), 8, cudaMemcpyDeviceToDevice, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(host.get(), other.get(), 16, cudaMemcpyDeviceToHost, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event.get(), stream.get()), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(event.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  Lines said = lines();
  said.erase(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(members(said, "call"), (Lines{"\"copy_in\"", "\"fill\"", "\"copy_on_device\"", "\"copy_out\"", "\"event\"",
                                          "\"wait_on_host\"", "\"wait_on_host\""}));
  EXPECT_EQ(members(said, "number"), (Lines{"1", "2", "3", "4", "5", "5", "5"}));
  EXPECT_EQ(members(said, "bytes"), (Lines{"48", "32", "8", "16", "0", "", ""}));
  EXPECT_EQ(members(said, "how"), (Lines{"", "", "", "", "", "\"event\"", "\"stream\""}));
  EXPECT_EQ(member(said[0], "pinned"), member(said[3], "pinned"));
  EXPECT_NE(member(said[0], "pinned"), "");
  EXPECT_EQ(member(said[2], "pinned"), "");
}

TEST_F(OperationLogTest, TellsWhatWorkWaitsFor) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  const TestEvent filled;
  ASSERT_EQ(cudaMemsetAsync(memory.get(), 1, 64, first.get()), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second.get(), filled.get(), 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(second.get()), cudaSuccess);
  const Lines all = lines();
  const std::string &event = all[all.size() - 3], &wait = all[all.size() - 2];
  EXPECT_EQ(member(event, "after"), "[]");
  EXPECT_EQ(member(wait, "call"), "\"wait\"");
  EXPECT_EQ(member(wait, "after"), "[[" + member(event, "stream") + ", 2]]");
  EXPECT_NE(member(wait, "stream"), member(event, "stream"));
}

TEST_F(OperationLogTest, TellsThreadsApart) {
  const DeviceBytes memory(64);
  const TestStream stream;
  const auto fill = [&] { ASSERT_EQ(cudaMemsetAsync(memory.get(), 1, 64, stream.get()), cudaSuccess); };
  fill();
  std::thread(fill).join();
  fill();
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  const Lines all = members(lines(), "thread");
  const std::size_t last = all.size() - 1;
  EXPECT_EQ(all[last - 3], all[last]);
  EXPECT_NE(all[last - 2], all[last]);
  EXPECT_EQ(all[last - 1], all[last]);
}

TEST_F(OperationLogTest, TellsMemoryByItsKindAndNumber) {
  {
    const PinnedBytes first(100), second(200);
    const DeviceBytes memory(300);
  }
  const Lines all = lines();
  EXPECT_EQ(members(all, "bytes"), (Lines{"100", "200", "300", "", "", ""}));
  const std::string of_pinned = "\"pinned\"", of_device = "\"device\"";
  EXPECT_EQ(members(all, "of"), (Lines{of_pinned, of_pinned, of_device, of_device, of_pinned, of_pinned}));
  EXPECT_EQ(member(all[0], "number"), member(all[5], "number"));
  EXPECT_EQ(member(all[1], "number"), member(all[4], "number"));
  EXPECT_NE(member(all[0], "number"), member(all[1], "number"));
}

// A copy from the GPU to memory that is not pinned is one that the host waits for.
TEST_F(OperationLogTest, TellsCopiesThatTheHostWaitsFor) {
  const DeviceBytes memory(4);
  ASSERT_EQ(cudaMemset(memory.get(), 1, 4), cudaSuccess);
  contents(memory, 4);
  const Lines all = lines();
  EXPECT_EQ(member(all[1], "call"), "\"fill\"");
  EXPECT_EQ(member(all[2], "call"), "\"copy_out\"");
  EXPECT_EQ(member(all[3], "how"), "\"copy\"");
}

TEST_F(OperationLogTest, IsNotWrittenUnlessItIsAskedFor) {
  settings().log_folder.clear();
  const DeviceBytes memory(64);
  const TestStream stream;
  ASSERT_EQ(cudaMemsetAsync(memory.get(), 1, 64, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(folder_.entries(), 0u);
}

}  // namespace
}  // namespace cuda_machine::test
