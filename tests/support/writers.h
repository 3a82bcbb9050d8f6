// Flow Records given to a writer, from one thread, in one section after the other.
#pragma once

#include <vector>

#include "core/record_reader.h"
#include "core/record_writer.h"

namespace warpmeter::test {

inline void write_flow(RecordStream& to, const Biflow& flow) {
  to.write(flow.forward, flow.has_reverse ? &flow.reverse : nullptr);
}
inline void write_flow(RecordStream& to, const FlowRecord& record) { to.write(record, nullptr); }

// Begins and ends the writer. `Flow`: Biflow, or FlowRecord of a single direction.
template <class Flow>
void write_all(RecordWriter& writer, const std::vector<Flow>& flows) {
  writer.begin();
  RecordStream stream(writer);
  for (const Flow& flow : flows) write_flow(stream, flow);
  stream.flush();
  writer.end();
}

}  // namespace warpmeter::test
