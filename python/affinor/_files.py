"""Writes files as a whole: a reader finds either the old text or the new one, even if the disk is full."""

import os
from pathlib import Path


def write(path, text):
    """Writes a file beside the old one and renames it; on failure the old file is unchanged."""
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_text(text, encoding="utf-8")
        return
    part = path.with_name(f".affinor-{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(part, path.stat().st_mode & 0o7777)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
