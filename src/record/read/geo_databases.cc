#include "record/read/geo_databases.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/noted_columns.h"
#include "warpmeter/status.h"

#ifdef WARPMETER_HAVE_MAXMINDDB
#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kMostKnown = 1 << 16;  // addresses

}  // namespace

#ifdef WARPMETER_HAVE_MAXMINDDB

namespace {

enum Fact : std::size_t { kCountry, kCity, kAsn, kAsOrg };

// A text that no format has to quote: commas and the like are no part of a name that anybody would miss.
std::string plain(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c != ',' && c != '"' && c != '\\') kept += c;
  }
  return NotedColumns::as_text(kept);
}

}  // namespace

class GeoDatabases::Database {
 public:
  explicit Database(std::string name) : name_(std::move(name)) {
    struct stat status {};
    if (stat(name_.c_str(), &status) != 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    if (!S_ISREG(status.st_mode)) fail("no file, and so no database of MaxMind's format");
    const int error = MMDB_open(name_.c_str(), MMDB_MODE_MMAP, &mmdb_);
    if (error == MMDB_FILE_OPEN_ERROR || error == MMDB_IO_ERROR) {
      fail(std::string("cannot be read: ") + std::strerror(errno));
    }
    if (error != MMDB_SUCCESS)
      fail(std::string("no database of MaxMind's format, or cut short: ") + MMDB_strerror(error));
  }
  ~Database() { MMDB_close(&mmdb_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Fills in what is still empty.
  void tell(std::uint8_t version, const std::uint8_t (&address)[16], GeoFacts& facts) const {
    if (version == 6 && mmdb_.metadata.ip_version == 4) return;
    MMDB_lookup_result_s found = version == 4 ? lookup4(address) : lookup6(address);
    if (!found.found_entry) return;
    fill(facts[kCountry], found.entry, {{"country", "iso_code"}, {"country_code"}, {"country"}});
    fill(facts[kCity], found.entry, {{"city", "names", "en"}, {"city"}});
    fill(facts[kAsn], found.entry, {{"autonomous_system_number"}, {"asn"}});
    if (facts[kAsn].starts_with("AS")) facts[kAsn].erase(0, 2);
    fill(facts[kAsOrg], found.entry, {{"autonomous_system_organization"}, {"as_name"}});
  }

 private:
  using Path = std::array<const char*, 4>;  // with nulls behind it

  [[noreturn]] void fail(const std::string& why) const { throw Error(name_ + ": " + why); }
  [[noreturn]] void fail_at(int error) const { fail(std::string("damaged: ") + MMDB_strerror(error)); }

  MMDB_lookup_result_s lookup(const sockaddr* address) const {
    int error = MMDB_SUCCESS;
    const MMDB_lookup_result_s found = MMDB_lookup_sockaddr(&mmdb_, address, &error);
    if (error != MMDB_SUCCESS) fail_at(error);
    return found;
  }
  MMDB_lookup_result_s lookup4(const std::uint8_t (&address)[16]) const {
    sockaddr_in socket{};
    socket.sin_family = AF_INET;
    std::memcpy(&socket.sin_addr, address, sizeof socket.sin_addr);
    return lookup(reinterpret_cast<const sockaddr*>(&socket));
  }
  MMDB_lookup_result_s lookup6(const std::uint8_t (&address)[16]) const {
    sockaddr_in6 socket{};
    socket.sin6_family = AF_INET6;
    std::memcpy(&socket.sin6_addr, address, sizeof socket.sin6_addr);
    return lookup(reinterpret_cast<const sockaddr*>(&socket));
  }

  // By the first of the paths at which there is a text or a number.
  void fill(std::string& fact, MMDB_entry_s& entry, std::initializer_list<Path> paths) const {
    for (const Path& path : paths) {
      if (!fact.empty()) return;
      MMDB_entry_data_s data{};
      const int error = MMDB_aget_value(&entry, &data, path.data());
      if (error == MMDB_LOOKUP_PATH_DOES_NOT_MATCH_DATA_ERROR) continue;
      if (error != MMDB_SUCCESS) fail_at(error);
      if (!data.has_data) continue;
      if (data.type == MMDB_DATA_TYPE_UTF8_STRING) fact = plain({data.utf8_string, data.data_size});
      else if (data.type == MMDB_DATA_TYPE_UINT16) fact = std::to_string(data.uint16);
      else if (data.type == MMDB_DATA_TYPE_UINT32) fact = std::to_string(data.uint32);
      else if (data.type == MMDB_DATA_TYPE_UINT64) fact = std::to_string(data.uint64);
      else if (data.type == MMDB_DATA_TYPE_INT32 && data.int32 >= 0) fact = std::to_string(data.int32);
    }
  }

  const std::string name_;
  MMDB_s mmdb_{};
};

bool GeoDatabases::available() { return true; }

#else

class GeoDatabases::Database {
 public:
  explicit Database(const std::string&) { throw Error("--geo: this build is without libmaxminddb", ExitStatus::usage); }
  void tell(std::uint8_t, const std::uint8_t (&)[16], GeoFacts&) const {}
};

bool GeoDatabases::available() { return false; }

#endif

GeoDatabases::GeoDatabases(const std::vector<std::string>& files) {
  for (const std::string& file : files) databases_.push_back(std::make_unique<const Database>(file));
  for (const std::string_view end : {kGeoSource, kGeoDestination}) {
    std::size_t fact = 0;
    for (const std::optional<std::uint32_t> number : geo_numbers(end)) {
      const std::string name = std::string(end).append(kGeoFacts[fact++]);
      if (!number) throw Error("too many names of columns for " + name);
      columns_.push_back(std::make_shared<AnnotationColumn>(name, *number, false));
      (end == kGeoSource ? source_ : destination_).push_back(*number);
    }
  }
}

GeoDatabases::~GeoDatabases() = default;

const GeoFacts& GeoDatabases::of(std::uint8_t version, const std::uint8_t (&address)[16]) {
  const std::size_t bytes = version == 4 ? 4 : sizeof address;
  std::string key(reinterpret_cast<const char*>(address), bytes);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (known_.size() == kMostKnown) known_.clear();
  GeoFacts facts;
  for (const auto& database : databases_) database->tell(version, address, facts);
  return known_.emplace(std::move(key), std::move(facts)).first->second;
}

void GeoDatabases::note(const FlowKey& key, Annotations& to) {
  const auto add = [&](const GeoFacts& facts, const std::vector<std::uint32_t>& numbers) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!facts[i].empty()) to.add({0, numbers[i], facts[i]});
    }
  };
  add(of(key.version, key.source), source_);
  add(of(key.version, key.destination), destination_);
}

}  // namespace warpmeter::inline record
