// A run that gives blocks of TCP streams to Python, and these as Python has them: what a block owns is shared with
// whoever has its bytes, which are not copied again.
//
// Threads: as JobRun.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "job_run.h"
#include "warpmeter/stream_reader.h"

namespace warpmeter::python {

// Of its connection there is one object, in all its blocks.
struct TakenBlock {
  StreamEvent event;
  nanobind::object connection;
};

struct TakenSubBlock {
  const SubBlock& sub() const { return event.block()->sub_blocks[at]; }

  StreamEvent event;
  std::size_t at = 0;
};

// Of the end of a connection, and of one of its directions.
struct TakenReport {
  StreamEvent event;
};
struct TakenDirection {
  const StreamDirection& way() const { return event.report()->directions[static_cast<std::size_t>(side)]; }

  StreamEvent event;
  StreamSide side = StreamSide::client;
};

class StreamRun : public JobRun {
 public:
  explicit StreamRun(std::shared_ptr<StreamReader> reader) : JobRun(std::move(reader)) {}

  // A list of all blocks that are there; None at the end. Throws as wait() does, and what the job failed with.
  nanobind::object next();

 private:
  nanobind::object connection_of(const StreamEvent& event);

  // The objects of connections that go on; their tags are a place here and one.
  std::vector<nanobind::object> connections_;
  std::vector<std::uint64_t> free_;
  std::vector<StreamEvent> events_;
};

// Adds the classes of blocks, and StreamRun.
void add_stream_classes(nanobind::module_& m);

}  // namespace warpmeter::python
