"""Multicast DNS spoken by hand: to see what is on the network without Avahi, and to announce what Parlor would not.

Names are bytes; a service's name is that of its instance. RFC 6762 and 6763.
"""
import socket
import struct
import threading
import time

GROUP, PORT = "224.0.0.251", 5353
TYPE = b"_parlor._tcp.local"
A, PTR, TXT, AAAA, SRV, ANY = 1, 12, 16, 28, 33, 255
FLUSH = 0x8000
PACKET_BYTES = 1300
TTL_S = 120
AGAIN_S = (1, 2, 4, 8, 16)
PACE_S = 0.002
ASK_S = 0.25


def encode_name(name, instance=None):
    labels = ([instance] if instance is not None else []) + name.split(b".")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def read_name(data, at):
    """The labels of a name, and where it ends."""
    labels, end = [], None
    for _ in range(128):
        length = data[at]
        if length & 0xC0 == 0xC0:
            end = at + 2 if end is None else end
            at = (length & 0x3F) << 8 | data[at + 1]
        elif length == 0:
            return labels, at + 1 if end is None else end
        else:
            labels.append(data[at + 1:at + 1 + length])
            at += 1 + length
    raise ValueError("a name that does not end")


def read_packet(data):
    """The questions, as labels and type, and the records, as labels, type, TTL, content, place of the content."""
    _, flags, questions, *counts = struct.unpack_from(">HHHHHH", data)
    at, asked, records = 12, [], []
    for _ in range(questions):
        labels, at = read_name(data, at)
        asked.append((labels, struct.unpack_from(">H", data, at)[0]))
        at += 4
    for _ in range(sum(counts)):
        labels, at = read_name(data, at)
        kind, _, ttl, size = struct.unpack_from(">HHIH", data, at)
        records.append((labels, kind, ttl, data[at + 10:at + 10 + size], at + 10))
        at += 10 + size
    return asked, records


def text_of(content):
    strings = {}
    while content:
        string, content = content[1:1 + content[0]], content[1 + content[0]:]
        key, _, value = string.partition(b"=")
        strings[key.decode()] = value.decode(errors="replace")
    return strings


def browse(machine, seconds=1.0, until=None):
    """Asks the network, from a machine's IPv4 address: the name of each room with its port and TXT record.

    Caches have no part in it: what answers is announced at this moment. `until` says when that is enough. It asks
    again and again, since a question or an answer may be lost.
    """
    found = {}
    words = struct.pack(">HHHHHH", 1, 0, 1, 0, 0, 0) + encode_name(TYPE) + struct.pack(">HH", PTR, 1)
    with machine.socket(socket.AF_INET) as question:
        question.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(machine.address))
        question.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        now = ask = time.monotonic()
        end = now + seconds
        while now < end and not (until and until(found)):
            if now >= ask:
                question.sendto(words, (GROUP, PORT))
                ask = now + ASK_S
            question.settimeout(max(min(ask, end) - now, 0.001))
            try:
                data = question.recv(9000)
            except socket.timeout:
                continue
            finally:
                now = time.monotonic()
            for labels, kind, _, content, place in read_packet(data)[1]:
                name = labels[0].decode(errors="replace")
                if kind == PTR:
                    found.setdefault(read_name(data, place)[0][0].decode(errors="replace"), {})
                elif kind == SRV:
                    found.setdefault(name, {})["port"] = struct.unpack_from(">HHH", content)[2]
                elif kind == TXT:
                    found.setdefault(name, {}).update(text_of(content))
    return found


def room_text(number, host=None, **more):
    """The TXT record of a room made of a number: its strings."""
    fields = {
        "txtvers": "1", "id": f"{number:032x}", "k": host or f"{number:064x}", "pv": "1-1", "g": "snap", "n": "1",
        "m": "4", "st": "l", "lock": "0", "code": "0", "e": "0", "h": "crowd", **more}
    return [f"{key}={value}".encode() for key, value in fields.items()]


class Announcer:
    """Announces services from a machine that has no Avahi, and answers who asks for them.

    Any packet may be lost on its way, so everything is said again at growing intervals (RFC 6762, 8.3), goodbyes too,
    and packets are so far apart that they overflow nobody's buffer.
    """

    def __init__(self, machine):
        self.host = machine.name.encode() + b".local"
        self.ipv4 = machine.address
        self.services, self.lock = {}, threading.Lock()
        self.socket = machine.socket(socket.AF_INET)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind(("", PORT))
        own = socket.inet_aton(self.ipv4)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + own)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        self._in_background(self._answer)

    def announce(self, services):
        """Announces services, given by instance as port, TXT strings and, if it is not the machine's, address."""
        with self.lock:
            self.services.update(services)
            self._send(services, TTL_S)
        self._in_background(self._repeat, dict(services), TTL_S)

    def withdraw(self, names=None):
        """Says that services are gone, all if none are named; from here on nobody is told of them any more."""
        with self.lock:
            gone = {name: self.services.pop(name) for name in list(self.services if names is None else names)}
            self._send(gone, 0)
        self._in_background(self._repeat, gone, 0)

    def close(self):
        self.socket.close()

    @staticmethod
    def _in_background(what, *arguments):
        def run():
            try:
                what(*arguments)
            except OSError:
                pass  # closed
        threading.Thread(target=run, daemon=True).start()

    def _repeat(self, services, ttl):
        """Says it again as long as it is true."""
        for pause in AGAIN_S:
            time.sleep(pause)
            with self.lock:
                self._send({name: service for name, service in services.items()
                            if self.services.get(name) is (service if ttl else None)}, ttl)

    def _records(self, name, service, ttl):
        port, strings, *address = service
        host = b"at-" + name[:20].replace(b".", b"-") + b".local" if address else self.host
        text = b"".join(bytes([len(string)]) + string for string in strings)

        def record(owner, kind, flush, content):
            return owner + struct.pack(">HHIH", kind, 1 | flush, ttl, len(content)) + content
        me = encode_name(TYPE, name)
        records = [
            record(encode_name(TYPE), PTR, 0, me),
            record(me, SRV, FLUSH, struct.pack(">HHH", 0, 0, port) + encode_name(host)),
            record(me, TXT, FLUSH, text),
            record(encode_name(host), A, FLUSH, socket.inet_aton(address[0] if address else self.ipv4))]
        return records if ttl else records[:-1]  # the host stays

    def _send(self, services, ttl):
        """Sends what there is to say of services; under the lock, so that nothing is said after its goodbye."""
        packet, count = b"", 0
        for name, service in services.items():
            records = self._records(name, service, ttl)
            new = b"".join(records)
            if packet and len(packet) + len(new) > PACKET_BYTES:
                self._flush(packet, count)
                packet, count = b"", 0
            packet, count = packet + new, count + len(records)
        if packet:
            self._flush(packet, count)

    def _flush(self, packet, count):
        self.socket.sendto(struct.pack(">HHHHHH", 0, 0x8400, 0, count, 0, 0) + packet, (GROUP, PORT))
        time.sleep(PACE_S)

    def _answer(self):
        while True:
            data = self.socket.recv(9000)
            try:
                asked, known = read_packet(data)
                # Who asks for all services says which it knows.
                known = {read_name(data, place)[0][0] for _, kind, _, _, place in known if kind == PTR}
            except (ValueError, IndexError, struct.error):
                continue
            if data[2] & 0x80:
                continue
            with self.lock:
                wanted = {
                    name: service for name, service in self.services.items()
                    if any(labels[:1] == [name]
                           or (kind in (PTR, ANY) and b".".join(labels) == TYPE and name not in known)
                           for labels, kind in asked)}
                if not wanted and any(kind in (A, ANY) and b".".join(labels) == self.host for labels, kind in asked):
                    wanted = dict(list(self.services.items())[:1])
                self._send(wanted, TTL_S)
