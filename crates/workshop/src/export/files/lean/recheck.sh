#!/bin/sh
# Has Lean check the theorems, and looks that it refuses every false one: sh recheck.sh. Needs lake and lean, as elan installs them.
set -u
cd "$(dirname "$0")" || exit 2
sha256sum --quiet --check SHA256SUMS || exit 1
lake build || exit 1
said=$(lake env lean MustFail.lean 2>&1)
refused=$(printf '%s\n' "$said" | grep -c '^MustFail\.lean:[0-9]*:[0-9]*: error')
false_ones=$(grep -c '^theorem ' MustFail.lean)
if [ "$refused" -ne "$false_ones" ]; then
    printf '%s\n' "$said"
    echo "FAILED: $refused of $false_ones false theorems were refused"
    exit 1
fi
echo "$(grep -c '^theorem ' Affinor/Rules.lean) theorems were proved, $refused false ones refused"
