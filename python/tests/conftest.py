import signal

import pytest


@pytest.fixture
def interrupts():
    """Ctrl-C raises, also where tests run in the background of a shell, which has their process ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
