#include "packet/segments/segment_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "packet/segments/segment_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace fs = std::filesystem;
namespace {

// What was found of a set.
struct Found {
  std::uint64_t set = 0;
  SegmentFileHeader header;
  std::string folder;
  SetFacts facts;
  struct Part {
    std::string path;
    std::uint64_t bytes, segments;
  };
  std::map<unsigned, Part> parts;  // by partition
  bool must_be_whole = false;
};

// In the order in which sets come first.
class Finder {
 public:
  explicit Finder(std::vector<std::string> whole) : whole_(std::move(whole)) {}

  void add(const std::string& path) {
    const SegmentFile file(path);
    Found& set = set_of(file, path);
    set.must_be_whole = set.must_be_whole || is_in_whole(path);
    const unsigned partition = file.header().partition;
    const auto [part, is_new] = set.parts.try_emplace(partition, Found::Part{path, file.bytes(), file.segments()});
    if (is_new) return;
    std::error_code error;
    if (!fs::equivalent(part->second.path, path, error) && set.facts.counters.frames > 0) {
      throw Error(fmt::format("{} and {} are the same part of one set", part->second.path, path));
    }
    ++files_again;
  }

  std::vector<Found> sets;
  std::uint64_t files_again = 0;

 private:
  Found& set_of(const SegmentFile& file, const std::string& path) {
    const auto [known, is_new] = numbers_.try_emplace(file.set(), sets.size());
    if (is_new)
      sets.push_back({file.set(), file.header(), fs::path(path).parent_path().string(), file.facts(), {}, false});
    return sets[known->second];
  }

  bool is_in_whole(const std::string& path) const {
    return std::ranges::any_of(whole_, [&](const std::string& folder) {
      const auto inside = fs::path(path).lexically_relative(folder);
      return !inside.empty() && *inside.begin() != "..";
    });
  }

  const std::vector<std::string> whole_;
  std::map<std::uint64_t, std::size_t> numbers_;
};

std::string name_of(const Found& set) {
  return set.parts.size() == 1 || set.folder.empty() ? set.parts.begin()->second.path : set.folder;
}

// `other`: a file that has it; empty: it should be there.
void check_part(const Found& set, unsigned partition, const std::string& other = {}) {
  if (set.parts.contains(partition)) return;
  throw Error(fmt::format("{}: part {} of {} is missing{}", name_of(set), partition + 1, set.header.partitions,
                          other.empty() ? "" : ", which " + other + " is"));
}

// Leaves those that are wanted.
void choose(Found& set, const PartitionChoice& choice) {
  if (choice.of > set.header.partitions) {
    throw Error(fmt::format("--partition {}/{}: {} has {} partitions", choice.number, choice.of, name_of(set),
                            set.header.partitions),
                ExitStatus::usage);
  }
  const auto is_wanted = [&](unsigned partition) {
    return partition * choice.of / set.header.partitions == choice.number - 1;
  };
  for (unsigned p = 0; p < set.header.partitions; ++p) {
    if (is_wanted(p)) check_part(set, p);
  }
  std::erase_if(set.parts, [&](const auto& part) { return !is_wanted(part.first); });
}

bool is_whole(const Found& set) { return set.parts.size() == set.header.partitions; }

// A file of another set that took the place of one of this set would be told as missing.
void check_mixed(const std::vector<Found>& sets) {
  for (const Found& set : sets) {
    const auto beside = [&set](const Found& other) {
      return &other != &set && other.must_be_whole && other.folder == set.folder;
    };
    if (!set.must_be_whole || is_whole(set) || std::ranges::none_of(sets, beside)) continue;
    const Found& other = *std::ranges::find_if(sets, beside);
    throw Error(fmt::format("{} and {} are of different sets, but lie in one folder", other.parts.begin()->second.path,
                            set.parts.begin()->second.path));
  }
}

void check_whole(const Found& set) {
  for (unsigned p = 0; set.must_be_whole && p < set.header.partitions; ++p) check_part(set, p);
}

void check_alike(const Found& first, const Found& set) {
  const auto differ = [&](const std::string& how) {
    throw Error(fmt::format("{} and {} {}", name_of(first), name_of(set), how));
  };
  if (first.header.partitions != set.header.partitions) differ("were decoded with different --partitions");
  const SetOptions &a = first.facts.options, &b = set.facts.options;
  if (a.seed_mark != b.seed_mark) differ("were decoded with different hash seeds; see --hash-seed of decode");
  if (a != b) differ("were decoded with different options");
  for (const auto& [partition, part] : first.parts) check_part(set, partition, part.path);
  for (const auto& [partition, part] : set.parts) check_part(first, partition, part.path);
}

bool has_frames(const Found& set) { return set.facts.counters.frames > 0; }

// Sets without packets come last.
void sort(std::vector<Found>& sets, FileOrder order) {
  if (order == FileOrder::given) return;
  const auto place = [&](const Found& set) {
    const bool by_time = order == FileOrder::time;
    return std::tuple(by_time && !has_frames(set), by_time ? set.facts.first_ns : 0, name_of(set));
  };
  std::ranges::stable_sort(sets, {}, place);
}

void check_times(const std::vector<Found>& sets) {
  for (std::size_t i = 0; i + 1 < sets.size(); ++i) {
    if (!has_frames(sets[i + 1]) || sets[i].facts.latest_ns <= sets[i + 1].facts.first_ns) continue;
    throw Error(
        fmt::format("{} and {} overlap in time: their captures must be decoded together, in one set; or say "
                    "--order given or --order name",
                    name_of(sets[i]), name_of(sets[i + 1])));
  }
}

SegmentSet set_of(const Found& found) {
  SegmentSet set{.name = name_of(found),
                 .set = found.set,
                 .facts = found.facts,
                 .partitions = found.header.partitions,
                 .files = {}};
  set.has_first = found.parts.begin()->first == 0;
  for (const auto& [partition, part] : found.parts) {
    set.files.push_back(part.path);
    set.bytes += part.bytes;
  }
  return set;
}

}  // namespace

std::vector<SegmentSet> sets_among(const std::vector<std::string>& files) {
  Finder finder({});
  for (const std::string& file : files) finder.add(file);
  std::vector<SegmentSet> sets;
  std::ranges::transform(finder.sets, std::back_inserter(sets), set_of);
  return sets;
}

SegmentSets look_at_sets(const std::vector<std::string>& files, const std::vector<std::string>& whole, FileOrder order,
                         const std::optional<PartitionChoice>& choice) {
  Finder finder(whole);
  for (const std::string& file : files) finder.add(file);
  check_mixed(finder.sets);
  for (Found& set : finder.sets) {
    if (choice) choose(set, *choice);
    else check_whole(set);
    check_alike(finder.sets.front(), set);
  }
  sort(finder.sets, order);
  if (order == FileOrder::time) check_times(finder.sets);
  SegmentSets sets;
  sets.options = finder.sets.front().facts.options;
  sets.files_again = finder.files_again;
  for (const Found& found : finder.sets) {
    sets.sets.push_back(set_of(found));
    for (const auto& part : found.parts) sets.segments += part.second.segments;
  }
  return sets;
}

}  // namespace warpmeter::inline packet
