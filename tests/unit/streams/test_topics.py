"""A NATS server that has no time: nothing ends, nothing is lost, and nothing is taken for a trouble with the journal."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from types import SimpleNamespace

import pytest

from tacita.errors import InputError
from tacita.streams.service import NatsSource, topics

nats = pytest.importorskip("nats", reason="needs the extra nats")


class BusyServer:
    """Stands for client, stream and subscription of NATS; each question times out the first time, and then is answered."""

    def __init__(self, *, reachable=True):
        self.reachable = reachable
        self.asked = []

    async def answer(self, name, found=None):
        self.asked.append(name)
        if self.asked.count(name) == 1:
            raise nats.errors.TimeoutError
        return found

    async def connect(self, server, *, connect_timeout):
        assert (server, connect_timeout) == ("nats://here:1", 30)
        if not self.reachable:
            raise TimeoutError

    async def close(self):
        pass

    def jetstream(self):
        return self

    async def pull_subscribe(self, topic, config):
        assert (topic, config.opt_start_seq) == ("events", 5)
        return await self.answer("subscribe", self)

    async def fetch(self, number, timeout):  # noqa: ASYNC109 - as the client names it
        assert number > timeout > 0
        numbers = SimpleNamespace(sequence=SimpleNamespace(consumer=1, stream=5))
        message = SimpleNamespace(data=b'{"time": 3, "id": "u", "label": "c"}', metadata=numbers)
        found = await self.answer("fetch", [message])
        if self.asked.count("fetch") == 2:
            raise TimeoutError  # as the loop itself says it
        return found

    async def consumer_info(self):
        return await self.answer("info")

    async def find_stream_name_by_subject(self, topic):
        return await self.answer(f"owner of {topic}")


def test_a_server_that_answers_nothing_in_time_is_asked_again_and_ends_no_stream(monkeypatch):
    server = BusyServer()
    monkeypatch.setattr(nats, "NATS", lambda: server)
    monkeypatch.setattr(topics, "_Pulled", partial(topics._Pulled, check_seconds=-1.0))
    source = NatsSource(topic="events", servers="here:1", commit_seconds=0)
    with closing(source.batches({"": 5})) as batches:
        assert next(batches) is None, "it did not subscribe"
        assert next(batches) is None, "nothing came"
        assert next(batches) is None, "nor the second time"
        batch = next(batches)
        source.commit({"": 6})
    assert (batch.offsets.tolist(), list(batch.people)) == ([5], ["u"])
    assert server.asked == ["subscribe", "subscribe", "fetch", "info", "fetch", "info", "fetch", "owner of events"]


def test_a_server_that_cannot_be_reached_in_time_is_a_trouble_with_the_input(monkeypatch):
    monkeypatch.setattr(nats, "NATS", lambda: BusyServer(reachable=False))
    with pytest.raises(InputError, match=r"the server 'nats://here:1' cannot be reached: it does not answer in time"):
        next(NatsSource(topic="events", servers="here:1").batches({}))
