"""Questions to workers of Spark, without Spark."""

import gc

from tacita.counting.spark import asking


def test_a_worker_keeps_its_modules_out_of_garbage_collection_once(monkeypatch):
    """Spark collects garbage after every task: with all modules loaded, that took fifteen times as long as counting."""
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    asking.leave_modules_alone.cache_clear()
    task = asking._Task(question=None, counted=None, symbols=1, checksums=())
    for _ in range(3):
        assert list(task.answers(iter([]))) == []
    assert len(frozen) == 1
    asking.leave_modules_alone.cache_clear()
