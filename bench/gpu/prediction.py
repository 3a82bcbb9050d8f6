"""How long a GPU would take for what the CUDA machine counted. All are predictions."""
import json, re

from gpus import ASSUMED, REGISTERS

SECTOR = 32
SHARED, MOST_BLOCKS = 100 << 10, 32     # of a multiprocessor; what all of these have at least
KINDS = ('arithmetic', 'multiply64', 'global', 'shared', 'local', 'param', 'atomic', 'warp', 'branch', 'barrier')
ONCE = ('ListAllIds',)     # kernels of the start, whatever comes then
BOUNDS = ('DRAM', 'L2', 'issue', 'one address', 'latency')


def kernel_name(mangled):
    """-> 'ClaimFlows', or 'cub: RadixSortOnesweep'"""
    ours = re.search(r'run_kernel\w*?ENS_\d+([A-Z][A-Za-z]+?)(?:E|ILNS)', mangled)
    if ours: return ours.group(1)
    cub = re.search(r'Device([A-Z][A-Za-z]+?)Kernel', mangled)
    return f'cub: {cub.group(1)}' if cub else mangled


def read_counts(path):
    """-> ([counts of a kernel], counts of the streams)"""
    with open(path, encoding='utf-8') as file: lines = [json.loads(line) for line in file]
    return [line for line in lines if 'kernel' in line], lines[-1]


def read_registers(path):
    """-> {(kernel, lanes): registers} of tools/kernels.baseline; of method exact, where there are two"""
    with open(path, encoding='utf-8') as file: rows = [line.split() for line in file]
    found = {}
    for row in rows:
        if len(row) == 4 and row[1].isdigit(): found.setdefault((row[0].split('<')[0], int(row[1])), int(row[2]))
    return found


def registers_of(counts, registers):
    lanes = re.search(r'run_kernelILj(\d+)E', counts['kernel'])
    return registers.get((kernel_name(counts['kernel']), int(lanes.group(1))), 40) if lanes else 40


def resident_warps(gpu, block_threads, registers, shared_bytes):
    """Of a multiprocessor."""
    warps = block_threads // 32
    by_shared = SHARED // shared_bytes if shared_bytes else MOST_BLOCKS
    blocks = min(gpu.warps // warps, REGISTERS // (registers * block_threads), by_shared)
    return max(blocks, 1) * warps


def times(counts, gpu, registers):
    """-> {bound: seconds} of all launches of a kernel"""
    operations = sum(counts[kind] * ASSUMED.get(kind, 1) for kind in KINDS)
    clock = gpu.clock * 1e9
    requests = counts['reads'] + counts['atomics']
    l2_sectors = counts['l2_read_sectors'] + counts['l2_write_sectors'] + counts['atomic_sectors']
    warps = gpu.multiprocessors * resident_warps(gpu, counts['block_threads'], registers, counts['shared_bytes'])
    launched = max(1, counts['threads'] / 32 / counts['launches'])
    dram_sectors = counts['dram_read_sectors'] + counts['dram_write_sectors']
    return {'DRAM': SECTOR * dram_sectors / (gpu.dram * 1e9 * ASSUMED['dram_share']),
            'L2': SECTOR * l2_sectors / (gpu.l2_bytes_a_clock * clock),
            'issue': operations * 32 / (gpu.integer * gpu.multiprocessors * clock),
            'one address': counts['atomics_in_a_row'] / clock,
            'latency': requests * ASSUMED['latency_us'] / 1e6 / ASSUMED['requests_in_flight'] / min(warps, launched)}


def predict(kernels, streams, segments, gpu, registers):
    """-> what one GPU does: {'kernels': rows, 'compute', 'copy': seconds a segment, 'start': seconds once}"""
    rows, total, start = [], 0, streams['bytes_filled'] / (gpu.dram * 1e9 * ASSUMED['dram_share'])
    for counts in kernels:
        bound = times(counts, gpu, registers_of(counts, registers))
        worst = max(BOUNDS, key=bound.get)
        seconds = bound[worst] + counts['launches'] * ASSUMED['launch_us'] / 1e6
        if counts['launches'] * ASSUMED['launch_us'] / 1e6 > bound[worst]: worst = 'launches'
        name = kernel_name(counts['kernel'])
        if name in ONCE:
            start += seconds
            continue
        rows.append({'kernel': name, 'ns a segment': 1e9 * seconds / segments, 'bound': worst})
        total += seconds
    total += 2 * streams['bytes_on_device'] / (gpu.dram * 1e9 * ASSUMED['dram_share'])
    copy = streams['bytes_in'] / (gpu.pcie * 1e9 * ASSUMED['pcie_share'])
    return {'gpu': gpu.name, 'kernels': sorted(rows, key=lambda row: -row['ns a segment']),
            'compute': total / segments, 'copy': copy / segments, 'start': start}


def end_to_end(prediction, host_seconds, cores):
    """-> (segments/s, what bounds it): copies, kernels and decoding go on side by side"""
    parts = {'kernels': prediction['compute'], 'PCIe': prediction['copy'], 'decoding': host_seconds / cores}
    worst = max(parts, key=parts.get)
    return 1 / parts[worst], worst
