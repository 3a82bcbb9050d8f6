// When work in streams is done, and what waits for what.
#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

using Streams = MachineTest;
using Bytes = std::vector<std::uint8_t>;

TEST_F(Streams, WorkIsDoneLateOrNow) {
  for (const WorkOrder order : {WorkOrder::late, WorkOrder::now}) {
    settings().order = order;
    const DeviceBytes memory(4);
    const TestStream stream;
    ASSERT_EQ(cudaMemset(memory.get(), 1, 4), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, stream.get()), cudaSuccess);
    EXPECT_EQ(contents(memory, 1), Bytes{static_cast<std::uint8_t>(order == WorkOrder::now ? 7 : 1)});
    ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
    EXPECT_EQ(contents(memory, 1), Bytes{7});
  }
  EXPECT_EQ(reports_made(), 0u);
}

TEST_F(Streams, AtRandomAnythingMayHaveBeenDone) {
  settings().order = WorkOrder::random;
  const DeviceBytes memory(4);
  const TestStream stream;
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(cudaMemset(memory.get(), 1, 4), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, stream.get()), cudaSuccess);
    done += contents(memory, 1) == Bytes{7};
    ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  }
  EXPECT_GT(done, 10);
  EXPECT_LT(done, 190);
}

// The second stream sees what the first did only if it waits for it.
TEST_F(Streams, WaitForEachOtherByEvents) {
  for (const bool waits : {false, true}) {
    const DeviceBytes memory(4), copy(4);
    const TestStream first, second;
    const TestEvent filled;
    ASSERT_EQ(cudaMemset(memory.get(), 1, 4), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, first.get()), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
    if (waits) {
      ASSERT_EQ(cudaStreamWaitEvent(second.get(), filled.get(), 0), cudaSuccess);
    }
    ASSERT_EQ(cudaMemcpyAsync(copy.get(), memory.get(), 4, cudaMemcpyDeviceToDevice, second.get()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(second.get()), cudaSuccess);
    EXPECT_EQ(contents(copy, 1), Bytes{static_cast<std::uint8_t>(waits ? 7 : 1)});
  }
}

TEST_F(Streams, AnEventIsReachedWhenTheHostWaitsForIt) {
  const DeviceBytes memory(4);
  const TestStream stream;
  const TestEvent begin, end;
  ASSERT_EQ(cudaEventRecord(begin.get(), stream.get()), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end.get(), stream.get()), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), cudaErrorNotReady);
  EXPECT_EQ(reports_made(Finding::api), 1u);
  ASSERT_EQ(cudaEventSynchronize(end.get()), cudaSuccess);
  EXPECT_EQ(contents(memory, 1), Bytes{7});
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

// What comes back may lie where it came from.
TEST_F(Streams, ACopyBackToItsSourceIsNoChangeOfIt) {
  for (const WorkOrder order : {WorkOrder::late, WorkOrder::now, WorkOrder::random}) {
    settings().order = order;
    const DeviceBytes memory(4);
    const PinnedBytes host(4);
    const TestStream stream;
    std::fill_n(host.get(), 4, std::uint8_t{7});
    ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.get(), 4, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(host.get(), memory.get(), 4, cudaMemcpyDeviceToHost, stream.get()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
    EXPECT_EQ(Bytes(host.get(), host.get() + 4), Bytes(4, 7));
  }
  EXPECT_EQ(reports_made(), 0u);
}

// Asking does not wait; but who asks often enough is told in the end.
TEST_F(Streams, AnEventThatIsAskedForIsReachedInTheEnd) {
  for (const WorkOrder order : {WorkOrder::late, WorkOrder::now, WorkOrder::random}) {
    settings().order = order;
    const DeviceBytes memory(4);
    const TestStream first, second;
    const TestEvent filled, end;
    EXPECT_EQ(cudaEventQuery(end.get()), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(memory.get(), 7, 4, first.get()), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second.get(), filled.get(), 0), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(end.get(), second.get()), cudaSuccess);
    int questions = 1;
    while (cudaEventQuery(end.get()) == cudaErrorNotReady) ++questions;
    EXPECT_LE(questions, 5);
    if (order == WorkOrder::late) {
      EXPECT_GT(questions, 1);
    }
    EXPECT_EQ(cudaEventQuery(end.get()), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not to be ready is no error
    EXPECT_EQ(contents(memory, 4), Bytes(4, 7));
  }
  EXPECT_EQ(reports_made(), 0u);
}

TEST_F(Streams, OneThatWasDestroyedIsReported) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(reports_made(Finding::api), 1u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace cuda_machine::test
