// Graphs: work that streams were given while they were captured, to be given again and again by one call.
//
// A graph is not a second way to run work: a launch gives its nodes to streams once more, as the calls that were
// captured would have, with what these said then. What went to the captured stream goes to the one of the launch, what
// went to streams that joined the capture to streams of the graph's own.
//
// Source: NVIDIA, "CUDA Programming Guide", CUDA graphs, "Creating a Graph Using Stream Capture".
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "simulator/runtime/event.h"
#include "simulator/runtime/stream.h"

namespace cuda_machine {

// Where the events of a graph are, as of one launch.
using EventMarks = std::vector<Mark>;

struct GraphNode {
  OperationKind kind;
  unsigned stream = 0;  // 0: that of the launch
  // Gives the work to the stream.
  std::function<cudaError_t(Stream&, EventMarks&)> give;
};

struct Graph {
  Device* device = nullptr;
  unsigned streams = 1;
  std::size_t events = 0;
  std::vector<GraphNode> nodes;
};

// A graph in the making. Under the lock of the runtime, as all of this.
class Capture {
 public:
  explicit Capture(Stream& origin);

  bool has(const Stream& stream) const { return places_.contains(&stream); }
  bool began_in(const Stream& stream) const { return place_of(stream) == 0; }
  bool has(const Event& event) const { return events_.contains(&event); }

  // Work is given to a stream of this capture.
  cudaError_t add(const Stream& stream, OperationKind kind, std::function<cudaError_t(Stream&)> give);
  cudaError_t record(const Stream& stream, Event& event);
  // The stream is part of the capture from here on. REQUIRES: the event is.
  cudaError_t wait(Stream& stream, const Event& event);

  void forget(const Event& event) { events_.erase(&event); }

  // All work is known to the stream where it began.
  bool is_joined() const;
  Graph take() { return std::move(graph_); }

 private:
  using Clock = std::map<unsigned, std::size_t>;  // how much of each stream's work is before
  struct Recorded {
    std::size_t number;
    Clock clock;
  };

  unsigned place_of(const Stream& stream) const { return places_.at(&stream); }

  Graph graph_;
  std::map<const Stream*, unsigned> places_;
  std::vector<Clock> clocks_;
  std::map<const Event*, Recorded> events_;
};

// A graph that can be launched.
class GraphExec {
 public:
  explicit GraphExec(Graph graph);
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  // Behind the launch before.
  cudaError_t launch(Stream& stream);
  // False: its nodes are others, or of other streams.
  bool update(const Graph& graph);
  std::size_t nodes() const;  // that are work

 private:
  Graph graph_;
  std::vector<Stream*> own_;
  Mark end_;  // of the last launch
};

// The capture that the stream is part of, or null.
Capture* capture_of(const Stream& stream);
// That of the event, if it goes on.
Capture* capture_of(const Event& event);
// The work that is being given to streams is of this launch of a graph, counted from 1; 0: it is of none.
std::uint64_t graph_launch_going_on();

}  // namespace cuda_machine
