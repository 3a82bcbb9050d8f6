#include "pipeline/metering/backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "core/device_meter.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {
namespace {

// From so much for each thread on a GPU is faster: it takes most of a second to start, to give its flows back and to
// end, and what it saves is metering alone, a third to a half of the time, under method five-tuple most of it
// (bench/results/2026-11-26-gpu-h200).
constexpr std::uint64_t kWorthAGpu = std::uint64_t{4} << 30;
constexpr std::uint64_t kWorthAGpuByTable = std::uint64_t{512} << 20;

#if WARPMETER_HAVE_CUDA

constexpr int kOldestGpu = 75;  // compute capability that the program is built for

std::string describe(const Gpu& gpu) {
  return fmt::format("{}, compute capability {}.{}, {} MiB", gpu.name, gpu.major, gpu.minor, gpu.memory >> 20);
}

// Empty if the GPU can be used.
std::string why_not(const GpuList& list, int number) {
  if (list.gpus.empty()) return list.error;
  if (static_cast<std::size_t>(number) >= list.gpus.size()) {
    return fmt::format("there is no GPU {}, the last one is {}", number, list.gpus.size() - 1);
  }
  const Gpu& gpu = list.gpus[static_cast<std::size_t>(number)];
  if (gpu.major * 10 + gpu.minor < kOldestGpu) return describe(gpu) + ": older than compute capability 7.5";
  return "";
}

// Those that were asked for; where none was named, those that work.
std::vector<int> wanted_gpus(const GpuList& list, const std::vector<int>& named) {
  if (!named.empty()) return named;
  std::vector<int> working;
  for (int number = 0; static_cast<std::size_t>(number) < list.gpus.size(); ++number) {
    if (why_not(list, number).empty()) working.push_back(number);
  }
  return working.empty() ? std::vector<int>{0} : working;
}

#endif

// The device, or why there is none.
struct Found {
  std::string device;
  std::string why_not;
};

Found find_device(const ExtractOptions& options) {
  if (options.make_device) return {"a device", ""};
#if WARPMETER_HAVE_CUDA
  const GpuList list = list_gpus();
  std::string devices;
  for (int gpu : wanted_gpus(list, options.gpus)) {
    const std::string reason = why_not(list, gpu);
    if (!reason.empty()) return {"", reason};
    devices += (devices.empty() ? "" : "; ") + describe(list.gpus[static_cast<std::size_t>(gpu)]);
  }
  return {devices, ""};
#else
  return {"", "built without CUDA"};
#endif
}

// Drivers leave these, whether they work or not; asking them takes long.
bool may_have_gpu() {
  constexpr const char* kTraces[] = {"/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg"};
  return std::any_of(std::begin(kTraces), std::end(kTraces), [](const char* path) { return access(path, F_OK) == 0; });
}

std::vector<std::unique_ptr<DeviceMeter>> make_with(const std::vector<int>& gpus, DeviceMeterOptions device,
                                                    const auto& make) {
  std::vector<std::unique_ptr<DeviceMeter>> devices;
  for (int gpu : gpus.empty() ? std::vector<int>{0} : gpus) {
    devices.push_back(make(gpu, device));
    if (device.meter.method == Method::five_tuple) device.meter.five_tuple.block = devices.front()->block();
  }
  return devices;
}

}  // namespace

std::uint64_t worth_a_gpu(Method method) { return method == Method::exact ? kWorthAGpu : kWorthAGpuByTable; }

std::string why_no_gpu_for(std::uint64_t input, unsigned threads, Method method) {
  if (input == 0) return "how much comes is not known, and a GPU is worth it for very much alone";
  return input < threads * worth_a_gpu(method) ? "so small an input is done as soon without a GPU" : "";
}

void tell_of_idle_gpu_options(const ExtractOptions& options, const std::string& why) {
  if (options.gpu_named && !options.quiet) warn_of(options, "--gpu and --gpu-memory have no effect: " + why);
}

BackendChoice choose_backend(const ExtractOptions& options, std::uint64_t input) {
  if (options.backend == Backend::cpu) return {"cpu", "asked for"};
  if (options.policy.policy) {
    const std::string why = "policies look at payload";
    tell_of_idle_gpu_options(options, why);
    return {"cpu", why, false, false};
  }
  if (options.annex) {
    const std::string why = "an annex is noted on the CPU";
    tell_of_idle_gpu_options(options, why);
    return {"cpu", why, false, false};
  }
  const bool is_remark = options.backend == Backend::cuda || options.gpu_named || may_have_gpu();
  if (options.backend == Backend::automatic && !options.gpu_named && !options.make_device && built_with_cuda()) {
    const std::string why = why_no_gpu_for(input, options.threads, options.meter.method);
    if (!why.empty()) return {"cpu", why, false, is_remark};  // nor is one looked for, which takes long
  }
  const Found found = find_device(options);
  if (found.why_not.empty()) return {"cuda", found.device, true};
  if (options.backend == Backend::cuda) throw Error("--backend cuda: " + found.why_not);
  tell_of_idle_gpu_options(options, "no GPU was found (" + found.why_not + ")");
  return {"cpu", found.why_not, false, is_remark};
}

#if WARPMETER_HAVE_CUDA

std::vector<std::unique_ptr<DeviceMeter>> make_devices(const ExtractOptions& options, DeviceMeterOptions device) {
  if (options.make_device) {
    return make_with(options.gpus, device, [&](int, const auto& wanted) { return options.make_device(wanted); });
  }
  return make_with(wanted_gpus(list_gpus(), options.gpus), device, make_cuda_meter);
}

bool built_with_cuda() { return true; }

std::vector<std::string> gpu_lines() {
  const GpuList list = list_gpus();
  std::vector<std::string> lines;
  for (const Gpu& gpu : list.gpus) lines.push_back(fmt::format("{}: {}", lines.size(), describe(gpu)));
  if (lines.empty()) lines.push_back(list.error);
  return lines;
}

#else

std::vector<std::unique_ptr<DeviceMeter>> make_devices(const ExtractOptions& options, DeviceMeterOptions device) {
  if (!options.make_device) throw DeviceError("built without CUDA");
  return make_with(options.gpus, device, [&](int, const auto& wanted) { return options.make_device(wanted); });
}

bool built_with_cuda() { return false; }
std::vector<std::string> gpu_lines() { return {"not looked for: built without CUDA"}; }

#endif

}  // namespace warpmeter::inline pipeline
