#!/usr/bin/env bash
# tools/release signs the sums of its files with its releaser's key: gpgv takes that, as the words that it prints say, and no
# sums that have changed. Without a key that can be used it ends at once, before anything is made.
. "$(dirname "$0")/../common.sh"
for program in gpg gpgv git; do command -v $program >/dev/null || { echo "$program runs this"; exit 77; }; done
mkdir -m 700 keys release tree
export GNUPGHOME=$PWD/keys HOME=$PWD GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset WARPMETER_SIGNING_KEY
trap 'gpgconf --kill all; rm -rf "$SCRATCH"' EXIT
gpg --quiet --batch --passphrase '' --quick-generate-key 'Releaser <releaser@example.org>' default default never 2>/dev/null

echo source > release/warpmeter.tar.gz
(cd release && sha256sum * > ../sums && mv ../sums SHA256SUMS)
expect_status 0 "$SOURCE/packages/sign_sums" releaser@example.org release
grep -q "^signed with the key [0-9A-F]\{40\}, " stderr.txt || { cat stderr.txt >&2; fail "the key is not named"; }
# What it says, word by word.
eval "$(grep '^  gpg --export ' stderr.txt)"
check=$(grep '^  gpgv ' stderr.txt)
mv warpmeter-key.gpg release
(cd release && eval "$check" > said.txt 2>&1) || { cat release/said.txt >&2; fail "it cannot be checked"; }
echo another > release/warpmeter.tar.gz
! (cd release && eval "$check" > said.txt 2>&1) || fail "another file is taken"
(cd release && sha256sum warpmeter.tar.gz > SHA256SUMS)
! (cd release && eval "$check" > said.txt 2>&1) || fail "other sums are taken"

mkdir tree/tools tree/packages
cp "$SOURCE/tools/release" tree/tools
cp "$SOURCE/packages/sign_sums" tree/packages
git -C tree init -q
expect_status 1 tree/tools/release
expect_one_line '^tools/release: no key to sign with: '
expect_status 1 env WARPMETER_SIGNING_KEY=nobody@example.org tree/tools/release
expect_one_line '^packages/sign_sums: gpg cannot sign with nobody@example.org: '
git -C tree config user.signingkey nobody@example.org
expect_status 1 tree/tools/release
expect_one_line 'gpg cannot sign with nobody@example.org: '
[ "$(ls tree)" = 'packages
tools' ] || fail "something was made: $(ls tree)"
