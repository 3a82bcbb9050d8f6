// The Engine on a GPU.
#include "cuda_device.cuh"
#include "engine.cuh"

namespace warpmeter {

std::unique_ptr<DeviceMeter> make_cuda_meter(int gpu, const DeviceMeterOptions& options) {
  return std::make_unique<Engine<CudaDevice>>(std::make_unique<CudaDevice>(gpu), options);
}

}  // namespace warpmeter
