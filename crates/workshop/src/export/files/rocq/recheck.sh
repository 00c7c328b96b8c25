#!/bin/sh
# Compares the theorems with the rules of the manifest; then has Rocq check them, that none rests on an axiom, and that the false rules are
# refuted: sh recheck.sh. Needs python3, coqc (COQC) and make.
set -u
cd "$(dirname "$0")" || exit 2
sha256sum --quiet --check SHA256SUMS || exit 1
make --silent clean || exit 1
python3 recheck.py || exit 1
said=$(make --silent all 2>&1) || { printf '%s\n' "$said"; exit 1; }
theorems=$(grep -c '^Theorem ' Rules.v)
if [ "$said" != 'Closed under the global context' ] || [ "$theorems" -ne "$(grep -c '^  [a-z]' Assumptions.v)" ]; then
    printf '%s\n' "$said"
    echo "FAILED: a theorem rests on an axiom, or Assumptions.v leaves one out"
    exit 1
fi
echo "$theorems theorems were proved, none rests on an axiom, $(grep -c '^Theorem not_' MustFail.v) false rules were refuted"
