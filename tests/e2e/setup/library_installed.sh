#!/usr/bin/env bash
# What is installed of libwarpmeter suffices for programs of others: the examples build against it, meter, and find a word that
# packets and blocks cut in two; one that
# pkg-config helps to build writes Parquet, wherever it lies; so does the example of a feeder build.
. "$(dirname "$0")/../common.sh"
build=$(dirname "$WARPMETER")
[ -e "$build/libwarpmeter.so" ] || { echo "a whole build, with libwarpmeter.so, runs this"; exit 77; }
for component in library development; do
  cmake --install "$build" --prefix "$PWD/installed" --component $component >install.log || { cat install.log; fail "install"; }
done
cp -r installed/share/doc/libwarpmeter-dev/examples/library example
cmake -G Ninja -S example -B build -DCMAKE_PREFIX_PATH="$PWD/installed" >configure.log 2>&1 || { cat configure.log; fail "find_package"; }
cmake --build build >build.log 2>&1 || { cat build.log; fail "the example does not build"; }
build/meter_frames >got.txt || fail "exit status $?"
cat >expected.txt <<'END'
10.0.0.1:50000 > 192.168.0.1:443  4 packets, 560 bytes, 1 segments retransmitted
192.168.0.1:443 > 10.0.0.1:50000  4 packets, 160 bytes, 0 segments retransmitted
END
diff expected.txt got.txt || fail "other Flow Records"

python3 - >words.pcap <<'END'
import struct, sys
def packet(client, sequence, flags, payload):
    ends = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
    ports = (5000, 80) if client else (80, 5000)
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, 1, 0x50, flags, 512, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0)
    return ip + b"".join(ends if client else ends[::-1]) + tcp
talk = [(True, 99, 2, b""), (False, 199, 0x12, b""), (True, 100, 0x10, b"a needle, a nee"), (True, 115, 0x10, b"dle; nee")]
talk += [(False, 200, 0x10, b"x" * 20000 + b"nee"), (False, 20203, 0x10, b"dle")]  # the block is full between them
talk += [(True, 130, 0x10, b"dle behind a gap")]
sys.stdout.buffer.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101))
for second, one in enumerate(talk):
    data = packet(*one)
    sys.stdout.buffer.write(struct.pack("<IIII", second, 0, len(data), len(data)) + data)
END
build/find_word needle words.pcap | sort >got.txt || fail "exit status of find_word"
cat >expected.txt <<'END'
10.0.0.1:5000 > 10.0.0.2:80  client, byte 12
10.0.0.1:5000 > 10.0.0.2:80  client, byte 2
10.0.0.1:5000 > 10.0.0.2:80  server, byte 20000
END
diff expected.txt got.txt || fail "other words"

# A program outside of what is installed, which knows the library and nothing of the module for Parquet.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$PWD/installed/lib/pkgconfig
  flags=$(pkg-config --cflags --libs warpmeter) || fail "pkg-config"
  [ "$(pkg-config --modversion warpmeter)" = "$("$WARPMETER" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)" ] ||
    fail "pkg-config has another version"
  cp "$SOURCE/tests/packages/write_flows.cc" .
  g++ -std=c++20 -o write_flows write_flows.cc $flags -Wl,-rpath,"$PWD/installed/lib" || fail "pkg-config's flags do not suffice"
  ./write_flows "$DATA/first-look.pcap" flows.csv
  if [ "$("$WARPMETER" info | grep -c 'Parquet *built in (')" = 1 ]; then
    ! ./write_flows "$DATA/first-look.pcap" flows.parquet 2>said.txt || fail "Parquet without its module"
    grep -q 'package warpmeter-parquet has it' said.txt || fail "it said $(cat said.txt)"
    cmake --install "$build" --prefix "$PWD/installed" --component parquet >install.log || { cat install.log; fail "install"; }
    ./write_flows "$DATA/first-look.pcap" flows.parquet || fail "no Parquet from an installed library"
    "$WARPMETER" show -q flows.parquet --csv | cmp - <("$WARPMETER" show -q flows.csv --csv) || fail "Parquet lost records"
  fi
else
  echo "pkg-config tries the rest"
fi

cc -std=c11 -fsyntax-only -Iinstalled/include installed/share/doc/libwarpmeter-dev/examples/feeder.c || fail "feeder.c"

# Each header stands by itself, and leads to no other that is not installed.
for header in installed/include/warpmeter/*.h; do
  echo "#include \"${header#installed/include/}\"" >one.cc
  g++ -std=c++20 -fsyntax-only -Iinstalled/include one.cc 2>one.log || { cat one.log; fail "$header"; }
done

# Programs are shown these classes and two exceptions, and none of what is linked into the library.
nm -DC --defined-only "$build/libwarpmeter.so" >symbols.txt
for class in Extraction Selection PacketSelection FlowReport Reassembly StreamReader; do
  grep -q "warpmeter::$class::$class(" symbols.txt || fail "the library does not show $class"
done
grep -E '(fmt|nlohmann|CLI|warpmeter)::' symbols.txt | grep -vE 'warpmeter::(export_stream|Job|FlowSource|Extraction|Selection|PacketSelection|FlowReport|Reassembly|StreamReader|Error|CaptureError)\b' >shown.txt || true
[ ! -s shown.txt ] || { head shown.txt; fail "libwarpmeter shows more than it should"; }
