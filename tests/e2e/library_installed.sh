#!/usr/bin/env bash
# What is installed of libwarpmeter suffices for a program of others: the example builds against it, and meters.
. "$(dirname "$0")/common.sh"
build=$(dirname "$WARPMETER")
[ -e "$build/libwarpmeter.so" ] || { echo "this build has no libwarpmeter"; exit 77; }
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

# Each header stands by itself, and leads to no other that is not installed.
for header in installed/include/warpmeter/*.h; do
  echo "#include \"${header#installed/include/}\"" >one.cc
  g++ -std=c++20 -fsyntax-only -Iinstalled/include one.cc 2>one.log || { cat one.log; fail "$header"; }
done

# Programs are shown these classes and two exceptions, and none of what is linked into the library.
nm -DC --defined-only "$build/libwarpmeter.so" >symbols.txt
for class in Extraction Selection FlowReport; do
  grep -q "warpmeter::$class::$class(" symbols.txt || fail "the library does not show $class"
done
grep -E '(fmt|nlohmann|CLI|warpmeter)::' symbols.txt | grep -vE 'warpmeter::(export_stream|Job|FlowSource|Extraction|Selection|FlowReport|Error|CaptureError)\b' >shown.txt || true
[ ! -s shown.txt ] || { head shown.txt; fail "libwarpmeter shows more than it should"; }
