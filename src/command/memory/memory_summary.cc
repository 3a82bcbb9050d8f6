#include "command/memory/memory_summary.h"

#include <string>

#include "pipeline/run/stats_json.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {

RunReport report_of(const MemorySummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  list.add("ip_packets", "IP packets", s.tables.packets, std::to_string(s.tables.packets));
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  add_skipped(list, s);
  add_damage(list, s);
  add_unread(list, s);
  list.add_for_programs("joined_ranges", s.tables.joined_ranges);
  list.add_for_programs("forgotten_connections", s.tables.forgotten);
  list.add_for_programs("connections_ended_early", s.tables.ended_early);
  add_odd_times(list, s, "; it stands still there");
  add_duration(list, s, false, "the tables are of what was read until then");
  return {stats_text(list.json()), reading_warnings(s, "in the tables"), list.text()};
}

}  // namespace warpmeter::inline command
