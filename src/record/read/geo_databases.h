// Where addresses are, and whose: country, city and autonomous system, out of databases in MaxMind's format (.mmdb), as
// GeoLite2, DB-IP and IPinfo have them. Flows get columns of annotations of both ends (annotation_names.h).
//
// What several databases tell, the first one does. Databases are files of strangers: each is looked at whole when it is
// opened as far as its format says, and one that turns out to be damaged later ends the run.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/annotations.h"
#include "core/extra_column.h"
#include "core/noted_columns.h"
#include "core/seeded_hash.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

// In the order of kGeoFacts; empty: not known. Printable ASCII without commas, quotes and backslashes, but for \xNN of
// what is no ASCII.
using GeoFacts = std::array<std::string, std::size(kGeoFacts)>;

class GeoDatabases {
 public:
  // Throws Error, naming the file: it cannot be read, or is no such database; or this build has none of that.
  explicit GeoDatabases(const std::vector<std::string>& files);
  ~GeoDatabases();

  // Of both ends, as AnnotationNames numbers them.
  const ExtraColumns& columns() const { return columns_; }
  // Adds what is known of both ends of the flow, in place of what a file told of them. Throws Error: a database is
  // damaged.
  void note(const FlowKey& key, Annotations& to);
  // Valid until it is called again. Throws Error likewise.
  const GeoFacts& of(std::uint8_t version, const std::uint8_t (&address)[16]);

  static bool available();

 private:
  class Database;

  std::vector<std::unique_ptr<const Database>> databases_;
  ExtraColumns columns_;
  std::vector<std::uint32_t> source_, destination_;  // numbers of columns
  std::unordered_map<std::string, GeoFacts, SeededHash> known_;
};

}  // namespace warpmeter::inline record
