// How the machine runs: from the environment variable CUDA_MACHINE, a list such as "schedule=random,seed=7,stall=30".
#pragma once

#include <cstdint>
#include <string>

namespace cuda_machine {

enum class Schedule : std::uint8_t {
  converged,  // lanes that part meet again as soon as they can
  random,     // warps, lanes and parts of groups at random
  lane_up,    // one lane as far as it can, the lowest first
  lane_down   // the highest first
};

// When work that was put into a stream is done.
enum class WorkOrder : std::uint8_t {
  late,   // when the host waits for it, or for something behind it
  now,    // at once
  random  // some now and then
};

// In which kernels races of their threads are looked for; those of CUB are NVIDIA's, run often, and take most of the
// time. Races between the work of several streams are looked for in all, unless it is `none`.
enum class Races : std::uint8_t { none, ours, all };

struct Settings {
  Schedule schedule = Schedule::converged;  // schedule=converged|random|up|down
  WorkOrder order = WorkOrder::late;        // order=late|now|random
  std::uint64_t seed = 1;                   // seed=N
  unsigned stall_percent = 0;  // stall=N: of atomic operations, after which some lanes wait for long; schedule random
  Races check_races = Races::none;                  // races=none|ours|all
  bool check_unwritten = true;                      // unwritten=0|1
  unsigned resident_blocks = 3;                     // resident=N: blocks that run at once
  std::uint64_t instruction_limit = 2'000'000'000;  // limit=N: of warps, a launch
  unsigned gpus = 1;                                // gpus=N
  unsigned multiprocessors = 2;                     // multiprocessors=N: of a GPU
  unsigned architecture = 90;  // architecture=75|80|90: of the GPUs; the newest PTX that fits is taken
  std::uint64_t memory = std::uint64_t{2} << 30;  // memory=MiB: of a GPU
  std::string fail;                    // fail=CALL:N, the Nth call of malloc|host_malloc|host_register|stream|event|
                                       // launch|copy|graph fails
  std::string report_file;             // report=FILE
  std::string coverage_folder;         // coverage=FOLDER: which instructions ran, a file a process
  std::string counts_folder;           // counts=FOLDER: what launches cost, a file a process
  std::string log_folder;              // log=FOLDER: what the host asks of streams and memory, a file a process
  std::uint64_t l1_bytes = 128 << 10;  // l1=KiB: of a multiprocessor, for counts
  std::uint64_t l2_bytes = std::uint64_t{50} << 20;  // l2=MiB
};

// Read when first asked for; a list that is wrong ends the process with one line and status 2. Tests may change them
// between launches.
Settings& settings();

// Pseudo-random numbers from the seed; not for threads side by side.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u) {}
  std::uint64_t operator()() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return (*this)() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace cuda_machine
