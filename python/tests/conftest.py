import signal

import pytest


@pytest.fixture
def interrupts():
    """Makes Ctrl-C raise, even in a background process of a shell, which ignores it by default."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
