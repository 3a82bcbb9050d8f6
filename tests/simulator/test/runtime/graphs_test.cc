// Work that is captured is not done, and done by each launch; what orders streams orders the nodes of a graph.
#include "simulator/runtime/graph_capture.h"
#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class TestGraph {
 public:
  explicit TestGraph(cudaGraph_t graph) : graph_(graph) {
    EXPECT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  }
  ~TestGraph() {
    EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  }
  TestGraph(const TestGraph&) = delete;
  TestGraph& operator=(const TestGraph&) = delete;
  void launch(const TestStream& stream) const { ASSERT_EQ(cudaGraphLaunch(exec_, stream.get()), cudaSuccess); }
  cudaGraphExec_t get() const { return exec_; }

 private:
  cudaGraph_t graph_;
  cudaGraphExec_t exec_ = nullptr;
};

class Graphs : public MachineTest, public testing::WithParamInterface<WorkOrder> {
 protected:
  Graphs() {
    settings().order = GetParam();
    settings().check_races = Races::ours;
  }

  static void begin(const TestStream& stream) {
    ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  }
  static cudaGraph_t end(const TestStream& stream) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
    return graph;
  }
  static void fill(const TestStream& stream, const DeviceBytes& memory, int byte, std::size_t at = 0) {
    ASSERT_EQ(cudaMemsetAsync(memory.get() + at, byte, 4, stream.get()), cudaSuccess);
  }
  static void finish(const TestStream& stream) { ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess); }
  static void record(const TestEvent& event, const TestStream& stream) {
    ASSERT_EQ(cudaEventRecord(event.get(), stream.get()), cudaSuccess);
  }
  static void wait(const TestStream& stream, const TestEvent& event) {
    ASSERT_EQ(cudaStreamWaitEvent(stream.get(), event.get(), 0), cudaSuccess);
  }
};

TEST_P(Graphs, WorkIsDoneByEachLaunchAndNotBefore) {
  const DeviceBytes memory(8);
  PinnedBytes host(4);
  const TestStream stream;
  ASSERT_EQ(cudaMemset(memory.get(), 1, 8), cudaSuccess);
  std::fill_n(host.get(), 4, std::uint8_t{7});
  begin(stream);
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.get(), 4, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(memory.get() + 4, memory.get(), 4, cudaMemcpyDeviceToDevice, stream.get()), cudaSuccess);
  const TestGraph graph(end(stream));
  finish(stream);
  EXPECT_EQ(contents(memory, 8), Bytes(8, 1));
  // What the copy reads, it reads when it is launched.
  for (const std::uint8_t byte : Bytes{8, 9}) {
    std::fill_n(host.get(), 4, byte);
    graph.launch(stream);
    finish(stream);
    EXPECT_EQ(contents(memory, 8), Bytes(8, byte));
  }
  EXPECT_EQ(reports_made(), 0u);
}

// Nothing but the graph orders the two streams.
TEST_P(Graphs, AnotherStreamJoinsByEvents) {
  const DeviceBytes memory(4), copy(4);
  const TestStream first, second;
  const TestEvent filled, copied;
  begin(first);
  fill(first, memory, 7);
  record(filled, first);
  wait(second, filled);
  ASSERT_EQ(cudaMemcpyAsync(copy.get(), memory.get(), 4, cudaMemcpyDeviceToDevice, second.get()), cudaSuccess);
  record(copied, second);
  wait(first, copied);
  fill(first, memory, 9);
  const TestGraph graph(end(first));
  for (int launch = 0; launch < 3; ++launch) graph.launch(first);
  finish(first);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 9));
  EXPECT_EQ(contents(copy, 4), Bytes(4, 7));
  EXPECT_EQ(reports_made(), 0u);
  // The second stream is as it was.
  fill(second, copy, 1);
  finish(second);
  EXPECT_EQ(contents(copy, 4), Bytes(4, 1));
}

TEST_P(Graphs, RacesBetweenNodesAreFound) {
  const DeviceBytes memory(4);
  const TestStream first, second;
  const TestEvent begun, filled;
  begin(first);
  record(begun, first);
  wait(second, begun);
  fill(first, memory, 7);
  fill(second, memory, 8);  // nothing orders it behind the other
  record(filled, second);
  wait(first, filled);
  const TestGraph graph(end(first));
  graph.launch(first);
  finish(first);
  EXPECT_EQ(reports_made(Finding::race), 1u);
}

TEST_P(Graphs, LaunchesOfOneFollowEachOtherInWhateverStreams) {
  const DeviceBytes memory(4);
  const TestStream captured, first, second;
  begin(captured);
  fill(captured, memory, 7);
  const TestGraph graph(end(captured));
  graph.launch(first);
  graph.launch(second);
  finish(second);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 7));
  EXPECT_EQ(reports_made(), 0u);
  finish(first);
}

TEST_P(Graphs, AnUpdateTakesOtherValuesButNoOtherNodes) {
  const DeviceBytes memory(4);
  const TestStream stream;
  begin(stream);
  fill(stream, memory, 7);
  const TestGraph graph(end(stream));
  const auto update = [&](auto give) {
    begin(stream);
    give();
    const cudaGraph_t other = end(stream);
    cudaGraphExecUpdateResultInfo how{};
    const cudaError_t status = cudaGraphExecUpdate(graph.get(), other, &how);
    EXPECT_EQ(how.result == cudaGraphExecUpdateSuccess, status == cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
    return status;
  };
  EXPECT_EQ(update([&] { fill(stream, memory, 8); }), cudaSuccess);
  EXPECT_EQ(update([&] { fill(stream, memory, 9), fill(stream, memory, 9); }), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorGraphExecUpdateFailure);
  graph.launch(stream);
  finish(stream);
  EXPECT_EQ(contents(memory, 4), Bytes(4, 8));
}

TEST_P(Graphs, WrongUseIsReported) {
  const DeviceBytes memory(4);
  const TestStream first, second;
  const TestEvent event;
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(first.get(), &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  begin(first);
  EXPECT_EQ(cudaStreamBeginCapture(first.get(), cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamSynchronize(first.get()), cudaErrorStreamCaptureUnsupported);
  record(event, first);
  EXPECT_EQ(cudaEventSynchronize(event.get()), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventQuery(event.get()), cudaErrorCapturedEvent);
  wait(second, event);
  EXPECT_EQ(cudaStreamEndCapture(second.get(), &graph), cudaErrorStreamCaptureUnmatched);
  fill(second, memory, 1);
  EXPECT_EQ(cudaStreamEndCapture(first.get(), &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamWaitEvent(second.get(), event.get(), 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(reports_made(Finding::api), 9u);
  cudaGetLastError();
  // The event is one again when it is recorded where nothing is captured.
  record(event, first);
  EXPECT_EQ(cudaEventSynchronize(event.get()), cudaSuccess);
}

INSTANTIATE_TEST_SUITE_P(Orders, Graphs, testing::Values(WorkOrder::late, WorkOrder::now, WorkOrder::random));

}  // namespace
}  // namespace cuda_machine::test
