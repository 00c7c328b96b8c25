#!/usr/bin/env python3
"""Asks cvc5 whether each rule in rules.rare is true and each in must_fail.rare false: python3 with_cvc5.py [STEPS] [NAME...]

Needs the Python package `cvc5`. A rule is sent as RARE has it, with SMT-LIB's own div and mod: `unsat` proves it. Products of variables make that hard, so an
open answer is not a failure; `sat` for a rule is, and so is `unsat` for a false one.
"""
import os
import sys

sys.dont_write_bytecode = True
import recheck

import cvc5


def written(node):
    """An expression as text."""
    return node if isinstance(node, str) else "(%s)" % " ".join(written(part) for part in node)


def script(parts):
    """That the rule is false, as SMT-LIB."""
    _, _, parameters, *body = parts
    where = body.pop(0) if len(body) == 3 else "true"
    declared = "".join("(declare-const %s Int)\n" % name for name, _ in parameters)
    match, target = [written(part) for part in body]
    return "(set-logic ALL)\n%s(assert %s)\n(assert (not (= %s %s)))\n(check-sat)\n" % (declared, written(where), match, target)


def answer(text, steps):
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", str(steps))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "rule")
    said = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return said
        said = command.invoke(solver, parser.getSymbolManager()).strip() or said


def main():
    arguments = sys.argv[1:]
    steps = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 100000
    failed = False
    for file, wanted, wrong in (("rules.rare", "unsat", "sat"), ("must_fail.rare", "sat", "unsat")):
        counts = {}
        for _, parts in recheck.definitions(file):
            if arguments and parts[1] not in arguments:
                continue
            said = answer(script(parts), steps)
            counts[said] = counts.get(said, 0) + 1
            if said == wrong:
                failed = True
                print("FAILED: %s in %s: cvc5 says %s" % (parts[1], file, said))
        print("%s: %s" % (file, ", ".join("%d %s" % (counts[said], said) for said in sorted(counts))))
    print("cvc5 %s, %d steps a rule" % (cvc5.__version__, steps))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
