#!/usr/bin/env bash
# The unit files that cmake --install writes are ones that systemd takes, with the paths of the prefix in them, and of which
# systemd-analyze says that they leave the service little that it has no need of.
. "$(dirname "$0")/../common.sh"
mkdir -p prefix/bin prefix/share/doc/warpmeter/docs
ln -s "$WARPMETER" prefix/bin/warpmeter
cp "$SOURCE/docs/service.md" "$SOURCE/docs/coalesce.md" prefix/share/doc/warpmeter/docs
cmake "-DCMAKE_INSTALL_PREFIX=$PWD/prefix" -P "$SOURCE/data/systemd/install.cmake"
units=prefix/lib/systemd/system
grep -q "^ExecStart=$PWD/prefix/bin/warpmeter live " "$units/warpmeter@.service" || fail "ExecStart"
grep -q "^ExecStart=$PWD/prefix/bin/warpmeter coalesce " "$units/warpmeter-coalesce@.service" || fail "ExecStart"
grep -q '@prefix@' $units/* && fail "a path is missing"
grep -q '^RestartForceExitStatus=SIGPIPE$' "$units/warpmeter@.service" || fail "a reader that goes away would end the service for good"
command -v systemd-analyze >/dev/null || { echo "apt-get install systemd runs this: there is no systemd-analyze"; exit 77; }
analyzes_offline() { systemd-analyze security --help | grep -q -- --offline; }
for unit in warpmeter warpmeter-coalesce; do
  cp "$units/$unit@.service" $unit@eth0.service
  systemd-analyze verify --recursive-errors=no ./$unit@eth0.service 2>verify.txt || { cat verify.txt >&2; fail "systemd does not take it"; }
  grep 'warpmeter.*@' verify.txt && fail "systemd complains"
  analyzes_offline || continue
  systemd-analyze security --no-pager --offline=true --threshold=40 ./$unit@eth0.service >security.txt 2>&1 ||
    { grep -v '^✓' security.txt >&2; fail "exposure of $unit above 4.0"; }
done
analyzes_offline || { echo "systemd 250 or later runs the rest"; exit 77; }
