#!/usr/bin/env bash
# The unit file that cmake --install writes is one that systemd takes, with the paths of the prefix in it, and of which
# systemd-analyze says that it leaves the service little that it has no need of.
. "$(dirname "$0")/../common.sh"
mkdir -p prefix/bin prefix/share/doc/warpmeter/docs
ln -s "$WARPMETER" prefix/bin/warpmeter
cp "$SOURCE/docs/service.md" prefix/share/doc/warpmeter/docs
cmake "-DCMAKE_INSTALL_PREFIX=$PWD/prefix" -P "$SOURCE/data/systemd/install.cmake"
unit=prefix/lib/systemd/system/warpmeter@.service
grep -q "^ExecStart=$PWD/prefix/bin/warpmeter live " "$unit" || fail "ExecStart"
grep -q '@prefix@' "$unit" && fail "a path is missing"
grep -q '^RestartForceExitStatus=SIGPIPE$' "$unit" || fail "a reader that goes away would end the service for good"
command -v systemd-analyze >/dev/null || { echo "apt-get install systemd runs this: there is no systemd-analyze"; exit 77; }
cp "$unit" warpmeter@eth0.service
systemd-analyze verify --recursive-errors=no ./warpmeter@eth0.service 2>verify.txt || { cat verify.txt >&2; fail "systemd does not take it"; }
grep 'warpmeter@' verify.txt && fail "systemd complains"
systemd-analyze security --help | grep -q -- --offline || { echo "systemd 250 or later runs the rest"; exit 77; }
systemd-analyze security --no-pager --offline=true --threshold=40 ./warpmeter@eth0.service >security.txt 2>&1 ||
  { grep -v '^✓' security.txt >&2; fail "exposure above 4.0"; }
