// Races between the work of streams are found in whatever order the work is done.
#include <initializer_list>

#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

class StreamRaces : public MachineTest, public testing::WithParamInterface<WorkOrder> {
 protected:
  StreamRaces() {
    settings().order = GetParam();
    settings().check_races = Races::ours;
  }
  static std::uint64_t races() { return reports_made(Finding::race); }

  static void finish(std::initializer_list<const TestStream*> streams) {
    for (const TestStream* stream : streams) ASSERT_EQ(cudaStreamSynchronize(stream->get()), cudaSuccess);
  }
  static void fill(const TestStream& stream, const DeviceBytes& memory, std::size_t at, std::size_t bytes) {
    ASSERT_EQ(cudaMemsetAsync(memory.get() + at, 1, bytes, stream.get()), cudaSuccess);
  }
  static void read(const TestStream& stream, const DeviceBytes& memory, PinnedBytes& to) {
    ASSERT_EQ(cudaMemcpyAsync(to.get(), memory.get(), 64, cudaMemcpyDeviceToHost, stream.get()), cudaSuccess);
  }
};

TEST_P(StreamRaces, TwoThatWrite) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  fill(first, memory, 0, 64);
  fill(second, memory, 60, 4);
  finish({&first, &second});
  EXPECT_EQ(races(), 1u);
}

TEST_P(StreamRaces, OneThatReadsWhatAnotherWrites) {
  const DeviceBytes memory(64);
  PinnedBytes host(64);
  const TestStream first, second;
  fill(first, memory, 0, 64);
  ASSERT_EQ(cudaStreamSynchronize(first.get()), cudaSuccess);
  read(first, memory, host);
  fill(second, memory, 0, 4);
  finish({&first, &second});
  EXPECT_EQ(races(), 1u);
}

TEST_P(StreamRaces, TwoThatReadAreNone) {
  const DeviceBytes memory(64);
  PinnedBytes host(64), other(64);
  const TestStream first, second;
  fill(first, memory, 0, 64);
  ASSERT_EQ(cudaStreamSynchronize(first.get()), cudaSuccess);
  read(first, memory, host);
  read(second, memory, other);
  finish({&first, &second});
  EXPECT_EQ(races(), 0u);
}

TEST_P(StreamRaces, NoneInPlacesOfTheirOwn) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  fill(first, memory, 0, 32);
  fill(second, memory, 32, 32);
  finish({&first, &second});
  EXPECT_EQ(races(), 0u);
}

TEST_P(StreamRaces, NoneWhereAnEventOrders) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  const TestEvent filled;
  fill(first, memory, 0, 64);
  ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second.get(), filled.get(), 0), cudaSuccess);
  fill(second, memory, 0, 64);
  finish({&first, &second});
  EXPECT_EQ(races(), 0u);
}

// An event orders what was there when it was recorded, and no more.
TEST_P(StreamRaces, AnEventThatIsRecordedTooEarly) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  const TestEvent early;
  ASSERT_EQ(cudaEventRecord(early.get(), first.get()), cudaSuccess);
  fill(first, memory, 0, 64);
  ASSERT_EQ(cudaStreamWaitEvent(second.get(), early.get(), 0), cudaSuccess);
  fill(second, memory, 0, 4);
  finish({&first, &second});
  EXPECT_EQ(races(), 1u);
}

TEST_P(StreamRaces, NoneWhereTheHostWaits) {
  const DeviceBytes memory(64);
  const TestStream first, second;
  const TestEvent filled;
  fill(first, memory, 0, 64);
  ASSERT_EQ(cudaEventRecord(filled.get(), first.get()), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(filled.get()), cudaSuccess);
  fill(second, memory, 0, 64);
  finish({&first, &second});
  EXPECT_EQ(races(), 0u);
}

// The default stream is not waited for by streams that do not block.
TEST_P(StreamRaces, WithTheDefaultStream) {
  const DeviceBytes memory(64);
  const TestStream stream;
  ASSERT_EQ(cudaMemsetAsync(memory.get(), 1, 64, nullptr), cudaSuccess);
  fill(stream, memory, 0, 4);
  finish({&stream});
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(races(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Orders, StreamRaces, testing::Values(WorkOrder::late, WorkOrder::now, WorkOrder::random));

}  // namespace
}  // namespace cuda_machine::test
