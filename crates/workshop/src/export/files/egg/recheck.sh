#!/bin/sh
# Checks this directory: that every file is the one that SHA256SUMS lists, that the crate's tests pass, and that the example gives the
# documented results. Arguments go to cargo, for instance --offline.
set -u
cd "$(dirname "$0")" || exit 2
fail() {
    echo "FAILED: $1"
    exit 1
}

sha256sum --quiet --check SHA256SUMS || fail "a file is not the one that SHA256SUMS lists"
listed=$(grep -c . SHA256SUMS)
# What cargo writes is not listed.
present=$(find . -type f ! -path ./SHA256SUMS ! -name Cargo.lock ! -path './target/*' ! -path './example/target/*' | grep -c .)
[ "$listed" -eq "$present" ] || fail "SHA256SUMS lists $listed files, here are $present"

cargo test --quiet --no-fail-fast "$@" || fail "the tests do not pass"
(cd example && cargo run --quiet "$@") || fail "the example does not give what is documented"
echo "the files are as listed, the tests pass, the example gives the documented results"
