#include "simulator/runtime/graph_capture.h"

#include <algorithm>
#include <utility>

#include "simulator/runtime/runtime.h"

namespace cuda_machine {
namespace {

std::uint64_t going_on = 0, launches = 0;

void join(std::map<unsigned, std::size_t>& clock, const std::map<unsigned, std::size_t>& other) {
  for (const auto& [stream, number] : other) clock[stream] = std::max(clock[stream], number);
}

bool is_wait(const GraphNode& node) { return node.kind == OperationKind::wait; }

}  // namespace

std::uint64_t graph_launch_going_on() { return going_on; }

Capture* capture_of(const Stream& stream) {
  for (const auto& capture : runtime().captures) {
    if (capture->has(stream)) return capture.get();
  }
  return nullptr;
}

Capture* capture_of(const Event& event) {
  for (const auto& capture : runtime().captures) {
    if (capture->has(event)) return capture.get();
  }
  return nullptr;
}

Capture::Capture(Stream& origin) : clocks_(1) {
  graph_.device = &origin.device;
  places_[&origin] = 0;
}

cudaError_t Capture::add(const Stream& stream, OperationKind kind, std::function<cudaError_t(Stream&)> give) {
  const unsigned place = place_of(stream);
  ++clocks_[place][place];
  graph_.nodes.push_back({kind, place, [give = std::move(give)](Stream& to, EventMarks&) { return give(to); }});
  return cudaSuccess;
}

// No work by itself: it is what others wait for.
cudaError_t Capture::record(const Stream& stream, Event& event) {
  const unsigned place = place_of(stream);
  const std::size_t number = graph_.events++;
  events_[&event] = {number, clocks_[place]};
  event.is_captured = true;
  graph_.nodes.push_back({OperationKind::event, place, [number](Stream& to, EventMarks& marks) {
                            marks[number] = to.end();
                            return cudaSuccess;
                          }});
  return cudaSuccess;
}

cudaError_t Capture::wait(Stream& stream, const Event& event) {
  if (places_.emplace(&stream, graph_.streams).second) {
    ++graph_.streams;
    clocks_.emplace_back();
  }
  const Recorded& recorded = events_.at(&event);
  const unsigned place = place_of(stream);
  join(clocks_[place], recorded.clock);
  graph_.nodes.push_back({OperationKind::wait, place, [number = recorded.number](Stream& to, EventMarks& marks) {
                            to.add({.kind = OperationKind::wait,
                                    .what = "a wait",
                                    .run = [](Work) { return cudaSuccess; },
                                    .waits_for = marks[number]});
                            return cudaSuccess;
                          }});
  return cudaSuccess;
}

bool Capture::is_joined() const {
  for (unsigned place = 1; place < clocks_.size(); ++place) {
    const auto work = clocks_[place].find(place);
    if (work == clocks_[place].end()) continue;
    const auto known = clocks_[0].find(place);
    if (known == clocks_[0].end() || known->second < work->second) return false;
  }
  return true;
}

GraphExec::GraphExec(Graph graph) : graph_(std::move(graph)) {
  for (unsigned i = 1; i < graph_.streams; ++i) own_.push_back(&graph_.device->add_stream(false));
}

GraphExec::~GraphExec() {
  for (Stream* const stream : own_) graph_.device->destroy(*stream);
}

cudaError_t GraphExec::launch(Stream& stream) {
  going_on = ++launches;
  if (OperationLog* const log = OperationLog::wanted()) log->launches_graph(stream, going_on, nodes());
  if (end_.stream && end_.stream != &stream) {
    stream.add({.kind = OperationKind::wait,
                .what = "the launch of a graph before",
                .run = [](Work) { return cudaSuccess; },
                .waits_for = end_});
  }
  EventMarks marks(graph_.events);
  cudaError_t status = cudaSuccess;
  for (const GraphNode& node : graph_.nodes) {
    if (status == cudaSuccess) status = node.give(node.stream ? *own_[node.stream - 1] : stream, marks);
  }
  end_ = stream.end();
  going_on = 0;
  return status;
}

bool GraphExec::update(const Graph& graph) {
  const auto is_like = [](const GraphNode& one, const GraphNode& other) {
    return one.kind == other.kind && one.stream == other.stream;
  };
  if (graph.device != graph_.device || graph.streams != graph_.streams) return false;
  if (!std::equal(graph.nodes.begin(), graph.nodes.end(), graph_.nodes.begin(), graph_.nodes.end(), is_like)) {
    return false;
  }
  graph_ = graph;
  return true;
}

std::size_t GraphExec::nodes() const {
  return static_cast<std::size_t>(std::count_if(graph_.nodes.begin(), graph_.nodes.end(), [](const GraphNode& node) {
    return node.kind != OperationKind::event && !is_wait(node);
  }));
}

}  // namespace cuda_machine
