"""The program `affinor`, as the commands `affinor` and `python -m affinor`."""
# mypy: ignore-errors

import sys

from ._affinor import _run_program


def main() -> int:
    """Runs the program with the words of the command line; returns its exit status."""
    return _run_program(["affinor", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
