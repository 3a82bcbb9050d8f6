#!/usr/bin/env bash
# bench/gpu/predict runs the compiled kernels on the CUDA machine and says for each GPU what bounds it; its arithmetic is checked
# on counts made by hand.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
cat > arithmetic.py <<'PY'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from gpus import ASSUMED, GPUS
from prediction import KINDS, end_to_end, kernel_name, predict, resident_warps, times
h200 = next(gpu for gpu in GPUS if gpu.name == 'H200')
names = 'reads atomics l2_read_sectors l2_write_sectors atomic_sectors dram_read_sectors dram_write_sectors atomics_in_a_row shared_bytes'
nothing = dict.fromkeys([*KINDS, *names.split()], 0) | {'launches': 1, 'threads': 1 << 20, 'block_threads': 256}
nothing['kernel'] = '_ZN9warpmeter10run_kernelILj4ENS_10ClaimFlowsEEEvT0_jPKj'
assert kernel_name(nothing['kernel']) == 'ClaimFlows'
assert resident_warps(h200, 256, 32, 0) == 64 and resident_warps(h200, 256, 80, 0) == 24 and resident_warps(h200, 256, 32, 50 << 10) == 16
def only(**counts): return times(nothing | counts, h200, 32)
assert abs(only(dram_read_sectors=10**9)['DRAM'] - 32 / 4800 / ASSUMED['dram_share']) < 1e-9
assert abs(only(arithmetic=10**9)['issue'] - 1e9 * 32 / (64 * 132 * 1.98e9)) < 1e-9
assert abs(only(atomics_in_a_row=10**9)['one address'] - 1 / 1.98) < 1e-9
assert not any(only().values())
streams = {'bytes_filled': 0, 'bytes_on_device': 0, 'bytes_in': 96 * 10**6, 'launches': 1}
one = predict([nothing | {'dram_read_sectors': 10**9}], streams, 10**6, h200, {})
assert one['kernels'][0]['bound'] == 'DRAM'
assert end_to_end({'compute': 3e-9, 'copy': 2e-9}, 16e-9, 8) == (1 / 3e-9, 'kernels')
assert end_to_end({'compute': 1e-9, 'copy': 2e-9}, 16e-9, 16) == (1 / 2e-9, 'PCIe')
assert end_to_end({'compute': 1e-9, 'copy': 1e-9}, 16e-9, 8) == (1 / 2e-9, 'decoding')
PY
python3 arithmetic.py "$SOURCE/bench/gpu" || fail "arithmetic"
[ -x "$(dirname "$WARPMETER")/tests/simulator/warpmeter_on_machine" ] || { echo "a build with a CUDA compiler (tools/setup-cuda) runs this"; exit 77; }
"$SOURCE/bench/gpu/predict" --smoke --build "$(dirname "$WARPMETER")" --out out > table.md
diff <(cat table.md) <(cat out/predict.md; echo) || fail "another table than the file"
python3 - <<'PY'
import json
said, found = open('out/predict.md').read(), json.load(open('out/predict.json'))
assert [gpu['gpu'] for gpu in found['gpus']] == ['L4', 'A100 PCIe', 'H100 SXM', 'H200']
assert found["streams"]["bytes_in"] > 10 * found["packets"], found["streams"]
for gpu in found['gpus']:
    assert f'\n| {gpu["gpu"]} |' in said
    kernels = {row['kernel'] for row in gpu['kernels']}
    assert {'MeterFlows', 'ClaimFlows', 'SumPieces', 'MarkSegments'} <= kernels, kernels
    assert all(row['ns a segment'] > 0 for row in gpu['kernels'])
    assert gpu['compute'] > 0 and gpu['copy'] > 0 and gpu['start'] > 0
PY
