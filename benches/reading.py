#!/usr/bin/env python3
"""Times reading HLO text here and in XLA's own parser, both in one run.

    reading.py [--affinor PATH] [--runs 5] [FILE.hlo ..]

By default: modules of large_modules.py. Prints for each the least CPU time of several runs to read the text into memory: as reported
by `hlo --corpus` (`ns.read`), by `hlo_module_from_text` of jaxlib (`pip install jaxlib`), and the ratio. A text that one of them
rejects is named, and has no ratio.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MADE = {
    "flat_2000": ["flat", "--instructions", "2000"],
    "flat_20000": ["flat", "--instructions", "20000"],
    "decoder_4": ["decoder", "--layers", "4"],
    "decoder_48_inner": ["decoder", "--layers", "48", "--inner"],
}


def xla_parser():
    """Returns the parser from a text to a module, which versions of jaxlib have in different places."""
    for module in ("_hlo", "_jax", "xla_extension"):
        try:
            found = __import__("jaxlib." + module, fromlist=["hlo_module_from_text"])
            return found.hlo_module_from_text
        except (ImportError, AttributeError):
            continue
    sys.exit("jaxlib is missing, or has no `hlo_module_from_text`: pip install jaxlib")


def least(runs, work):
    """Returns the least CPU time of `work` in seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        kept = work()
        times.append(time.process_time() - start)
        del kept
    return min(times)


def own_times(affinor, folder, runs):
    """Returns the seconds to read each module of a folder, by file name; None for a rejected one."""
    times = {}
    for run in range(runs):
        out = os.path.join(folder, "run%d.jsonl" % run)
        command = [affinor, "hlo", "--corpus", folder, "--out", out, "--threads", "1"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for line in open(out, encoding="utf-8"):
            module = json.loads(line)
            read = module.get("ns", {}).get("read") if "instructions" in module else None
            known = times.get(module["module"])
            times[module["module"]] = min(filter(None, (known, read)), default=None)
    return {name: ns and ns / 1e9 for name, ns in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    read = xla_parser()
    texts = {}
    for file in options.files:
        texts[os.path.basename(file)] = open(file, encoding="utf-8").read()
    if not texts:
        maker = [sys.executable, os.path.join(HERE, "large_modules.py")]
        for name, arguments in MADE.items():
            made = subprocess.run(maker + arguments, check=True, stdout=subprocess.PIPE, text=True)
            texts[name + ".hlo"] = made.stdout
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        own = own_times(os.path.abspath(options.affinor), folder, options.runs)
    print("| module | bytes | here, ms | XLA, ms | ratio |\n|---|---|---|---|---|")
    ratios = []
    for name, text in texts.items():
        try:
            there = least(options.runs, lambda: read(text))
        except Exception as error:  # of a type of its own
            there = None
            print("%s: XLA: %s" % (name, str(error).strip().splitlines()[0]), file=sys.stderr)
        here = own.get(name)
        ratio = there / here if here and there else None
        ratios += [ratio] if ratio else []
        shown = ["%.3f" % (1e3 * seconds) if seconds else "refused" for seconds in (here, there)]
        print("| %s | %d | %s | %s | %s |" % (name, len(text), *shown, "%.1f" % ratio if ratio else ""))
    if ratios:
        ratios.sort()
        print("\nmedian ratio: %.1f" % ratios[len(ratios) // 2])


if __name__ == "__main__":
    main()
