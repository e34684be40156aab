"""A publisher of a stream is killed at random moments: every timestamp comes out once, and no window is overspent.

From a file, from Kafka (the mock broker of confluent-kafka, in this process) and from NATS (a real server, if one is installed).
"""

import asyncio
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import stream_forever
from stream_forever import CELLS, CONTEXTS, INTERVALS, METHOD, STOPPED, TOPIC, replaying
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.ledger.binding import binding_path
from tacita.privacy.ledger.log import AppendLog
from tacita.privacy.windows import QUANTA
from tacita.streams.publishing import relation_of
from tacita.streams.service import NatsSource
from tacita.streams.service.journal import FORMAT, Released

WORKER = Path(stream_forever.__file__)


BAD = [
    b"no JSON",
    b'{"time": 5, "id": "u1"',
    b'{"time": "noon", "id": "u1", "label": "cell 1"}',
    b'{"time": 7, "label": "cell 1"}',
    b'{"time": 7, "id": "\xff\xfe", "label": "cell 1"}',
    b"[" * 2000,
    b'"secret 17"',
]


def messages(*, chance, bad=False):
    """Events as they are written; if so, each hundredth is followed by one that is no event."""
    for number, event in enumerate(events(chance=chance)):
        yield json.dumps(event).encode()
        if bad and number % 100 == 50:
            yield BAD[number // 100 % len(BAD)]


def events(*, chance, people=60):
    """Events nearly in the order of time, and one far behind the end, which closes everything."""
    generator = np.random.default_rng(1)
    for place in range(INTERVALS):
        for user in np.flatnonzero(generator.random(people) < chance):
            yield {"time": place * 10 + int(generator.integers(0, 14)), "id": f"u{user}", "label": f"cell {user % 25}"}
    yield {"time": INTERVALS * 10 + 1000, "id": "last", "label": ""}


def kill_until_done(arguments, kills, output, *, rule):
    """Start, wait for a few timestamps, kill in the middle of the next; how often that was. At last it may finish.

    The timestamps that are left are shared among the kills that are left, so that all of them meet a publisher at work. Where
    the rule is to stop at a bad event, one that does so goes before each that passes over them.
    """
    killed = 0

    def started(rule):
        workers.stdin.write("\t".join(map(str, (*arguments, rule))) + "\n")
        workers.stdin.flush()
        return int(workers.stdout.readline())

    with subprocess.Popen([sys.executable, str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as workers:
        for left in range(kills, -1, -1):
            if rule == "stop":
                started("stop")
                assert int(workers.stdout.readline()) in {STOPPED << 8, 0}
            worker = started("skip" if rule == "stop" else rule)
            goal = emitted(output) + random.randint(0, (INTERVALS - emitted(output)) // (left + 2))
            ended = select.poll()
            ended.register(workers.stdout, select.POLLIN)
            while left and emitted(output) < goal and not ended.poll(1):
                pass
            if left:
                time.sleep(random.uniform(0, 0.004))
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            status = int(workers.stdout.readline())
            killed += status == signal.SIGKILL
    assert status == 0
    return killed


def emitted(output):
    return output.read_bytes().count(b"\n") if output.exists() else 0


def worst_window(journal):
    """What anybody paid in any window, by the journal alone: its answers are replayed, and what is charged is added up apart."""
    with AppendLog(path=journal, kind=FORMAT, noun="stream journal").reading() as reader:
        released = [Released.of(record.payload) for record in reader.records() if record.payload["kind"] == "release"]
    running = replaying(journal.parent)
    running._outbox.close()
    windows, charged, spends = running._running.counts.windows, [], defaultdict(list)
    charge = windows.charge

    def spy(quanta, included=None):
        charge(quanta, included)
        charged.append((quanta, (windows._users if included is None else windows._users[included]).tolist()))

    windows.charge = spy
    for each in released:
        charged.clear()
        running._replay([each], {})
        paid = defaultdict(int)
        for quanta, users in charged:
            for user in users:
                paid[user] += quanta
        for user in each.users.tolist():
            spends[user].append(Fraction(paid[user], QUANTA))
    return max(sum(own[start : start + CONTEXTS]) for own in spends.values() for start in range(len(own))), len(released)


def kill_and_check(tmp_path, source, kills, *, group, rule="skip"):
    folder = tmp_path / "stream"
    folder.mkdir()
    journal, output = folder / "state" / "stream.journal", folder / "out" / "stream.jsonl"
    killed = kill_until_done((source, folder, group), kills, output, rule=rule)
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [line["place"] for line in lines] == list(range(INTERVALS)), "each timestamp comes out once, in order"
    assert {len(line["counts"]) for line in lines} == {len(CELLS)}
    worst, released = worst_window(journal)
    assert released == INTERVALS, "the journal covers all of it"
    assert worst <= 1
    check_ledger(folder / "state.ledger", journal, lines)
    check_quarantine(folder, rule)
    return killed


def check_quarantine(folder, rule):
    """What was kept of bad events is the owner's, each once, and nothing of it left."""
    kept = folder / "state" / "quarantine.jsonl"
    assert kept.exists() == (rule == "quarantine")
    for file in (folder / "out").iterdir():
        assert b"secret 17" not in file.read_bytes()
    if kept.exists():
        held = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
        assert (
            len({(each["partition"], each["offset"]) for each in held})
            == len(held)
            == sum(1 for _ in messages(chance=0.5, bad=True)) - sum(1 for _ in messages(chance=0.5))
        )
        assert kept.stat().st_mode & 0o777 == 0o600


def check_ledger(path, journal, lines):
    """One charge for any window; the note beside the ledger is the end of the journal; the manifest tells all that was drawn."""
    ledger = Ledger(path)
    unit = relation_of(METHOD).counted
    assert ledger.balance(TOPIC, unit=unit).epsilon == 1
    assert [entry.kind for entry in ledger.history()].count(EntryKind.CHARGE) == 1
    with AppendLog(path=journal, kind=FORMAT, noun="stream journal").reading() as reader:
        charge = next(reader.records()).payload["charge"]
        assert json.loads(binding_path(path, charge).read_bytes())["digest"] == reader.end.digest
    manifest = json.loads((journal.parents[1] / "out" / "manifest.json").read_text(encoding="utf-8"))
    [draw] = manifest["budget"]["draws"]
    assert draw["note"].startswith(f"{sum(line['measured'] for line in lines):,} draws in time steps 0 to ")


@pytest.fixture
def kafka():
    confluent = pytest.importorskip("confluent_kafka", reason="needs the extra kafka")

    def filled(chance, *, bad=False):
        producer.list_topics(timeout=30)
        for message in messages(chance=chance, bad=bad):
            producer.produce(TOPIC, message, key=message[-20:])
            producer.poll(0)
        producer.flush(60)
        brokers = producer.list_topics(timeout=30).brokers.values()
        return "kafka:" + ",".join(f"{broker.host}:{broker.port}" for broker in brokers)

    producer = confluent.Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "unused", "linger.ms": 5})
    yield filled
    producer.flush(1)


@pytest.fixture
def nats_server(tmp_path):
    nats = pytest.importorskip("nats", reason="needs the extra nats")
    program = os.environ.get("NATS_SERVER") or shutil.which("nats-server")
    if program is None:
        pytest.skip("needs nats-server")
    port = random.randint(20_000, 40_000)
    folder = str(tmp_path / "nats")
    server = subprocess.Popen([program, "-js", "-a", "127.0.0.1", "-p", str(port), "-sd", folder], stderr=subprocess.DEVNULL)

    async def fill(chance, *, bad):
        client = await nats.connect(f"nats://127.0.0.1:{port}")
        stream = client.jetstream()
        await stream.add_stream(name=TOPIC, subjects=[TOPIC])
        waiting = []
        for message in messages(chance=chance, bad=bad):
            waiting.append(await stream.publish_async(TOPIC, message))
            if len(waiting) >= 500:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)
        await client.close()
        return f"nats:nats://127.0.0.1:{port}"

    time.sleep(1)
    yield lambda chance, *, bad=False: asyncio.run(fill(chance, bad=bad))
    server.kill()
    server.wait()


@pytest.mark.slow
def test_a_consumer_that_the_server_forgets_is_made_anew_and_no_message_is_lost_or_repeated(nats_server):
    """It forgets one that does not ask for some seconds; here it is told to."""
    import nats

    server = nats_server(0.05).removeprefix("nats:")

    async def forget():
        client = await nats.connect(server)
        stream = client.jetstream()
        for consumer in await stream.consumers_info(TOPIC):
            await stream.delete_consumer(TOPIC, consumer.name)
        await client.close()

    expected = list(range(1, 1 + sum(1 for _ in events(chance=0.05))))
    offsets, waits = [], 0
    with closing(NatsSource(topic=TOPIC, servers=server).batches({})) as batches:
        while len(offsets) < len(expected):
            batch = next(batches)
            waits += batch is None
            assert waits < 200, "it waits for a consumer that is gone"
            if batch is not None:
                offsets += batch.offsets.tolist()
                asyncio.run(forget())
    assert offsets == expected


@pytest.fixture
def file(tmp_path):
    def filled(chance, *, bad=False):
        path = tmp_path / "events.jsonl"
        path.write_bytes(b"".join(message + b"\n" for message in messages(chance=chance, bad=bad)))
        return str(path)

    return filled


@pytest.mark.slow
@pytest.mark.parametrize("source", ["file", "kafka", "nats_server"])
@pytest.mark.parametrize(("group", "chance"), [(1, 0.5), (8, 0.05)])
def test_a_few_kills_lose_and_repeat_nothing(tmp_path, request, source, group, chance):
    filled = request.getfixturevalue(source)(chance)
    assert kill_and_check(tmp_path, filled, 5, group=group) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("source", ["file", "kafka", "nats_server"])
def test_two_hundred_kills_lose_and_repeat_nothing(tmp_path, request, source):
    filled = request.getfixturevalue(source)(0.5)
    assert kill_and_check(tmp_path, filled, 200, group=1) == 200


KILLS = int(os.environ.get("TACITA_KILLS", "200"))


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["skip", "quarantine", "stop"])
@pytest.mark.parametrize("source", ["file", "kafka", "nats_server"])
def test_kills_amid_bad_messages_lose_and_repeat_nothing(tmp_path, request, source, rule):
    filled = request.getfixturevalue(source)(0.5, bad=True)
    assert kill_and_check(tmp_path, filled, KILLS, group=1, rule=rule) == KILLS
