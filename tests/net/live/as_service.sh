# For the scripts of services, beside wire.sh or hosts.sh, `. "$HERE/live/as_service.sh"`: the program as its unit file
# leaves it, where no systemd runs.

# as_service UNIT: $AS_SERVICE is the program under that unit file, and `state`, where the script is from here on, a folder
# of its user. $metrics is --metrics, if it is built in.
as_service() {
  local status=0
  cmake "-DCMAKE_INSTALL_PREFIX=$PWD" -P "$SOURCE/data/systemd/install.cmake" >/dev/null
  ip link set lo up
  cp "$WARPMETER" program  # nobody may look into the folders of a build
  cp "$HERE/live/as_service.py" .
  printf '#!/bin/sh\nexec python3 "%s/as_service.py" "%s/lib/systemd/system/%s" "%s/program" "$@"\n' \
    "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" >as_service
  chmod 755 program as_service
  chmod 711 "$SCRATCH"
  mkdir state
  chown 65534:65534 state
  cd state
  AS_SERVICE=$SCRATCH/as_service
  "$AS_SERVICE" info >../info.txt 2>&1 || status=$?
  [ $status != 77 ] || { echo "systemd-analyze (apt-get install systemd), libseccomp and setpriv run this"; exit 77; }
  [ $status = 0 ] || { cat ../info.txt >&2; fail "it does not even start"; }
  metrics="--metrics :0"
  ! grep -q 'metrics *not built in' ../info.txt || metrics=
}

# check_confined PID
check_confined() {
  [ "$(awk '/^Uid/ { print $3 }' "/proc/$1/status")" = 65534 ] || fail "not as nobody"
  [ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$1/status")" = 2 ] || fail "no filter of system calls"
}
