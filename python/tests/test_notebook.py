"""Commands in notebooks, and the notebook of docs/."""

import _thread
import filecmp
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from affinor import Answer, Error, IndexMap, Layout, Session, analyze

PROGRAM = os.environ.get("AFFINOR")
ROOT = Path(__file__).parents[2]
SESSIONS = ROOT / "tests" / "sessions"
TIME = re.compile(r"\(\d\S* \S+ CPU\)")


def test_sessions():
    session = Session()
    answers = session.run("let a = (d0) -> (d0 * 4 mod 2 + d0), domain: d0 in [0, 9]\n\n# nothing\nsimplify a\nequal a ; _ # same")
    assert [answer.text for answer in answers][1:] == ["(d0) -> (d0), domain: d0 in [0, 9]", "proved"]
    assert [type(answer) for answer in answers] == [Answer] * 3 and not any(answer.is_error for answer in answers)
    assert answers[2].json == {"schema": 1, "verdict": "proved"} and answers[2].status == 0
    assert session.run("equal a ; (d0) -> (0), domain: d0 in [0, 9]")[0].status == 1
    assert session.names == ("a",) and session["a"].simplify() == session["_1"] == IndexMap("(d0) -> (d0), domain: d0 in [0, 9]")
    session["b"] = session["a"].simplify()
    assert session.run("show b")[0].text == str(session["b"])
    # A command may take several lines, with any line ends.
    assert [answer.text for answer in session.run("show b\r\nequal b ; (d0\r\n) -> (d0), domain: d0 in [0, 9]")] == [str(session["b"]), "proved"]
    assert session.run("") == session.run("# nothing\n\n") == []
    for name in ("c", "_9", "", "a b", "?"):
        with pytest.raises(KeyError):
            session[name]
    for name in ("1", "a b", "", "mod"):
        with pytest.raises(Error):
            session[name] = session["a"]
    assert session.run("quit\nshow a") == [] and session.names == ()


WRONG = [
    ("show a\n\nsimplify (d0) -> (d0 + x), domain: d0 in [0, 3]\nlet b = a", "cell:3:24", "x"),
    ("foo", "cell:1:1", "foo"),
    ("  show é", "cell:1:8", "é"),
    ("\nsimplify (d0,\n d1) -> (d0 + x),\n domain: d0 in [0, 3]", "cell:3:15", "x"),
    ("show a\nhlo none.hlo", "cell:2:5", "none.hlo"),
    ("hlo -", "cell:1:5", "-"),
    ("let c = (d0 -> (d0)\nshow a", "cell:1", None),
]


@pytest.mark.parametrize("script, place, wrong", WRONG)
def test_errors_have_their_place(script, place, wrong):
    session, told = Session(), []
    session["a"] = IndexMap("(i) -> (i), domain: i in [0, 3]")
    with pytest.raises(Error) as raised:
        session.run(script, told.append, name="cell")
    error = raised.value
    assert place in str(error) and error.message in str(error) and error.kind
    if wrong:
        start, end = error.position
        assert script[start:end] == wrong
    assert len(told) == script.count("show a\n") and session.names == ("a",)


def test_errors_may_be_answers():
    answers = Session().run("foo\nsimplify (i) -> (i), domain: i in [0, 3]\nshow x", keep_going=True)
    assert [(answer.is_error, answer.status) for answer in answers] == [(True, 1), (False, 0), (True, 1)]
    assert answers[2].json["error"]["line"] == 3 and answers[2].text.startswith("error[name] at script:3:6")


def test_control_c_ends_a_command_and_keeps_the_session(interrupts):
    session = Session()
    session["a"] = IndexMap("(i) -> (i), domain: i in [0, 3]")
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.run("rules prove\n" * 20)
    timer.join()
    assert session.names == ("a",) and session.run("show a")[0].text == str(session["a"])


def test_a_session_runs_one_command_at_a_time():
    session, refused = Session(), []
    # `tell` may run further commands.
    session.run("show (i) -> (i), domain: i in [0, 3]", lambda answer: session.run("let a = _"))
    assert session.names == ("a",)

    def prove():
        while True:
            try:
                return session.run("rules prove div-block div-strip div-div")
            except Error:
                pass  # the other thread was first

    thread = threading.Thread(target=prove)
    thread.start()
    while thread.is_alive():
        try:
            session.run("show a")
        except Error as error:
            refused.append(error.message)
    thread.join()
    assert set(refused) == {"the session runs a command of another thread"} and session.run("show a")


@pytest.mark.skipif(not PROGRAM, reason="AFFINOR does not name the program")
@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.aff")), ids=lambda path: path.stem)
def test_scripts_answer_as_in_the_program(path, tmp_path, monkeypatch):
    for side in ("program", "package"):
        (tmp_path / side / "tests").mkdir(parents=True)
        shutil.copytree(SESSIONS, tmp_path / side / "tests" / "sessions")
        for folder in ("docs", "rules", "tests/data"):
            (tmp_path / side / folder).symlink_to(ROOT / folder)
    name = str(path.relative_to(ROOT))
    found = subprocess.run([PROGRAM, "--keep-going", name], cwd=tmp_path / "program", capture_output=True, text=True)
    monkeypatch.chdir(tmp_path / "package")
    answers = Session().run(path.read_text(), name=name, keep_going=True)
    for kind, stream in [(False, found.stdout), (True, found.stderr)]:
        own = "".join(f"{answer.text}\n" for answer in answers if answer.is_error == kind and answer.text)
        assert TIME.sub("CPU", own) == TIME.sub("CPU", stream)
    assert found.stdout
    sides = [tmp_path / side / "tests" / "sessions" for side in ("program", "package")]
    assert filecmp.dircmp(*sides).diff_files == filecmp.dircmp(*sides).left_only == filecmp.dircmp(*sides).right_only == []


@pytest.fixture
def shell(capsys):
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    shell = interactive()
    shell.run_line_magic("load_ext", "affinor")
    capsys.readouterr()
    yield shell
    interactive.clear_instance()


def test_magics(shell, capsys):
    assert shell.run_cell("%%affinor\nlet a = (d0){rt0} -> (d0 * 4 mod 2 + d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 1]\nsimplify a").success
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "a = (d0){rt0} -> (d0 + rt0 + d0 * 4 mod 2), domain: d0 in [0, 9], rt0 in [0, 1]",
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 1]",
    ]
    # Names persist, Python variables are not substituted, and a command may follow the magic on its line.
    assert shell.run_cell("rt0 = x = 5\n%affinor equal a ; (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 1]").success
    assert capsys.readouterr().out == "proved\n"
    assert shell.run_cell("%%affinor let b = a\nshow b").success
    assert capsys.readouterr().out.count(shown[0][4:]) == 2
    assert shell.user_ns["affinor_session"].names == ("a", "b")
    assert shell.run_cell("affinor_session['c'] = affinor_session['b'].simplify()\n%affinor show c").success
    assert capsys.readouterr().out == shown[1] + "\n"
    assert shell.run_cell("%affinor").success and capsys.readouterr().out == ""


def test_magics_show_what_is_wrong(shell, capsys):
    failed = shell.run_cell("%%affinor\nlet a = (i) -> (i), domain: i in [0, 3]\nsimplify (d0) -> (d0 + x), domain: d0 in [0, 3]\nlet b = a")
    assert isinstance(failed.error_in_exec, Error) and shell.user_ns["affinor_session"].names == ("a",)
    shown = "error[name] at cell:3:24, after `simplify (d0) -> (d0 +`: unknown variable `x`; hint: known variables: d0"
    out = capsys.readouterr().out
    assert out.splitlines()[1:] == [shown] and "Traceback" not in out
    failed = shell.run_cell("%affinor foo")
    assert failed.error_in_exec.message == "unknown command `foo`" and "unknown command" in capsys.readouterr().out


def test_what_notebooks_show():
    module = analyze("p = f32[8] parameter(0)\n r = f32[8] reverse(p), dimensions={0}\n c = f32[8] custom-call(r), custom_call_target=\"<b>\"")
    html = module._repr_html_()
    assert "(d0) -&gt; (-d0 + 7)" in html and "<b>r</b>" in html and "r: unknown" in html
    many = analyze("p0 = f32[8] parameter(0)\n" + "".join(f"p{n + 1} = f32[8] negate(p{n})\n" for n in range(60)))
    assert many._repr_html_().count("<tr>") == 41 and "The first 40 instructions" in many._repr_html_()
    report = module.report()
    assert report.html.startswith("<!doctype html>") and "reverse" in report.html
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=\"&lt;!doctype html&gt;") and shown.count('"') == 6
    old, new = (analyze(f"p = f32[8] parameter(0)\n s = f32[4] slice(p), slice={{[{at}:{at + 4}]}}") for at in (0, 1))
    changed = old.diff(new)._repr_html_()
    assert changed.startswith("<pre") and "entry/s changed" in changed and "new (d0) -&gt; (d0 + 1)" in changed


@pytest.mark.parametrize(
    "shown, words",
    [
        (Layout("s4[4000000,2000000]{1,0:T(8,128)(2,1)}"), "only the first 12 and the last 4 of 4000000 rows and the first 12 and the last 4 of"),
        (IndexMap("(i, j) -> (i * 10, j), domain: i in [0, 299], j in [0, 299]"), "elements read outside the picture: "),
        (IndexMap("(i, j) -> (i + 99999990000000, j + 70), domain: i in [0, 20], j in [0, 20]"), "rows 99999989999999 to 99999990000014 of"),
        (IndexMap("(i)[s] -> (i * 0), domain: i in [0, 9], s in [0, 9999]"), None),
    ],
)
def test_pictures_are_small_and_say_what_they_leave_out(shown, words):
    picture = shown._repr_svg_()
    assert len(picture) <= 60_000 and picture in shown._repr_html_()
    assert words is None and "only" not in picture or words in picture


def test_reports_are_saved(tmp_path):
    module = analyze("p = f32[8] parameter(0)\n r = f32[8] reverse(p), dimensions={0}")
    module.report(tile="4").save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == module.report(tile="4").html != module.report().html
    with pytest.raises(Error):
        module.report(tile="x")


def test_the_notebook_of_the_documentation():
    """The stored outputs of the notebook are up to date; REGENERATE rewrites them."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    path = ROOT / "docs" / "notebook.ipynb"
    stored = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(run, resources={"metadata": {"path": path.parent}}, allow_errors=True, timeout=300, coalesce_streams=True).execute()
    for cell in run.cells:
        cell.metadata.clear()
    run.metadata = {"kernelspec": stored.metadata.kernelspec}
    if os.environ.get("REGENERATE"):
        nbformat.write(run, path)
    nbformat.validate(run)
    outputs = [cell.get("outputs", []) for cell in run.cells]
    assert outputs == [cell.get("outputs", []) for cell in nbformat.read(path, as_version=4).cells]
    errors = [output for cell in outputs for output in cell if output.output_type == "error"]
    assert [error.evalue.split(":")[0] for error in errors] == ["error[name] at cell"]
    pictures = [output for cell in outputs for output in cell if "svg" in output.get("data", {}).get("text/html", "")]
    assert len(pictures) == 4
