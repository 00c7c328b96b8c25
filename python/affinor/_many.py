"""Many maps at once, over processes."""
# mypy: ignore-errors

import contextlib
import os
import subprocess
import sys
import threading

from ._affinor import IndexMap
from ._errors import Error
from ._function import wrong

# Maps handed to a worker at once: enough that pipes cost little, few enough that all workers end together.
CHUNK = 32


def simplify_many(cases, *, processes=None, effort=1, progress=None):
    """The simplified maps of `cases`, maps or texts, in their order, each as `IndexMap.simplify` gives it.

    The work is shared by `processes` processes: as many as there are cores, or with 1 this one alone. They run this module and
    nothing of the caller's, so scripts need no guard. `progress` is called with the number done and that of all cases. A text
    that is no map is an Error before the work begins, and its `case` is the number of the text.

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
    # One lock for the iterator, one notice for each chunk that is done or failed.
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
        # Also when progress raises, or Ctrl-C comes.
        for worker in workers:
            worker.kill()
        for worker, thread in zip(workers, threads):
            worker.wait()
            if thread.ident is not None:
                thread.join()
            with contextlib.suppress(BrokenPipeError):  # what was not read
                worker.stdin.close()
            worker.stdout.close()
    if failures:
        raise failures[0]
    return results


def _start(effort):
    # The same package, wherever it was imported from.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = f"import sys; sys.path.insert(0, {here!r}); from affinor._many import _work; _work({effort})"
    return subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        start_new_session=True,  # Ctrl-C is for the caller, which ends the workers
    )


def _work(effort):
    """What a worker does. It reads a chunk (the number of maps, and each in a line) before it answers: so neither waits for the
    other to read."""
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")
    for count in sys.stdin:
        for line in [sys.stdin.readline() for _ in range(int(count))]:
            print(IndexMap(line).simplify(effort=effort), flush=True)
