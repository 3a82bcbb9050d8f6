// Which segment belongs to which connection, over a whole trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "oracle_connection.h"
#include "oracle_segment.h"
#include "oracle_streams.h"

namespace reference {

class StreamOracle {
 public:
  explicit StreamOracle(const StreamOptions& options) : options_(options) {}

  // In trace order.
  void take(const OracleSegment& segment);

  // What is known of the open connection of these ends; null: there is none. Valid until the next segment.
  const StreamConnection* open(const OracleSegment& segment) const;

  // To the end of the trace. Empty afterwards.
  Streams finish();

 private:
  using Key = std::tuple<int, Endpoint, Endpoint>;  // the lower end first: the same for both directions

  static Key key_of(const OracleSegment& segment);
  void end(Key key, Reason reason, int64_t packet);
  bool is_silent(const OracleConnection& connection, int64_t time) const;

  const StreamOptions options_;
  std::map<Key, OracleConnection> open_;
  std::optional<int64_t> latest_time_;
  Streams result_;
};

}  // namespace reference
