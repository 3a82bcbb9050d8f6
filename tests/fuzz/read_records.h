// Reads Flow Records to the end of their file and checks what a reader promises of every file.
#pragma once

#include <string>

#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "fuzz/must.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {

inline void check(const FlowRecord& record) {
  must(record.key.version == 4 || record.key.version == 6);
  must(static_cast<int>(record.end_reason) <= 5);
}

// Of columns that the file has, and as outputs can have them.
inline void check(const Annotations& noted, const RecordLayout& layout) {
  must(layout.extra.size() <= NotedColumns::kMost);
  must(noted.all().size() <= NotedColumns::kMostLabels + 2 * NotedColumns::kMost);
  for (const Annotation& annotation : noted.all()) {
    must(annotation.column < layout.extra.size());
    must(!annotation.text.empty() && NotedColumns::as_text(annotation.text) == annotation.text);
  }
}

// `open` makes the reader. It may throw Error, of one line, as the reader may.
template <class Open>
void read_records(std::size_t size, Open&& open) {
  try {
    const auto reader = open();
    Biflow flow;
    std::size_t flows = 0;
    while (reader->next(flow)) {
      must(++flows <= size);
      check(flow.forward);
      if (flow.has_reverse) check(flow.reverse);
      if (!reader->annotations().empty()) check(reader->annotations(), reader->layout());
    }
    must(!reader->next(flow));
    reader->layout();
    const auto& damage = reader->damage();
    must(!damage || (damage->offset <= size && !damage->reason.empty()));
  } catch (const Error& error) {
    must(*error.what() != 0);
  }
}

}  // namespace warpmeter::fuzz
