"""What GPUs can do, as published, for predictions. `ASSUMED` says what is not published, and was not measured.

Sources: clocks, multiprocessors, memory, L2 and PCIe of NVIDIA's data sheets and white papers "NVIDIA L4 Tensor Core
GPU", "NVIDIA A100 Tensor Core GPU Architecture", "NVIDIA H100 Tensor Core GPU Architecture" and "NVIDIA H200 Tensor
Core GPU"; threads, registers and integer operations a clock of the CUDA C++ Programming Guide (compute capabilities;
arithmetic instructions); L2 bytes a clock of the A100 white paper, for the others assumed to be the same for each
multiprocessor; one atomic operation a clock at one address of the white paper "Kepler GK110", the last that says so.
"""
from collections import namedtuple

# clock: GHz, boost. dram, pcie: GB/s, one way. warps: resident on a multiprocessor. integer: 32-bit operations a clock
# and multiprocessor.
Gpu = namedtuple('Gpu', 'name multiprocessors clock dram l2_mib l2_bytes_a_clock pcie warps integer')

GPUS = (Gpu('L4', 58, 2.04, 300, 48, 58 * 5120 / 108, 32, 48, 64),
        Gpu('A100 PCIe', 108, 1.41, 1935, 40, 5120, 32, 64, 64),
        Gpu('H100 SXM', 132, 1.98, 3350, 50, 132 * 5120 / 108, 64, 64, 64),
        Gpu('H200', 132, 1.98, 4800, 50, 132 * 5120 / 108, 64, 64, 64))

REGISTERS = 65536              # of a multiprocessor, all of these
ASSUMED = {
    'pcie_share': 0.8,         # of the published rate, for large copies from pinned memory
    'dram_share': 0.8,         # of the published rate, for accesses without a pattern, by whole sectors
    'launch_us': 2.5,          # from one kernel of a stream to the next
    'latency_us': 0.6,         # of a read that the L2 lacks
    'requests_in_flight': 2,   # of a warp that waits for memory
    'multiply64': 4,           # operations that a 64-bit multiplication takes
}
