#include "command/live/run_options.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <system_error>
#include <vector>

#include "base/files/durable.h"
#include "command/live/live_source.h"
#include "packet/nic/ring/ring.h"
#include "record/write/record_output.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

bool is_writable(const std::string& folder) {
  return faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

// Files come to lie there later, or get their names. What is there already is replaced, and then the new one is given
// to its owner; a pipe or a device is open by now.
bool takes_files(const std::string& output) {
  if (output.empty() || output == "-") return true;
  std::error_code error;
  const std::string path = std::filesystem::weakly_canonical(output, error).string();
  struct stat there {};
  const bool is_there = !error && stat(path.c_str(), &there) == 0;
  if (is_there && !S_ISREG(there.st_mode)) return true;
  return !error && is_writable(folder_of_path(path)) && (!is_there || there.st_uid == geteuid());
}

}  // namespace

// Pairs and sums need all records.
bool leave_while_running(const ExtractOptions& options) {
  const OutputOptions& output = options.output;
  if (options.biflow || options.aggregate) return false;
  const auto wants = [](const OutputOptions& one) { return one.rotate_ns > 0 || is_stream(one); };
  return output.collector || wants(output) || std::ranges::any_of(output.also, wants);
}

// A GPU is worth its batches only where a CPU does not keep up, which nobody knows beforehand.
BackendChoice backend_of_live(const ExtractOptions& options) {
  if (options.backend == Backend::automatic) {
    tell_of_idle_gpu_options(options, "live takes a GPU with --backend cuda alone");
    return {"cpu", "live"};
  }
  const BackendChoice chosen = choose_backend(options, 0);
  if (chosen.on_device && options.meter.method == Method::five_tuple && leave_while_running(options)) {
    throw Error(
        "--backend cuda --method five-tuple: Flow Records cannot leave while the capture runs, since that rule "
        "remembers their flows on the GPU; --backend cpu lets them",
        ExitStatus::usage);
  }
  return chosen;
}

// A flow that is idle is found within half of the latency, and exported within the other: the next export begins within
// a quarter, and takes no longer than one. On a GPU the first half is that of a batch, too.
ExtractOptions options_of_run(const LiveOptions& live, bool on_device) {
  ExtractOptions options = live.extract;
  const bool with_statistics = live.service.statistics.count() > 0;
  options.progress = false;
  // Files may have been guessed wrong, and are late as it is.
  if (folder_of(live).empty()) options.batch_deadline_ns = live.max_latency.count() / 8;
  // A capture's files are not to be had again, nor its packets.
  options.output.beside_earlier = options.output.goes_on = true;
  for (OutputOptions& one : options.output.also) one.beside_earlier = one.goes_on = true;
  if (!leave_while_running(options)) {
    if (with_statistics) throw Error("--collector-statistics: not with --biflow or --aggregate", ExitStatus::usage);
    return options;
  }
  if (options.output.collector) options.output.collector->statistics = with_statistics;
  options.expire_every_ns = live.max_latency.count() / (on_device ? 4 : 2);
  const auto mark = [](OutputOptions& one) {
    one.while_running = true;
    if (one.rotate_bytes) {
      throw Error("--rotate SIZE: not beside outputs that get Flow Records while the capture runs", ExitStatus::usage);
    }
  };
  mark(options.output);
  std::ranges::for_each(options.output.also, mark);
  return options;
}

// To wake up for a block costs as much as some hundred packets. Of several rings the packets of one conversation may
// come to two: these should not be far apart.
unsigned block_ms_of(std::chrono::nanoseconds max_latency, bool one_ring) {
  constexpr int kPartsOfLatency = 4;  // that frames are held back, at most: see options_of_run()
  constexpr std::chrono::milliseconds kMost{100}, kMostOfSeveral{10};
  const auto held_back = std::chrono::duration_cast<std::chrono::milliseconds>(max_latency) / kPartsOfLatency;
  const auto longest = std::min(block_time_within(held_back), one_ring ? kMost : kMostOfSeveral);
  return static_cast<unsigned>(std::max<std::int64_t>(longest.count(), 1));
}

// Lines on standard output and the status line would be mixed on one terminal.
ServiceOptions service_options_of(const LiveOptions& live, const ExtractOptions& options) {
  ServiceOptions service = live.service;
  const bool lines_on_terminal = options.expire_every_ns && options.output.file == "-" && isatty(STDOUT_FILENO);
  service.status_line = !lines_on_terminal;
  const auto rotates = [](const OutputOptions& one) { return one.while_running && one.rotate_ns > 0; };
  service.rotates = rotates(options.output) || std::ranges::any_of(options.output.also, rotates);
  service.quiet = options.quiet;
  return service;
}

void without_rights(const std::function<void()>& what) {
  std::async(std::launch::async, [&what] {
    drop_rights_of_thread(KeptRights::none);
    what();
  }).get();
}

KeptRights rights_to_keep(const LiveOptions& live, const ExtractOptions& options, const std::string& folder) {
  if (!folder.empty()) return KeptRights::files;  // anybody's, and it is asked who writes to them
  const WithoutRights now;
  std::vector<std::string> outputs = outputs_of(options);
  bool fine = std::ranges::all_of(outputs, takes_files) && is_writable(options.tmpdir);
  if (const std::string& socket = live.detector.socket; !socket.empty()) {
    fine = fine && faccessat(AT_FDCWD, socket.c_str(), W_OK, AT_EACCESS) == 0;
  }
  if (const std::string& policy = live.policy_file; !policy.empty() && policy != kStockPolicyWord) {
    fine = fine && faccessat(AT_FDCWD, policy.c_str(), R_OK, AT_EACCESS) == 0;  // to read it again
  }
  if (const std::string& socket = live.policy_socket; !socket.empty()) {
    fine = fine && is_writable(folder_of_path(socket));  // to remove it at the end
  }
  return fine ? KeptRights::none : KeptRights::files;
}

}  // namespace warpmeter::inline command
