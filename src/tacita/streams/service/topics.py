"""Events from a topic: Kafka, and NATS JetStream. Each message is one event as a JSON object; extras `kafka` and `nats`.

The journal says from where a topic is read again; offsets that are committed at the broker, after a release, are for its own
displays. A user's events should be in one partition (by their id as the key), so that which of several comes first is the same
when they are read again.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import InputError, ParameterError
from tacita.streams.service.sources import Batch, EventLines

__all__ = ["KafkaSource", "NatsSource"]

_MESSAGES = 1000
_CONNECT_SECONDS = 30  # as for Kafka: a server may be busy when a publisher begins


@dataclass(frozen=True, kw_only=True)
class KafkaSource:
    """All partitions of a Kafka topic, from the beginning or from where the journal says."""

    topic: str
    servers: str
    lines: EventLines = field(default_factory=EventLines)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the client, such as those of security."""
    wait_seconds: float = 0.05
    _clients: list[Any] = field(default_factory=list, repr=False)

    @property
    def is_repeatable(self) -> bool:
        """A topic can be read again as far as the broker keeps it."""
        return True

    @property
    def is_live(self) -> bool:
        """It says when nothing comes."""
        return True

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Messages as they come, those of one partition in one batch."""
        kafka = _kafka()
        group = f"tacita-{self.topic}"
        always = {"bootstrap.servers": self.servers, "group.id": group, "enable.auto.commit": False}
        consumer = kafka.Consumer({**self.settings, **always, "auto.offset.reset": "error"})
        self._clients.append(consumer)
        try:
            partitions = sorted(consumer.list_topics(self.topic, timeout=30).topics[self.topic].partitions)
            starts = [kafka.TopicPartition(self.topic, number, since.get(str(number), 0)) for number in partitions]
            consumer.assign(starts)
            while True:
                messages = consumer.consume(_MESSAGES, self.wait_seconds)
                failed = next((message.error() for message in messages if message.error()), None)
                if failed is not None:
                    message = f"the topic {self.topic!r} cannot be read: {failed.str()}"
                    raise InputError(message)
                for number in sorted({message.partition() for message in messages}):
                    own = [message for message in messages if message.partition() == number]
                    offsets = [message.offset() for message in own]
                    yield self.lines.messages(
                        [message.value() or b"" for message in own], offsets, partition=str(number), topic=self.topic
                    )
                if not messages:
                    yield None
        finally:
            self._clients.clear()
            consumer.close()

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Tell the broker how far was released; it is not asked for that again."""
        if self._clients and offsets:
            kafka = _kafka()
            places = [kafka.TopicPartition(self.topic, int(number), offset) for number, offset in offsets.items()]
            self._clients[0].commit(offsets=places, asynchronous=True)


@dataclass(frozen=True, kw_only=True)
class NatsSource:
    """The messages of a NATS JetStream subject, by their numbers in the stream."""

    topic: str
    servers: str
    """A server, with or without `nats://`."""
    lines: EventLines = field(default_factory=EventLines)
    wait_seconds: float = 0.05
    commit_seconds: float = 1.0
    """How often the place is told to the server at the most."""
    _clients: list[Any] = field(default_factory=list, repr=False)

    @property
    def is_repeatable(self) -> bool:
        """A stream can be read again as far as the server keeps it."""
        return True

    @property
    def is_live(self) -> bool:
        """It says when nothing comes."""
        return True

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Messages as they come."""
        nats = _nats()
        loop, client = asyncio.new_event_loop(), nats.NATS()
        try:
            server = self.servers if "://" in self.servers else f"nats://{self.servers}"
            _connect(loop, client, server)
            stream = client.jetstream()
            self._clients[:] = [_Place(nats=nats, loop=loop, stream=stream, topic=self.topic, seconds=self.commit_seconds)]
            pulled = _Pulled(nats=nats, loop=loop, stream=stream, topic=self.topic, offset=max(since.get("", 1), 1))
            while True:
                messages = pulled.messages(self.wait_seconds)
                if not messages:
                    yield None
                    continue
                offsets = [message.metadata.sequence.stream for message in messages]
                yield self.lines.messages([message.data for message in messages], offsets, partition="", topic=self.topic)
        finally:
            self._clients.clear()
            loop.run_until_complete(client.close())
            for task in asyncio.all_tasks(loop):  # of a fetch that a signal ended
                task.cancel()
                with suppress(asyncio.CancelledError, TimeoutError, nats.errors.Error):
                    loop.run_until_complete(task)
            loop.close()

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Tell the server how far was released; it is not asked for that again."""
        if self._clients and offsets:
            self._clients[0].tell(offsets.get("", 1))


@dataclass(kw_only=True)
class _Pulled:
    """The messages from an offset on, each once and in order, whatever becomes of the server's consumer.

    A server forgets a consumer that has not asked for a few seconds, say while a publisher waits for its disk, and then answers
    nothing; and what was on its way when a connection broke is not sent again. The consumer's own numbers have no gaps, so that
    one shows; then, or if the consumer is gone, another one begins behind the last message that came.
    """

    nats: Any
    loop: asyncio.AbstractEventLoop
    stream: Any
    topic: str
    offset: int
    check_seconds: float = 1.0
    """How long nothing comes before the server is asked whether it still knows the consumer."""
    _subscription: Any = None
    _next: int = 1
    _heard: float = 0.0

    def messages(self, seconds: float) -> list[Any]:
        """Those that come within so many seconds; none if there are none."""
        if self._subscription is None:
            self._subscribe()
        if self._subscription is None:  # the server has no time now
            return []
        try:
            found: list[Any] = self.loop.run_until_complete(self._subscription.fetch(_MESSAGES, timeout=seconds))
        except TimeoutError:
            found = []
        if [message.metadata.sequence.consumer for message in found] != list(range(self._next, self._next + len(found))):
            self._leave()
            return []
        if found:
            self._next, self._heard = self._next + len(found), time.monotonic()
            self.offset = found[-1].metadata.sequence.stream + 1
        elif time.monotonic() - self._heard > self.check_seconds:
            self._heard = time.monotonic()
            self._leave_if_forgotten()
        return found

    def _subscribe(self) -> None:
        names = self.nats.js.api
        policy = names.ConsumerConfig(
            deliver_policy=names.DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=self.offset, ack_policy=names.AckPolicy.NONE
        )
        try:
            self._subscription = self.loop.run_until_complete(self.stream.pull_subscribe(self.topic, config=policy))
        except TimeoutError:
            return
        except self.nats.js.errors.NotFoundError:
            message = f"the subject {self.topic!r} must belong to a stream of the server, and does not"
            raise InputError(message) from None
        self._next, self._heard = 1, time.monotonic()

    def _leave_if_forgotten(self) -> None:
        try:
            with suppress(TimeoutError):
                self.loop.run_until_complete(self._subscription.consumer_info())
        except self.nats.js.errors.NotFoundError:
            self._leave()

    def _leave(self) -> None:
        with suppress(self.nats.errors.Error):
            self.loop.run_until_complete(self._subscription.unsubscribe())
        self._subscription = None


@dataclass(kw_only=True)
class _Place:
    """A durable consumer that stands where the publisher has come to, so that the server's own displays show it."""

    nats: Any
    loop: asyncio.AbstractEventLoop
    stream: Any
    topic: str
    seconds: float
    told: float = 0.0

    def tell(self, offset: int) -> None:
        """Make the consumer anew at this offset; not more often than every so many seconds."""
        if time.monotonic() - self.told < self.seconds:
            return
        with suppress(TimeoutError):  # a server that has no time shows an older place for a while
            self.loop.run_until_complete(self._move(max(offset, 1)))
        self.told = time.monotonic()

    async def _move(self, offset: int) -> None:
        name, policies = consumer_name(self.topic), self.nats.js.api
        owner = await self.stream.find_stream_name_by_subject(self.topic)
        with suppress(self.nats.js.errors.NotFoundError):
            await self.stream.delete_consumer(owner, name)
        policy = policies.DeliverPolicy.BY_START_SEQUENCE
        config = policies.ConsumerConfig(
            durable_name=name, deliver_policy=policy, opt_start_seq=offset, ack_policy=policies.AckPolicy.EXPLICIT
        )
        await self.stream.add_consumer(owner, config)


def consumer_name(subject: str) -> str:
    """The name of a durable consumer: a server takes no dots and no signs of subjects in it."""
    return f"tacita-{re.sub(r'[^A-Za-z0-9_-]', '_', subject)}"


def _connect(loop: asyncio.AbstractEventLoop, client: Any, server: str) -> None:  # noqa: ANN401 - a client of NATS
    try:
        loop.run_until_complete(client.connect(server, connect_timeout=_CONNECT_SECONDS))
    except OSError as error:  # a timeout is one, and must not be taken for a trouble with the journal
        message = f"the server {server!r} cannot be reached: {str(error) or 'it does not answer in time'}"
        raise InputError(message) from None


def _kafka() -> Any:  # noqa: ANN401 - a module that has no types
    try:
        import confluent_kafka  # noqa: PLC0415 - an extra
    except ImportError:
        message = "reading Kafka needs confluent-kafka; install it by `pip install 'tacita[kafka]'`"
        raise ParameterError(message) from None
    return confluent_kafka


def _nats() -> Any:  # noqa: ANN401 - a module that has no types
    try:
        import nats  # noqa: PLC0415 - an extra
        import nats.errors  # noqa: PLC0415
        import nats.js.api  # noqa: PLC0415
        import nats.js.errors  # noqa: PLC0415
    except ImportError:
        message = "reading NATS needs nats-py; install it by `pip install 'tacita[nats]'`"
        raise ParameterError(message) from None
    return nats
