// When streams call functions of the host: behind what is before, in order, by themselves, and without the caller's
// locks.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class HostFunctionsTest : public MachineTest, public testing::WithParamInterface<WorkOrder> {
 protected:
  HostFunctionsTest() { settings().order = GetParam(); }

  // A function that does something, which must stay until the stream is through.
  static void call(const TestStream& stream, std::function<void()>& function) {
    const auto run = [](void* argument) { (*static_cast<std::function<void()>*>(argument))(); };
    ASSERT_EQ(cudaLaunchHostFunc(stream.get(), run, &function), cudaSuccess);
  }
  static void finish(const TestStream& stream) { ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess); }
};

TEST_P(HostFunctionsTest, AreCalledBehindWhatIsBefore) {
  const DeviceBytes memory(4);
  PinnedBytes host(4);
  const TestStream stream;
  Bytes seen;
  std::function<void()> see = [&] { seen.push_back(host.get()[0]); };
  for (const int byte : {7, 8}) {
    ASSERT_EQ(cudaMemsetAsync(memory.get(), byte, 4, stream.get()), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(host.get(), memory.get(), 4, cudaMemcpyDeviceToHost, stream.get()), cudaSuccess);
    call(stream, see);
  }
  finish(stream);
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen.back(), 8);
  EXPECT_EQ(reports_made(), 0u);
}

// Nobody waits for the stream, and the one who gave it the work holds what the function wants.
TEST_P(HostFunctionsTest, ComeWithoutAnybodyWaitingForTheStream) {
  const DeviceBytes memory(4);
  const TestStream first, second;
  const TestEvent filled;
  std::mutex mutex;
  std::condition_variable changed;
  bool called = false;
  std::function<void()> tell = [&] {
    const std::lock_guard lock(mutex);
    called = true;
    changed.notify_all();
  };
  {
    std::unique_lock lock(mutex);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, first.get()), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second.get(), filled.get(), 0), cudaSuccess);
    call(second, tell);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 9, 4, second.get()), cudaSuccess);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return called; }));
  }
  EXPECT_EQ(cudaEventQuery(filled.get()), cudaSuccess);
  finish(second);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 9));
}

TEST_P(HostFunctionsTest, WhatIsBehindThemWaits) {
  const DeviceBytes memory(4);
  const TestStream stream, other;
  const TestEvent end;
  std::atomic<bool> go_on = false;
  std::function<void()> wait = [&] { go_on.wait(false); };
  ASSERT_EQ(cudaMemset(memory.get(), 1, 4), cudaSuccess);
  call(stream, wait);
  ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end.get(), stream.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other.get(), end.get(), 0), cudaSuccess);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(cudaEventQuery(end.get()), cudaErrorNotReady);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 1));
  go_on = true;
  go_on.notify_all();
  finish(other);
  EXPECT_EQ(cudaEventQuery(end.get()), cudaSuccess);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 7));
}

TEST_P(HostFunctionsTest, AGraphCallsThemAtEachLaunch) {
  const TestStream stream;
  int calls = 0;
  std::function<void()> count = [&] { ++calls; };
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  call(stream, count);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int launch = 0; launch < 3; ++launch) ASSERT_EQ(cudaGraphLaunch(exec, stream.get()), cudaSuccess);
  finish(stream);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_P(HostFunctionsTest, MustNotCallTheRuntime) {
  const TestStream stream;
  std::function<void()> ask = [] { cudaGetLastError(); };
  call(stream, ask);
  finish(stream);
  EXPECT_EQ(reports_made(Finding::api), 1u);
}

INSTANTIATE_TEST_SUITE_P(Orders, HostFunctionsTest,
                         testing::Values(WorkOrder::late, WorkOrder::now, WorkOrder::random));

}  // namespace
}  // namespace cuda_machine::test
