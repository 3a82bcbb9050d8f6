#include "pipeline/backend.h"

#include "warpmeter/gpu_list.h"
#include "warpmeter/status.h"

namespace warpmeter {

BackendChoice choose_backend(Backend wanted) {
  const char* reason = built_with_cuda() ? "this version meters on the CPU alone" : "built without CUDA";
  if (wanted == Backend::cuda) throw Error(std::string("--backend cuda: ") + reason);
  return {"cpu", wanted == Backend::cpu ? "asked for" : reason};
}

#if WARPMETER_HAVE_CUDA

bool built_with_cuda() { return true; }

std::vector<std::string> gpu_lines() {
  const GpuList list = list_gpus();
  std::vector<std::string> lines;
  for (const Gpu& gpu : list.gpus) {
    lines.push_back(gpu.name + ", compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
                    ", " + std::to_string(gpu.memory >> 20) + " MiB");
  }
  if (lines.empty()) lines.push_back("none found: " + list.error);
  return lines;
}

#else

bool built_with_cuda() { return false; }
std::vector<std::string> gpu_lines() { return {"not looked for: built without CUDA"}; }

#endif

}  // namespace warpmeter
