"""Many modules over the processes of Ray, on this machine or a cluster: `pip install 'affinor[ray]'`."""

from ._corpus import line, run
from ._function import wrong

try:
    import ray
except ImportError as error:
    raise ImportError("affinor.ray needs Ray: pip install 'affinor[ray]'") from error

# Number of modules per task: large enough to make sending cheap, small enough that workers finish together.
_CHUNK = 16


def _counts(module):
    return module.summary(threads=1)


def analyze_many(modules, out, work=_counts, *, workers=None, progress=True):
    """Like `affinor.analyze_many`, with at most `workers` concurrent tasks of Ray, by default one per CPU.

    Starts Ray, and stops it at the end, if it is not running. Tasks read the files, so all machines of a cluster need affinor, and
    the files under the same paths. If a process of Ray dies, each of its modules is retried in a task of its own. Modules whose task
    dies again are named by an Error after all others are done; the next run retries them.
    """
    is_own = not ray.is_initialized()
    if is_own:
        ray.init(logging_level="warning", log_to_driver=False)
    try:
        return run(modules, out, lambda items: _shared(items, work, workers or _cpus()), progress)
    finally:
        if is_own:
            ray.shutdown()


def _cpus():
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


@ray.remote(num_cpus=1, max_retries=0)
def _answers(items, work):
    return [line(name, given, work) for name, given in items]


def _shared(items, work, workers):
    """Yields the name and line of each item as it is done."""
    waiting = [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)][::-1]
    work = ray.put(work)
    running, lost = {}, []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                chunk = waiting.pop()
                running[_answers.remote(chunk, work)] = chunk
            ready, _ = ray.wait(list(running), num_returns=1)
            chunk = running.pop(ready[0])
            try:
                yield from ray.get(ready[0])
            except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError):
                if len(chunk) == 1:
                    lost += [name for name, _ in chunk]
                waiting += [[item] for item in chunk] if len(chunk) > 1 else []
    finally:
        for task in running:
            ray.cancel(task, force=True)
    if lost:
        raise wrong("internal", f"Ray's process ended with {len(lost)} modules: {', '.join(lost[:10])}", "a next run tries them again")
