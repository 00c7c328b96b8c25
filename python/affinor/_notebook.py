"""The commands of the program in notebooks: `%load_ext affinor`, then cells that begin with `%%affinor` and lines with `%affinor`."""
# mypy: ignore-errors

import sys

from ._affinor import Session
from ._errors import Error


def load_ipython_extension(shell):
    """Adds `%%affinor`, whose cell is a script of commands, and `%affinor`, whose line is one command, to IPython.

    All commands run in one session, created by `%load_ext affinor`: `affinor_session` in the notebook. Answers are printed as by the
    program. An error is shown with its position in the cell and ends the cell; the effects of earlier commands stay.
    """
    from IPython.core.magic import no_var_expand

    session = Session()
    shell.push({"affinor_session": session})

    @no_var_expand  # {s0} and $x are not Python variables
    def affinor(line, cell=None):
        """%affinor COMMAND runs one command; a cell that begins with %%affinor contains several."""
        try:
            if cell is None:
                session.run(line, _tell, name="-")
            else:
                # So that errors have the lines and columns of the cell.
                session.run(f"{'':10}{line}\n{cell}", _tell, name="cell")
        except Error as error:
            shown = [str(error)]
            error._render_traceback_ = lambda: shown
            raise

    shell.register_magic_function(affinor, "line_cell", "affinor")


def _tell(answer):
    if answer.is_error:
        sys.stdout.flush()
        print(answer.text, file=sys.stderr, flush=True)
    elif answer.text:
        print(answer.text)
