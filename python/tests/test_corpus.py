"""Many modules, in one process and over Ray."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from affinor import Error, Module, analyze_many

PAGE = Path(__file__).parents[2] / "docs" / "ray.md"


def text(number):
    rows, columns = number % 7 + 2, number % 11 + 3
    if number % 50 == 49:
        return f"p = f32[{rows},{columns} parameter(0)\n"
    return f"""p = f32[{rows},{columns}] parameter(0)
t = f32[{columns},{rows}] transpose(p), dimensions={{1,0}}
r = f32[{columns * rows}] reshape(t)
s = f32[{rows}] slice(r), slice={{[{number % columns}:{number % columns + rows}]}}
c = f32[{rows}] custom-call(s), custom_call_target="number_{number % 3}"
"""


@pytest.fixture
def modules(tmp_path):
    """Returns the paths of 500 files, ten of which are not modules."""
    (tmp_path / "modules").mkdir()
    paths = [tmp_path / "modules" / f"{number:03}.hlo" for number in range(500)]
    for number, path in enumerate(paths):
        path.write_text(text(number))
    return paths


def work(module):
    return {"maps": [str(row["map"]) for row in module.maps()], **module.summary()}


def test_one_process(modules, tmp_path):
    out, told = tmp_path / "out.jsonl", []
    lines = analyze_many(modules, out, work, progress=lambda *numbers: told.append(numbers))
    assert told == [(number, 500) for number in range(501)]
    assert [json.loads(line) for line in out.read_text().splitlines()] == lines
    assert [line["module"] for line in lines] == [str(path) for path in modules]
    assert [number for number, line in enumerate(lines) if "error" in line] == list(range(49, 500, 50))
    assert lines[0]["result"]["exact"] == 3 and lines[0]["result"]["unknown"] == 1 and "None" in lines[0]["result"]["maps"]
    assert lines[49]["error"]["kind"] == "shape" and "expected" in lines[49]["error"]["message"]


def test_stopped_runs_go_on(modules, tmp_path):
    whole, out, told = tmp_path / "whole.jsonl", tmp_path / "out.jsonl", []
    analyze_many(modules[:100], whole, work)

    def stop(done, total):
        if done == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analyze_many(modules[:100], out, work, progress=stop)
    assert out.read_text().count("\n") == 60
    # An incomplete line is done again, and lines in another order are sorted.
    kept = out.read_text().splitlines()[:50][::-1]
    out.write_text("\n".join(kept) + '\n{"module": "')
    analyze_many(modules[:100], out, work, progress=lambda done, total: told.append(done))
    assert told == list(range(50, 101)) and out.read_bytes() == whole.read_bytes()
    analyze_many(modules[:100], out, lambda module: pytest.fail("all is done"))
    assert out.read_bytes() == whole.read_bytes()
    # Lines of other modules are kept.
    assert len(analyze_many(modules[100:101], out, work)) == 1
    assert out.read_text().splitlines()[1:] == whole.read_text().splitlines()


def test_given_and_wrong(tmp_path):
    out = tmp_path / "out.jsonl"
    lines = analyze_many({"a": text(1), "b": tmp_path / "none.hlo"}, out)
    assert lines[0]["result"]["exact"] == 3 and lines[1]["error"]["kind"] == "file"
    with pytest.raises(Error, match="given twice"):
        analyze_many(["x.hlo", "x.hlo"], out)
    with pytest.raises(Error, match="list of paths.*glob"):
        analyze_many("x.hlo", out)
    with pytest.raises(ZeroDivisionError):
        analyze_many({"c": text(1)}, out, lambda module: 1 // 0)
    for wrong in ("{}\n", "no line\n", b"\xff\n".decode("latin-1")):
        out.write_text(wrong)
        with pytest.raises(Error, match="line 1 of"):
            analyze_many({"a": text(1)}, out)


ON_RAY = """
import sys
from affinor.ray import analyze_many
from pathlib import Path

def work(module):
    return {"maps": [str(row["map"]) for row in module.maps()], **module.summary()}

analyze_many(sorted(Path(sys.argv[1]).iterdir()), sys.argv[2], work, workers=2, progress=None)
"""


def test_ray(modules, tmp_path):
    ray = pytest.importorskip("ray")
    from affinor.ray import analyze_many as over_ray

    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    expected = analyze_many(modules, whole, work)

    # The first process is killed half-way, with all of Ray.
    run = subprocess.Popen([sys.executable, "-c", ON_RAY, str(tmp_path / "modules"), str(out)], start_new_session=True)
    try:
        end = time.monotonic() + 120
        while run.poll() is None and time.monotonic() < end and not (out.exists() and out.read_bytes().count(b"\n") > 100):
            time.sleep(0.01)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    before = out.read_bytes().count(b"\n")
    assert 100 < before < 500, run.returncode

    # The run resumes, and one of its two workers is killed while it works.
    pids, killed, told = tmp_path / "pids", [], []
    pids.mkdir()

    def noted(module):
        (pids / str(os.getpid())).touch()
        return {"maps": [str(row["map"]) for row in module.maps()], **module.summary()}

    def kill(done, total):
        told.append(done)
        if done > 300 and not killed:
            killed.append(int(next(pids.iterdir()).name))
            os.kill(killed[0], signal.SIGKILL)

    ray.init(num_cpus=2, logging_level="warning", log_to_driver=False, include_dashboard=False)
    try:
        lines = over_ray(modules, out, noted, workers=2, progress=kill)
        assert killed and told == list(range(before, 501))
        assert lines == expected and out.read_bytes() == whole.read_bytes()
        assert len(list(pids.iterdir())) > 1

        # A module that kills each process is named, and the others are done.
        bad = tmp_path / "bad.jsonl"
        deadly = {str(number): text(number) for number in range(20)}

        def ends(module):
            if "p = f32[5,6]" in str(module):
                os._exit(1)
            return 1

        [worst] = [name for name, given in deadly.items() if "p = f32[5,6]" in given]
        with pytest.raises(Error, match=f"ended with 1 modules: {worst}"):
            over_ray(deadly, bad, ends, progress=None)
        assert bad.read_text().count("\n") == 19
        assert len(over_ray(deadly, bad, Module.summary, progress=True)) == 20
    finally:
        ray.shutdown()


def test_the_example_of_the_page(modules, tmp_path):
    pytest.importorskip("ray")
    [example] = re.findall("```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    script, out = tmp_path / "corpus.py", tmp_path / "out.jsonl"
    script.write_text(example)
    for path in modules[60:]:
        path.unlink()
    fused = "f { p = f32[4] parameter(0)\n ROOT b = f32[3,4] broadcast(p), dimensions={1} }\n"
    modules[0].write_text(f"HloModule m\n{fused}ENTRY e {{ x = f32[4] parameter(0)\n ROOT y = f32[3,4] fusion(x), kind=kLoop, calls=f }}\n")
    run = [sys.executable, str(script), str(tmp_path / "modules" / "*.hlo"), str(out)]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    assert found.stdout == "1 of 60 modules with errors\n" and "60/60" in found.stderr
    first = json.loads(out.read_text().splitlines()[0])
    assert first["result"]["again"] == [["y", "x", 3.0]] and first["result"]["counts"]["exact"] == 2
