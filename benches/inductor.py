#!/usr/bin/env python3
"""Compiles models of dynamic sizes with torch.compile, without and with `affinor.torch.install()`, as a table.

    inductor.py [--runs COUNT] [--limit SECONDS] [--json FILE] [MODEL ..]
    inductor.py --profile MODEL [--with]     the functions of Inductor and sympy that take the time

The models are those of inductor_models.py. Each run is a process of its own, without Inductor's caches, for the CPU with one compiler
at a time; runs without and with affinor alternate, in alternating order. A run that exceeds the limit on processor time (default
170 s) is stopped. The table has the medians of

    s           seconds until the first answer
    own         processor time of the process, which excludes the C++ compiler
    divisions   quotients and remainders in the code

and whether all answers, at each of the model's shapes, agree with the uncompiled model. Below are the sums over models that finish
both ways, and the counters of `affinor.torch.statistics()`. Needs torch, a C++ compiler, and a release build of the package.
"""

import argparse
import collections
import cProfile
import json
import os
import pstats
import re
import resource
import signal
import statistics
import subprocess
import sys
import time

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
WAYS = ("without", "with")


def compiled(name, way, profile=None):
    """Compiles a model in this process; returns the measurements."""
    import torch
    from torch._inductor.utils import run_and_get_code

    import affinor.torch
    from inductor_models import MODELS

    torch.manual_seed(0)
    inputs = [torch.randn(shape) for shape in MODELS[name].shapes]
    # Exclude imports and builds at the first use.
    torch.compile(lambda x: x.sin() + 1)(inputs[0])
    torch._dynamo.reset()
    model = MODELS[name]().eval()
    if way == "with":
        affinor.torch.install()
    with torch.no_grad():
        start, own = time.perf_counter(), time.process_time()
        if profile:
            profile.enable()
        run = torch.compile(model, dynamic=True)
        _, codes = run_and_get_code(run, inputs[0])
        if profile:
            profile.disable()
        own, wall = time.process_time() - own, time.perf_counter() - start
        agrees = all(torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5) is None for x in inputs)
    divisions = sum(len(re.findall(r"div_floor_integer|div_mod| % |//", code)) for code in codes)
    return {"wall": wall, "own": own, "divisions": divisions, "agrees": agrees, "counted": affinor.torch.statistics()}


def measured(name, way, limit):
    command = [sys.executable, __file__, "--one", way, "--limit", str(limit), name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == -signal.SIGXCPU:
        return None
    if done.returncode:
        sys.exit(f"{name} {way}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def row(name, runs):
    """Returns a row of the table, and the medians of both ways, or None if one did not finish."""
    cells, medians = [], {}
    for way in WAYS:
        found = runs[name, way]
        if None in found:
            cells += ["not finished", "", ""]
        else:
            medians[way] = [statistics.median(one[key] for one in found) for key in ("wall", "own", "divisions")]
            wall, own, divisions = medians[way]
            cells += [f"{wall:.1f}", f"{own:.1f}", f"{divisions:.0f}"]
    agrees = all(one is None or one["agrees"] for way in WAYS for one in runs[name, way])
    return f"| {name} | {' | '.join(cells)} | {'yes' if agrees else 'NO'} |", medians if len(medians) == 2 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=170)
    parser.add_argument("--json", metavar="FILE", help="every run, a line each")
    parser.add_argument("--profile", metavar="MODEL")
    parser.add_argument("--with", dest="way", action="store_const", const="with", default="without")
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        resource.setrlimit(resource.RLIMIT_CPU, (arguments.limit, arguments.limit + 5))
        print(json.dumps(compiled(arguments.models[0], arguments.one)))
        return
    if arguments.profile:
        profile = cProfile.Profile()
        print(compiled(arguments.profile, arguments.way, profile))
        pstats.Stats(profile).sort_stats("cumulative").print_stats("sizevars|sympy.simplify|affinor|expand|cpp.py|_sympy", 40)
        return
    from inductor_models import MODELS

    names = arguments.models or list(MODELS)
    runs = collections.defaultdict(list)
    for number in range(arguments.runs):
        for place, name in enumerate(names):
            for way in WAYS[:: 1 if (number + place) % 2 == 0 else -1]:
                one = measured(name, way, arguments.limit)
                runs[name, way].append(one)
                if arguments.json:
                    with open(arguments.json, "a") as file:
                        file.write(json.dumps({"model": name, "way": way, "found": one}) + "\n")
    print("| model | s without | own | divisions | s with | own | divisions | as eager |")
    print("|---|---|---|---|---|---|---|---|")
    sums = {way: [0, 0, 0] for way in WAYS}
    for name in names:
        text, medians = row(name, runs)
        print(text)
        for way in WAYS if medians else ():
            sums[way] = [one + other for one, other in zip(sums[way], medians[way])]
    print("| **all that finish** | " + " | ".join(f"{wall:.1f} | {own:.1f} | {count:.0f}" for wall, own, count in sums.values()) + " | |")
    counted = collections.Counter()
    for name in names:
        for one in runs[name, "with"]:
            counted.update(one["counted"] if one else {})
    print(dict(sorted(counted.items())))


if __name__ == "__main__":
    main()
