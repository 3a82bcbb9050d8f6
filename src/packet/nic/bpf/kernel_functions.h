// Functions of the kernel that a program may call (kfuncs), by their names. Unlike helpers they have no fixed numbers:
// each kernel tells the types that it was built of (BTF), and a function is called by its place among them.
//
// Source: Documentation/bpf/btf.rst and kfuncs.rst of Linux.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmeter::inline packet {

enum class KernelFunction : std::int32_t { none = 0 };

// `types`: as BTF, in the order of this machine. None: there is no function of this name, or they are damaged.
KernelFunction function_in(std::span<const char> types, std::string_view name);

// Of the kernel that runs. None also where it tells nothing.
KernelFunction kernel_function(std::string_view name);

// Where it tells of them.
inline constexpr const char* kKernelTypes = "/sys/kernel/btf/vmlinux";

}  // namespace warpmeter::inline packet
