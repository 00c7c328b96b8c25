"""Simplifies many maps in several processes."""
# mypy: ignore-errors

import contextlib
import os
import subprocess
import sys
import threading

from ._affinor import IndexMap
from ._errors import Error
from ._function import wrong

# Number of maps sent to a worker at once: large enough to make pipes cheap, small enough that workers finish together.
CHUNK = 32


def simplify_many(cases, *, processes=None, effort=1, progress=None):
    """Simplifies `cases`, maps or texts, like `IndexMap.simplify`; returns the results in the same order.

    The work is shared by `processes` processes, by default one per core; with 1, only this process works. They run no code of the
    caller, so scripts need no guard. `progress` is called with the number of cases done and the total. A text that is not a map is an
    Error before the work begins, and its `case` is the number of the text.

    >>> simplify_many(["(i) -> (i * 4 mod 2), domain: i in [0, 9]"], processes=1)
    [IndexMap('(i) -> (0), domain: i in [0, 9]')]
    """
    maps = [_read(number, case) for number, case in enumerate(cases)]
    if processes is None:
        processes = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if processes < 1 or effort not in (0, 1, 2):
        raise wrong("usage", f"{processes} processes, effort {effort}: at least 1 process, and effort 0, 1 or 2")
    progress = progress or (lambda done, total: None)
    processes = min(processes, -(-len(maps) // CHUNK))
    if processes > 1:
        return _shared(maps, processes, effort, progress)
    results = []
    for map in maps:
        results.append(map.simplify(effort=effort))
        progress(len(results), len(maps))
    return results


def _read(number, case):
    if isinstance(case, IndexMap):
        return case
    try:
        return IndexMap(case)
    except Error as error:
        error.case = number
        raise


def _shared(maps, processes, effort, progress):
    results = [None] * len(maps)
    starts = iter(range(0, len(maps), CHUNK))
    # Locks the iterator, and signals each finished or failed chunk.
    changed = threading.Condition()
    done, failures, running = 0, [], processes
    workers = [_start(effort) for _ in range(processes)]

    def serve(worker):
        nonlocal done, running
        try:
            while True:
                with changed:
                    start = None if failures else next(starts, None)
                if start is None:
                    return
                chunk = maps[start : start + CHUNK]
                worker.stdin.write(f"{len(chunk)}\n" + "".join(f"{map}\n" for map in chunk))
                worker.stdin.flush()
                for number in range(start, start + len(chunk)):
                    line = worker.stdout.readline()
                    if not line:
                        raise wrong("internal", f"a worker ended while it simplified case {number}")
                    results[number] = IndexMap(line)
                with changed:
                    done += len(chunk)
                    changed.notify()
        except BaseException as error:
            with changed:
                failures.append(error if isinstance(error, Error) else wrong("internal", f"a worker ended: {error}"))
        finally:
            with changed:
                running -= 1
                changed.notify()

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        told = 0
        while True:
            with changed:
                changed.wait_for(lambda: done > told or running == 0)
                now, is_over = done, running == 0
            if now > told:
                told = now
                progress(now, len(maps))
            if is_over and now == told:
                break
    finally:
        # Also if `progress` raises, or on Ctrl-C.
        for worker in workers:
            worker.kill()
        for worker, thread in zip(workers, threads):
            worker.wait()
            if thread.ident is not None:
                thread.join()
            with contextlib.suppress(BrokenPipeError):  # text that the worker did not read
                worker.stdin.close()
            worker.stdout.close()
    if failures:
        raise failures[0]
    return results


def _start(effort):
    # The worker imports this copy of the package.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = f"import sys; sys.path.insert(0, {here!r}); from affinor._many import _work; _work({effort})"
    return subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        start_new_session=True,  # Ctrl-C goes to the caller only, which kills the workers
    )


def _work(effort):
    """The loop of a worker: reads a whole chunk, the number of maps and a line for each, before it answers, to avoid a deadlock."""
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")
    for count in sys.stdin:
        for line in [sys.stdin.readline() for _ in range(int(count))]:
            print(IndexMap(line).simplify(effort=effort), flush=True)
