#!/usr/bin/env python3
"""How the time to simplify grows with the size of what is simplified; draws docs/performance/*.svg.

    scaling.py [--affinor PATH] [--module FILE.hlo]

Five sweeps: summands of a sum, nesting of reshapes, rank of an array, instructions of a made module, and a real module (an
optimised one, whose names begin with %) that stands 1, 2, 4 and 8 times in one file, every map composed and simplified. Each point is the least
CPU time of several runs: thread time that `simplify --jsonl` reports, for modules the user and system time of
the process, whose peak memory is printed too. Tables go to standard output.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, "..", "docs", "performance")
RUNS = 5


def summands(n):
    """A row-major index over n dimensions of size 3, less an offset, divided and reduced."""
    total = " + ".join("d%d * %d" % (i, 3 ** ((n - 1 - i) % 20)) for i in range(n))
    return {"vars": {"d%d" % i: [0, 2] for i in range(n)}, "expr": "(%s - 5) floordiv 7 mod 11" % total}


def nesting(n):
    """n times: split an index into a quotient and a remainder by 3 or 5, and put it together with them shifted."""
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
    """A module whose computations stand there so many times, under other names; the last copy has the entry."""
    head, body = text.split("\n", 1)
    head = re.sub(r", entry_computation_layout=.*", "", head)
    copies = [re.sub(r"%[\w.-]+", lambda name: "%s.copy%d" % (name.group(), copy), body) for copy in range(times)]
    copies[:-1] = [re.sub(r"^ENTRY ", "", copy, flags=re.M) for copy in copies[:-1]]
    return "\n".join([head] + copies)


def simplified(affinor, cases):
    """The least thread time of each case, in milliseconds, and the operations of its result."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for position, case in enumerate([cases[-1]] + cases):  # the first is not counted: the process warms up
            file.write(json.dumps(dict(case, id=str(position))) + "\n")
        file.flush()
        runs = []
        for _ in range(RUNS):
            done = subprocess.run([affinor, "simplify", "--jsonl", file.name], capture_output=True, text=True)
            runs.append([json.loads(line) for line in done.stdout.splitlines()][1:])
    return [(min(run[i]["ns"] for run in runs) / 1e6, runs[0][i]["ops"], runs[0][i].get("stopped_at", "")) for i in range(len(cases))]


def analysed(affinor, text):
    """The least CPU time in milliseconds and the peak memory in MB of analysing a module."""
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


def picture(name, title, unit, points):
    """A log-log plot as SVG: the points, and a grey line that grows as fast as the sizes do."""
    from math import log10
    width, height, left, bottom = 420, 280, 60, 44
    xs, ys = [x for x, _ in points], [max(y, 1e-4) for _, y in points]
    x_low, x_high = log10(min(xs)), log10(max(xs))
    linear = [ys[0] * x / xs[0] for x in xs]
    y_low, y_high = log10(min(ys + linear)), log10(max(ys + linear))
    across = lambda x: left + (log10(x) - x_low) / (x_high - x_low) * (width - left - 16)
    up = lambda y: height - bottom - (log10(y) - y_low) / (y_high - y_low or 1) * (height - bottom - 32)
    path = lambda values: " ".join("%.1f,%.1f" % (across(x), up(y)) for x, y in zip(xs, values))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">' % (width, height),
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="18" font-size="13">%s</text>' % (left, title),
           '<polyline points="%s" fill="none" stroke="#bbb" stroke-dasharray="4 3"/>' % path(linear),
           '<polyline points="%s" fill="none" stroke="#1f6feb" stroke-width="2"/>' % path(ys)]
    for x, y in zip(xs, ys):
        out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="#1f6feb"/>' % (across(x), up(y)))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (across(x), height - bottom + 16, x))
    for y in (min(ys), max(ys)):
        out.append('<text x="%d" y="%.1f" text-anchor="end">%.3g</text>' % (left - 6, up(y) + 4, y))
    out.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % ((left + width) // 2, height - 8, unit))
    out.append('<text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle">CPU ms</text>' % (height // 2, height // 2))
    with open(os.path.join(PICTURES, name + ".svg"), "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    arguments.add_argument("--module", default=os.path.join(HERE, "..", "tests", "hlo", "modules", "dropout_mlp_train_rng.opt.hlo"))
    arguments = arguments.parse_args()
    affinor = arguments.affinor
    os.makedirs(PICTURES, exist_ok=True)
    for name, title, unit, make, sizes in [
        ("summands", "A quotient and remainder of a sum", "summands", summands, [2, 4, 8, 16, 32, 64]),
        ("nesting", "Divisions inside divisions", "levels", nesting, [1, 2, 4, 8, 16, 32]),
        ("rank", "An index linearised and delinearised", "rank", rank, [2, 4, 8, 12, 16]),
    ]:
        rows = simplified(affinor, [make(n) for n in sizes])
        print("| %s | CPU ms | operations left | stopped at |\n|---|---|---|---|" % unit)
        for size, (ms, operations, stopped) in zip(sizes, rows):
            print("| %d | %.3f | %d | %s |" % (size, ms, operations, stopped))
        print()
        picture(name, title, unit, [(size, ms) for size, (ms, _, _) in zip(sizes, rows)])
    sizes = [750, 1500, 3000, 6000, 12000, 24000]
    rows = [analysed(affinor, module(n)) for n in sizes]
    print("| instructions | CPU ms | peak memory MB |\n|---|---|---|")
    for size, (ms, memory) in zip(sizes, rows):
        print("| %d | %.0f | %.0f |" % (size, ms, memory))
    picture("module", "All maps of a module", "instructions", [(size, ms) for size, (ms, _) in zip(sizes, rows)])
    with open(arguments.module) as file:
        text = file.read()
    times = [1, 2, 4, 8]
    rows = [analysed(affinor, repeated(text, n)) for n in times]
    print("\n| copies of %s | instructions | CPU ms | peak memory MB |\n|---|---|---|---|" % os.path.basename(arguments.module))
    for n, (ms, memory) in zip(times, rows):
        print("| %d | %d | %.0f | %.0f |" % (n, len(re.findall(r"^ .* = ", repeated(text, n), re.M)), ms, memory))


if __name__ == "__main__":
    main()
