#!/usr/bin/env bash
# tools/setup-parquet that cannot get its package says so and leaves nothing; --try makes that no failure, and not twice: then one
# line says why.
. "$(dirname "$0")/../common.sh"
python3 -c 'import ensurepip' 2>/dev/null || { echo "python3 with venv would run this"; exit 77; }
! compgen -G '/usr/lib/*/cmake/Parquet' >/dev/null || { echo "a machine without Apache Arrow C++ would run this"; exit 77; }
export PIP_NO_INDEX=1 PIP_FIND_LINKS= PIP_CONFIG_FILE=/dev/null
mkdir -p copy
cp -r "$SOURCE/tools" copy

# Each try makes a virtual environment, which takes seconds: --try shows most of it.
if [ "${LONG:-OFF}" = ON ]; then
  expect_status 1 copy/tools/setup-parquet
  tail -n 1 stderr.txt | grep -q '^tools/setup-parquet: pip cannot' || { cat stderr.txt >&2; fail "no clear last line"; }
  grep -q '^tools/setup-parquet: pip: ERROR: Could not find a version' stderr.txt || { cat stderr.txt >&2; fail "not pip's reason"; }
  [ ! -s stdout.txt ] || fail "standard output is not empty"
  [ -z "$(ls copy/build)" ] || fail "left behind: $(ls copy/build)"
fi

expect_status 0 copy/tools/setup-parquet --try
grep -q '^tools/setup-parquet: pip: ERROR: Could not find a version' stderr.txt || { cat stderr.txt >&2; fail "not pip's reason"; }
tail -n 1 stderr.txt | grep -q 'warpmeter has no Parquet' || { cat stderr.txt >&2; fail "no clear last line"; }
[ ! -s stdout.txt ] || fail "standard output is not empty"
expect_status 0 copy/tools/setup-parquet --try
grep -q '^tools/setup-parquet: not tried again .* ended with "pip cannot .*"; without --try it is tried now$' stderr.txt ||
  { cat stderr.txt >&2; fail "a try that is left out is not told"; }
[ "$(wc -l < stderr.txt)" = 1 ] || { cat stderr.txt >&2; fail "tried again at once"; }
expect_status 2 copy/tools/setup-parquet --fast

if [ "${LONG:-OFF}" = ON ]; then
  # Nobody listens on port 9 of this machine.
  rm -rf copy/build
  expect_status 1 env -u PIP_NO_INDEX PIP_INDEX_URL=http://127.0.0.1:9/simple copy/tools/setup-parquet
  grep -q '^tools/setup-parquet: pip: .*Connection refused' stderr.txt || { cat stderr.txt >&2; fail "not pip's reason"; }
  [ "$(wc -l < stderr.txt)" -le 4 ] || { cat stderr.txt >&2; fail "too much"; }
fi

# A certificate that nobody trusts is not blamed on the network.
if command -v openssl >/dev/null; then
  rm -rf copy/build
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost 2>/dev/null
  python3 - <<'PY' &
import http.server, ssl
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
open("port.new", "w").write(str(server.server_port))
__import__("os").rename("port.new", "port")
server.serve_forever()
PY
  trap 'kill %1 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  for i in $(seq 100); do [ ! -e port ] || break; sleep 0.1; done
  expect_status 1 env -u PIP_NO_INDEX PIP_INDEX_URL="https://localhost:$(cat port)/simple" copy/tools/setup-parquet
  tail -n 1 stderr.txt | grep -q 'does not trust the certificate' || { cat stderr.txt >&2; fail "the certificate is not named"; }
fi
