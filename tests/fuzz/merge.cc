// Files of Flow Records that are merged, of any format. Input: how (1 byte: how many may be open at once), then the
// files, with 0xfe 0xff between them.
//
// What comes out must be what one gets who reads each file to its end and takes the earliest of their next flows, of
// those that are alike that of the file named first: whether all files are open at once or they are merged in passes.
// Or in both cases there is a complaint.
#include "command/merge/merge.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz/input_bytes.h"
#include "fuzz/read_records.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kMostFiles = 6;
const std::atomic<bool> kGoesOn = false;

// Files that lie in memory.
class Files {
 public:
  Files() {
    for (int& fd : fds_) must((fd = memfd_create("flows", MFD_CLOEXEC)) >= 0);
  }
  std::vector<std::string> hold(const std::string& bytes) {
    std::vector<std::string> paths;
    for (std::size_t at = 0; paths.size() < kMostFiles;) {
      const std::size_t end = std::min(bytes.find("\xfe\xff", at), bytes.size());
      const int fd = fds_[paths.size()];
      must(ftruncate(fd, 0) == 0);
      must(pwrite(fd, bytes.data() + at, end - at, 0) == static_cast<ssize_t>(end - at));
      paths.push_back("/proc/self/fd/" + std::to_string(fd));
      if (end == bytes.size()) break;
      at = end + 2;
    }
    return paths;
  }

 private:
  std::array<int, kMostFiles> fds_;
};

// What a merge has, or why there is none.
struct Merged {
  std::vector<Biflow> flows;
  std::size_t unreadable = 0, damaged = 0;
  bool of_biflows = false;
  std::string complaint;
};

void append(std::string& to, const FlowRecord& record) {
  to.append(reinterpret_cast<const char*>(&record.key), sizeof record.key);
  to += std::to_string(record.start_ns) + ' ' + std::to_string(record.end_ns);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto value = column_value(i, record, record.absent);
    to += value ? ',' + std::to_string(*value) : ",-";
  }
}

bool is_same(const Biflow& a, const Biflow& b) {
  if (a.has_reverse != b.has_reverse) return false;
  std::string one, other;
  append(one, a.forward);
  append(other, b.forward);
  if (a.has_reverse) append(one, a.reverse), append(other, b.reverse);
  return one == other;
}

Merged merged(const std::vector<std::string>& paths, std::size_t most_open) {
  Merged all;
  try {
    RecordInputs inputs;
    inputs.files = paths;
    MergedFlowFiles files(std::move(inputs), {most_open, "/dev/shm"}, kGoesOn);
    all.of_biflows = files.layout().biflow;
    for (const auto flows = files.merged(); flows->head(); flows->advance()) {
      check(flows->head()->forward);
      all.flows.push_back(*flows->head());
    }
    const FilesRead read = files.read();
    must(read.flows == all.flows.size());
    all.unreadable = read.unreadable.size();
    all.damaged = read.damage.size();
  } catch (const Error& error) {
    must(*error.what() != 0);
    all = {};
    all.complaint = error.what();
  }
  return all;
}

std::vector<Biflow> merged_slowly(const std::vector<std::string>& paths, const MergeOrder& order) {
  std::vector<std::vector<Biflow>> files(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      FlowFile file = FlowFile::open(paths[i], kGoesOn);
      for (Biflow flow; file.next(flow);) files[i].push_back(flow);
    } catch (const Error&) {  // the rest of it is unreadable
    }
  }
  std::vector<Biflow> all;
  std::vector<std::size_t> next(files.size());
  for (;;) {
    const Biflow* least = nullptr;
    std::size_t of = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (next[i] == files[i].size()) continue;
      const Biflow& flow = files[i][next[i]];
      if (!least || order(flow, *least) < 0) least = &flow, of = i;
    }
    if (!least) return all;
    all.push_back(*least);
    ++next[of];
  }
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  static fuzz::Files files;
  fuzz::InputBytes in(data, size);
  const std::size_t few = 2 + in.u8() % 2;
  const std::vector<std::string> paths = files.hold(in.rest());
  const fuzz::Merged at_once = fuzz::merged(paths, fuzz::kMostFiles);
  const fuzz::Merged in_passes = fuzz::merged(paths, few);
  // Which of two complaints comes first depends on which file is looked into when.
  fuzz::must(at_once.complaint.empty() == in_passes.complaint.empty());
  if (!at_once.complaint.empty()) return 0;
  const std::vector<Biflow> expected = fuzz::merged_slowly(paths, MergeOrder(at_once.of_biflows));
  fuzz::must(std::ranges::equal(at_once.flows, expected, fuzz::is_same));
  fuzz::must(std::ranges::equal(in_passes.flows, expected, fuzz::is_same));
  fuzz::must(at_once.unreadable == in_passes.unreadable && at_once.damaged == in_passes.damaged);
  return 0;
}
