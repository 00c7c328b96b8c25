#!/usr/bin/env python3
"""Answers an SMT-LIB file as the program cvc5 does, by the Python package of that name: sh recheck.sh python3 with_cvc5.py [rlimit=STEPS]"""
import sys

import cvc5


def main():
    *options, path = sys.argv[1:]
    solver = cvc5.Solver(cvc5.TermManager())
    for option in options:
        name, _, value = option.lstrip("-").partition("=")
        solver.setOption(name, value)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, path)
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return
        said = command.invoke(solver, parser.getSymbolManager())
        if said.strip():
            print(said.strip())


if __name__ == "__main__":
    main()
