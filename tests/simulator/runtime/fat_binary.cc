#include "simulator/runtime/fat_binary.h"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/finding.h"
#include "simulator/instruction_coverage.h"
#include "simulator/runtime/runtime.h"

namespace cuda_machine {
namespace {

// What nvcc puts into a program: a header, and behind it entries, each PTX or machine code of one architecture. Source:
// the files that nvcc writes; read here are only those whose PTX is not compressed (fatbinary -no-compress).
struct FatBinaryWrapper {
  std::int32_t magic, version;
  const std::uint8_t* data;
  void* unused;
};
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of all entries
};
struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint8_t unused[12];
  std::uint32_t architecture;
};
constexpr std::uint16_t kPtx = 1;

template <class T>
T read(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The newest PTX that the GPUs understand; empty if there is none.
std::string_view best_ptx(const std::uint8_t* data) {
  const auto header = read<FatBinaryHeader>(data);
  const std::uint8_t* at = data + header.header_bytes;
  std::string_view best;
  std::uint32_t newest = 0;
  for (const std::uint8_t* const end = at + header.bytes; at < end;) {
    const auto entry = read<EntryHeader>(at);
    const auto* const text = reinterpret_cast<const char*>(at) + entry.header_bytes;
    if (entry.kind == kPtx && entry.architecture <= settings().architecture && entry.architecture > newest) {
      newest = entry.architecture;
      best = {text, strnlen(text, entry.bytes)};
    }
    at += entry.header_bytes + entry.bytes;
  }
  return best;
}

struct FatBinary {
  std::string_view ptx;
  std::optional<Module> module;  // once a kernel was asked for
};
struct Function {
  FatBinary* binary;
  std::string name;
};

std::map<const void*, Function>& functions() {
  static auto& all = *new std::map<const void*, Function>;
  return all;
}

}  // namespace

const Kernel* kernel_of(const void* function, cudaError_t& error) {
  const auto found = functions().find(function);
  error = cudaErrorInvalidDeviceFunction;
  if (found == functions().end()) return nullptr;
  FatBinary& binary = *found->second.binary;
  error = cudaErrorNoKernelImageForDevice;
  if (binary.ptx.empty()) return nullptr;
  if (!binary.module) {
    try {
      binary.module = parse_module(binary.ptx);
    } catch (const PtxError& problem) {
      report(Finding::unsupported, problem.what());
      binary.ptx = {};
      return nullptr;
    }
    cover(*binary.module);
  }
  const auto kernel = binary.module->kernels.find(found->second.name);
  if (kernel == binary.module->kernels.end()) return nullptr;
  error = cudaSuccess;
  return &kernel->second;
}

}  // namespace cuda_machine

using namespace cuda_machine;

extern "C" void** __cudaRegisterFatBinary(void* wrapper) {
  auto* const binary = new FatBinary{best_ptx(static_cast<const FatBinaryWrapper*>(wrapper)->data), {}};
  return reinterpret_cast<void**>(binary);
}
extern "C" void __cudaRegisterFatBinaryEnd(void**) {}
extern "C" void __cudaUnregisterFatBinary(void**) {}  // the process ends
extern "C" void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {
}  // no kernel uses one

extern "C" void __cudaRegisterFunction(void** binary, const char* function, char*, const char* name, int, uint3*,
                                       uint3*, dim3*, dim3*, int*) {
  functions()[function] = {reinterpret_cast<FatBinary*>(binary), name};
}

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
