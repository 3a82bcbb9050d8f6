// WARPMETER_HD marks the small functions in which correctness lives: the CPU backend and the kernels call the same
// ones. Plain g++ knows nothing of __host__ and __device__, hence one macro.
#pragma once

#if defined(__CUDACC__)
#define WARPMETER_HD __host__ __device__
#else
#define WARPMETER_HD
#endif
