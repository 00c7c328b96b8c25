#!/bin/sh
# Checks this directory with a solver that reads SMT-LIB 2.6:
#   sh recheck.sh z3 -T:60
#   sh recheck.sh cvc5 --tlimit=60000
# Every file in obligations/ must be unsat, no file in must_fail/ may be, and every file must be the one that SHA256SUMS lists.
# CLAIMS=1 asks about claims/ too, which no solver is expected to answer in full: there sat is a failure.
set -u
cd "$(dirname "$0")" || exit 2
if [ $# -eq 0 ]; then
    echo "usage: sh recheck.sh SOLVER [ARGUMENT...]" >&2
    exit 2
fi
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

sha256sum --quiet --check SHA256SUMS || fail "a file is not the one that SHA256SUMS lists"
listed=$(grep -c . SHA256SUMS)
present=$(find . -type f ! -path ./SHA256SUMS | grep -c .)
[ "$listed" -eq "$present" ] || fail "SHA256SUMS lists $listed files, here are $present"

answer() {
    "$@" 2>&1 | head -n 1
}
proved=0
for script in obligations/*.smt2; do
    case $(answer "$@" "$script") in
        unsat) proved=$((proved + 1)) ;;
        *) fail "$script is not unsat" ;;
    esac
done
rejected=0
for script in must_fail/*.smt2; do
    case $(answer "$@" "$script") in
        unsat) fail "$script is unsat: a false rule would be proved" ;;
        *) rejected=$((rejected + 1)) ;;
    esac
done
echo "$proved obligations are unsat, $rejected scripts of false rules are not"
if [ "${CLAIMS:-0}" = 1 ]; then
    agreed=0 open=0
    for script in claims/*.smt2; do
        case $(answer "$@" "$script") in
            unsat) agreed=$((agreed + 1)) ;;
            sat) fail "$script is sat: the rule as it is written has a counterexample" ;;
            *) open=$((open + 1)) ;;
        esac
    done
    echo "$agreed claims are unsat, $open are open"
fi
if [ "$failures" -gt 0 ]; then
    echo "$failures failures"
    exit 1
fi
