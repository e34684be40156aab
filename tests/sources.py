"""Sources of bytes that tests write themselves."""

from __future__ import annotations


class ScriptedSource:
    """Hands out the bytes of a script, in order, and nothing past its end."""

    def __init__(self, script: bytes) -> None:
        self.script = script
        self.position = 0

    def take(self, size: int) -> bytes:
        start, self.position = self.position, self.position + size
        if self.position > len(self.script):
            message = "the script is over"
            raise EOFError(message)
        return self.script[start : self.position]
