#!/usr/bin/env python3
"""Measures how the work of simplification grows with the size of the input; draws docs/performance/*.svg.

    scaling.py [--affinor PATH] [--module FILE.hlo] [--write] [NAME ..]

SWEEPS are sizes of one expression or map. They are followed by sizes of a synthetic module, and by 1, 2, 4 and 8 copies of a real
module (an optimized one, whose names begin with %) in one file, with all maps composed and simplified. The work of a sweep is the
number of instructions that callgrind counts for the case alone (without valgrind: the least thread time of several runs, in ns);
that of a module is the least user and system time of the process, with its peak memory. `growth` is the exponent between a size
and the previous one: 1 is linear, 2 quadratic, the limit. Prints tables; --write puts them, and the pictures, into
docs/performance.md.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from math import log, log10

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "docs", "performance.md")
PICTURES = os.path.join(HERE, "..", "docs", "performance")
MARKS = "<!-- written by benches/scaling.py --write -->\n", "<!-- until here -->\n"
RUNS = 5
# Growth above this is printed in bold.
MOST_GROWTH = 2.0


def summands(n):
    """A row-major index over n dimensions of size 3, less an offset, divided and reduced."""
    total = " + ".join("d%d * %d" % (i, 3 ** ((n - 1 - i) % 20)) for i in range(n))
    return {"vars": {"d%d" % i: [0, 2] for i in range(n)}, "expr": "(%s - 5) floordiv 7 mod 11" % total}


def nesting(n):
    """n times: splits an index into quotient and remainder by 3 or 5, and joins them with a shift."""
    text = "d0"
    for level in range(n):
        base = (3, 5)[level % 2]
        text = "((%s) floordiv %d * %d + (%s) mod %d + 1)" % (text, base, base, text, base) if level < 6 else "(%s + 1) floordiv 2" % text
    return {"vars": {"d0": [0, 999]}, "expr": text}


def rank(n):
    """An index of rank n, linearised, transposed by delinearising to the reversed shape, and linearised again."""
    sizes = [2 + i % 3 for i in range(n)]
    strides = [1] * n
    for i in range(n - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    linear = " + ".join("d%d * %d" % (i, strides[i]) for i in range(n))
    back, stride = [], 1
    for size in sizes:
        back.append("(%s) floordiv %d mod %d * %d" % (linear, stride, size, stride))
        stride *= size
    return {"vars": {"d%d" % i: [0, sizes[i] - 1] for i in range(n)}, "expr": " + ".join(back)}


def nests(n):
    """Nested quotients that cannot be simplified: each of one and a half times the inner one, with another variable."""
    text = "d0"
    for level in range(n):
        text = "(%s * 3 + d%d) floordiv 2" % (text if level == 0 else "(%s)" % text, 1 + level % 3)
    return {"vars": {"d%d" % i: [0, 4 + i] for i in range(4)}, "expr": text}


def quotients(n):
    """A sum of n quotients and remainders, each of a sum of two variables."""
    terms = ["(d%d + d%d * 3) %s %d" % (i, i + 1, ("floordiv", "mod")[i % 2], 2 + i % 4) for i in range(n)]
    return {"vars": {"d%d" % i: [0, 6] for i in range(n + 1)}, "expr": " + ".join(terms)}


def digits(n):
    """A digit in another base of a number of n binary digits, with a carry."""
    number = " + ".join("d%d * %d" % (i, 1 << i) for i in range(n))
    return {"vars": {"d%d" % i: [0, 1] for i in range(n)}, "expr": "(%s + 3) floordiv %d mod 8" % (number, 3 << (n // 2))}


def minima(n):
    """The minimum of n sums."""
    text = "d0 * 2 + 7"
    for i in range(1, n):
        text = "min(%s, d%d * %d + %d)" % (text, i, 2 + i % 3, i % 5)
    return {"vars": {"d%d" % i: [0, 9] for i in range(n)}, "expr": text}


def clamps(n):
    """n nested clamps, each after a shift."""
    text = "d0"
    for level in range(n):
        text = "max(min(%s + %d, %d), d%d)" % (text, (3, -4)[level % 2], 60 + level % 7, 1 + level % 3)
    return {"vars": {"d0": [-50, 99], "d1": [0, 9], "d2": [0, 12], "d3": [2, 5]}, "expr": text}


def of_map(results, bounds, constraints):
    domain = ["%s in [%d, %d]" % (name, low, high) for name, (low, high) in bounds.items()] + constraints
    return {"map": "(%s) -> (%s), domain: %s" % (", ".join(bounds), ", ".join(results), ", ".join(domain))}


def results(n):
    """A map with n results, each a different digit of one linear index."""
    return of_map(["(d0 * 240 + d1 * 12 + d2 + %d) floordiv %d mod %d" % (i % 50, 2 + i % 23, 3 + i % 17) for i in range(n)],
                  {"d0": [0, 99], "d1": [0, 19], "d2": [0, 11]}, [])


def chain(n):
    """n constraints, each on a variable and the next one."""
    return of_map(["(d0 + d1) floordiv 30", "(d%d * 8 + d0 mod 3) floordiv 8" % n], {"d%d" % i: [0, 9] for i in range(n + 1)},
                  ["d%d + d%d * %d in [%d, %d]" % (i, i + 1, 1 + i % 3, i % 4, 11 + i % 5) for i in range(n)])


def constraints(n):
    """n constraints on the same three variables, quotients and remainders among them."""
    shapes = ["d0 * {0} + d1 in [{1}, {2}]", "(d0 + d2 * {0}) floordiv {3} in [0, {1}]", "d1 + d2 * {0} in [0, {2}]", "(d0 * {0} + d2) mod {2} in [{1}, {2}]"]
    return of_map(["(d0 * 16 + d1) floordiv 16", "(d0 + d1 + d2) mod 97"], {"d0": [0, 63], "d1": [0, 15], "d2": [0, 31]},
                  [shapes[i % 4].format(1 + i, i % 3, 90 + 7 * i, 2 + i % 5) for i in range(n)])


def module(n):
    """n instructions that move elements: reshape, transpose, slice, pad, reverse, in chains."""
    lines = ["HloModule scaling", "", "ENTRY main {", "  p0 = f32[12,20] parameter(0)", "  zero = f32[] constant(0)"]
    source = "p0"
    for i in range(max(n // 6, 1)):
        lines += [
            "  a%d = f32[240] reshape(%s)" % (i, source),
            "  b%d = f32[15,16] reshape(a%d)" % (i, i),
            "  c%d = f32[16,15] transpose(b%d), dimensions={1,0}" % (i, i),
            "  d%d = f32[16,15] reverse(c%d), dimensions={0}" % (i, i),
            "  e%d = f32[12,15] slice(d%d), slice={[2:14], [0:15]}" % (i, i),
            "  f%d = f32[12,20] pad(e%d, zero), padding=0_0x2_3" % (i, i),
        ]
        source = "f%d" % i
    lines[-1] = lines[-1].replace("  f", "  ROOT f", 1)
    return "\n".join(lines + ["}", ""])


def repeated(text, times):
    """Repeats the computations of a module under other names; the last copy has the entry."""
    head, body = text.split("\n", 1)
    head = re.sub(r", entry_computation_layout=.*", "", head)
    copies = [re.sub(r"%[\w.-]+", lambda name: "%s.copy%d" % (name.group(), copy), body) for copy in range(times)]
    copies[:-1] = [re.sub(r"^ENTRY ", "", copy, flags=re.M) for copy in copies[:-1]]
    return "\n".join([head] + copies)


def lines(cases):
    return "".join(json.dumps(dict(case, id=str(position))) + "\n" for position, case in enumerate(cases))


def simplified(affinor, cases):
    """Returns (work, milliseconds, operations of the result, limit reached) for each case."""
    warm = cases[0]  # for the one-time work of the process
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        def asked(of):
            file.seek(0)
            file.truncate()
            file.write(lines(of))
            file.flush()
            return [affinor, "simplify", "--jsonl", file.name]

        runs = []
        command = asked([cases[-1]] + cases)
        for _ in range(RUNS):
            done = subprocess.run(command, capture_output=True, text=True)
            runs.append([json.loads(line) for line in done.stdout.splitlines()][1:])
        rows = []
        base = instructions(asked([warm]))
        for at, case in enumerate(cases):
            least = min(run[at]["ns"] for run in runs)
            work = least if base is None else instructions(asked([warm, case])) - base
            rows.append((work, least / 1e6, runs[0][at]["ops"], runs[0][at].get("stopped_at", "")))
    return rows


def instructions(command):
    """Returns the number of instructions counted by callgrind, or None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command
    counted = subprocess.run(command, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", counted).group(1))


def growths(sizes, work):
    """Returns the exponents of growth between neighbours; None for the first."""
    pairs = zip(zip(sizes, work), zip(sizes[1:], work[1:]))
    return [None] + [log(max(y, 1) / max(x, 1)) / log(n / m) for (m, x), (n, y) in pairs]


def analysed(affinor, text):
    """Returns the least CPU time in milliseconds and the peak memory in MB of analysing a module."""
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        file.write(text)
        file.flush()
        least, memory = None, 0
        for _ in range(RUNS):
            child = subprocess.Popen([affinor, "hlo", file.name], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            if status:
                raise SystemExit("affinor hlo failed on a module of this script")
            taken = (usage.ru_utime + usage.ru_stime) * 1e3
            least = taken if least is None else min(least, taken)
            memory = max(memory, usage.ru_maxrss / 1024)
    return least, memory


def picture(name, title, unit, points, scale):
    """A log-log plot as SVG: the points, and grey lines of linear and of quadratic growth from the first of them."""
    width, height, left, bottom, top = 420, 280, 60, 44, 32
    xs, ys = [x for x, _ in points], [max(y, 1e-4) for _, y in points]
    x_low, x_high = log10(min(xs)), log10(max(xs))
    grown = {"linear": [ys[0] * x / xs[0] for x in xs], "quadratic": [ys[0] * (x / xs[0]) ** 2 for x in xs]}
    y_low, y_high = log10(min(ys)), log10(max(ys + grown["linear"]))
    across = lambda x: left + (log10(x) - x_low) / (x_high - x_low) * (width - left - 16)
    up = lambda y: height - bottom - (log10(y) - y_low) / (y_high - y_low or 1) * (height - bottom - top)
    path = lambda values: " ".join("%.1f,%.1f" % (across(x), up(y)) for x, y in zip(xs, values))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">' % (width, height),
           '<rect width="100%" height="100%" fill="white"/>',
           '<clipPath id="inside"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>' % (left, top - 4, width - left - 12, height - bottom - top + 8),
           '<text x="%d" y="18" font-size="13">%s</text>' % (left, title)]
    for label, dashes in (("linear", "4 3"), ("quadratic", "1 3")):
        out.append('<polyline points="%s" fill="none" stroke="#999" stroke-dasharray="%s" clip-path="url(#inside)"><title>%s growth</title></polyline>'
                   % (path(grown[label]), dashes, label))
    out.append('<polyline points="%s" fill="none" stroke="#1f6feb" stroke-width="2"/>' % path(ys))
    for x, y in zip(xs, ys):
        out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="#1f6feb"/>' % (across(x), up(y)))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (across(x), height - bottom + 16, x))
    for y in (min(ys), max(ys)):
        out.append('<text x="%d" y="%.1f" text-anchor="end">%.3g</text>' % (left - 6, up(y) + 4, y))
    out.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % ((left + width) // 2, height - 8, unit))
    out.append('<text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle">%s</text>' % (height // 2, height // 2, scale))
    with open(os.path.join(PICTURES, name + ".svg"), "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


SWEEPS = [
    ("summands", "A quotient and remainder of a sum", "summands", summands, [2, 4, 8, 16, 32, 64]),
    ("nesting", "Splits inside splits", "levels", nesting, [1, 2, 4, 8, 16, 32]),
    ("nests", "Quotients inside quotients", "levels", nests, [2, 4, 8, 16, 32, 64]),
    ("quotients", "A sum of quotients and remainders", "quotients", quotients, [2, 4, 8, 16, 32, 64]),
    ("rank", "An index linearised and delinearised", "rank", rank, [2, 4, 8, 12, 16]),
    ("digits", "A digit of a number in another base", "digits", digits, [4, 8, 16, 32, 60]),
    ("minima", "The least of several sums", "operands", minima, [2, 4, 8, 16, 32, 64]),
    ("clamps", "Clamps inside clamps", "levels", clamps, [2, 4, 8, 16, 32, 64]),
    ("results", "The results of a map", "results", results, [1, 4, 16, 64, 256, 1000]),
    ("chain", "Constraints on neighbours", "constraints", chain, [2, 4, 8, 16, 32, 64]),
    ("constraints", "Constraints on three variables", "constraints", constraints, [2, 4, 8, 16, 32, 64]),
]


def table(head, rows):
    return "\n".join(["| %s |" % " | ".join(head), "|" + "---|" * len(head)] + ["| %s |" % " | ".join(row) for row in rows]) + "\n"


def shown(growth):
    return "" if growth is None else ("**%.2f**" if growth > MOST_GROWTH else "%.2f") % growth


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    arguments.add_argument("--module", default=os.path.join(HERE, "..", "tests", "data", "modules", "dropout_mlp_train_rng.opt.hlo"))
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("names", nargs="*", metavar="NAME", help="sweeps to measure, instead of everything")
    arguments = arguments.parse_args()
    affinor = arguments.affinor
    os.makedirs(PICTURES, exist_ok=True)
    scale, divisor = ("million instructions", 1e6) if shutil.which("valgrind") else ("CPU ms", 1e6)
    parts, pictures = [], []

    def told(text):
        parts.append(text)
        print(text, flush=True)

    for name, title, unit, make, sizes in SWEEPS:
        if arguments.names and name not in arguments.names:
            continue
        rows = simplified(affinor, [make(n) for n in sizes])
        grown = growths(sizes, [work for work, *_ in rows])
        told(table(["%s: %s" % (title, unit), scale, "growth", "CPU ms", "operations left", "stopped at"],
                   [[str(n), "%.2f" % (work / divisor), shown(growth), "%.3f" % ms, str(operations), stopped]
                    for n, growth, (work, ms, operations, stopped) in zip(sizes, grown, rows)]))
        picture(name, title, unit, [(n, work / divisor) for n, (work, *_) in zip(sizes, rows)], scale)
        pictures.append((name, title, unit))
    if not arguments.names:
        sizes = [750, 1500, 3000, 6000, 12000, 24000]
        rows = [analysed(affinor, module(n)) for n in sizes]
        grown = growths(sizes, [ms for ms, _ in rows])
        told(table(["All maps of a module: instructions", "CPU ms", "growth", "peak memory MB"],
                   [[str(n), "%.0f" % ms, shown(growth), "%.0f" % memory] for n, growth, (ms, memory) in zip(sizes, grown, rows)]))
        picture("module", "All maps of a module", "instructions", [(n, ms) for n, (ms, _) in zip(sizes, rows)], "CPU ms")
        pictures.append(("module", "All maps of a module", "instructions"))
        with open(arguments.module) as file:
            text = file.read()
        times = [1, 2, 4, 8]
        rows = [analysed(affinor, repeated(text, n)) for n in times]
        told(table(["copies of %s" % os.path.basename(arguments.module), "instructions", "CPU ms", "growth", "peak memory MB"],
                   [[str(n), str(len(re.findall(r"^ .* = ", repeated(text, n), re.M))), "%.0f" % ms, shown(growth), "%.0f" % memory]
                    for n, growth, (ms, memory) in zip(times, growths(times, [ms for ms, _ in rows]), rows)]))
    if arguments.write:
        cells = ["![%s: work against %s](performance/%s.svg)" % (title, unit, name) for name, title, unit in pictures]
        cells += [""] * (len(cells) % 2)
        grid = table(["", ""], [cells[i : i + 2] for i in range(0, len(cells), 2)])
        with open(PAGE) as file:
            before, rest = file.read().split(MARKS[0])
        with open(PAGE, "w") as file:
            file.write(before + MARKS[0] + "\n" + "\n".join(parts + [grid]) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    main()
