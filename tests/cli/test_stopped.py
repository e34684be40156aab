"""A publication that is stopped says whether there is a release."""

import pytest

from commands import publish
from tacita.cli.screen import Terminated
from tacita.privacy.release import Release


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("ending", [(Terminated, 143, "terminated"), (KeyboardInterrupt, 130, "interrupted")])
def test_after_a_signal_the_words_say_whether_the_release_exists(files, monkeypatch, capsys, is_written, ending):
    (stopped, code, word), write = ending, Release.write

    def write_and_stop(self, folder, **rest):
        if is_written:
            write(self, folder, **rest)
        raise stopped

    monkeypatch.setattr(Release, "write", write_and_stop)
    assert publish(files) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    said = f"the release is complete, in {files / 'out'}" if is_written else "there is no release; what was charged stays charged"
    assert printed.err.splitlines()[-2:] == [f"tacita: {said}", f"tacita: {word}"]
    assert (files / "out").exists() == is_written
