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
    """Asks the network once, from a machine's IPv4 address: the name of each room with its port and TXT record.

    Caches have no part in it: what answers is announced at this moment. `until` says when that is enough.
    """
    found = {}
    with machine.socket(socket.AF_INET) as question:
        question.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(machine.address))
        question.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        question.sendto(
            struct.pack(">HHHHHH", 1, 0, 1, 0, 0, 0) + encode_name(TYPE) + struct.pack(">HH", PTR, 1), (GROUP, PORT))
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until(found)):
            question.settimeout(max(end - time.monotonic(), 0.001))
            try:
                data = question.recv(9000)
            except socket.timeout:
                break
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
    """Announces services from a machine that has no Avahi, and answers who asks for them."""

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
        threading.Thread(target=self._answer, daemon=True).start()

    def announce(self, services):
        """Announces services, given by instance as port, TXT strings and, if it is not the machine's, address."""
        with self.lock:
            self.services.update(services)
        self._send(list(services), 120)

    def withdraw(self, names=None):
        with self.lock:
            names = list(self.services) if names is None else names
        self._send(names, 0)
        with self.lock:
            for name in names:
                self.services.pop(name, None)

    def close(self):
        self.socket.close()

    def _records(self, name, ttl):
        port, strings, *address = self.services[name]
        host = b"at-" + name[:20].replace(b".", b"-") + b".local" if address else self.host
        text = b"".join(bytes([len(string)]) + string for string in strings)

        def record(owner, kind, flush, content):
            return owner + struct.pack(">HHIH", kind, 1 | flush, ttl, len(content)) + content
        me = encode_name(TYPE, name)
        return [
            record(encode_name(TYPE), PTR, 0, me),
            record(me, SRV, FLUSH, struct.pack(">HHH", 0, 0, port) + encode_name(host)),
            record(me, TXT, FLUSH, text),
            record(encode_name(host), A, FLUSH, socket.inet_aton(address[0] if address else self.ipv4))]

    def _send(self, names, ttl):
        packet, count = b"", 0
        for name in names:
            with self.lock:
                if name not in self.services:
                    continue
                records = self._records(name, ttl)
                if ttl == 0:
                    records.pop()  # the host stays
            new = b"".join(records)
            if packet and len(packet) + len(new) > PACKET_BYTES:
                self._flush(packet, count)
                packet, count = b"", 0
            packet, count = packet + new, count + len(records)
        if packet:
            self._flush(packet, count)

    def _flush(self, packet, count):
        self.socket.sendto(struct.pack(">HHHHHH", 0, 0x8400, 0, count, 0, 0) + packet, (GROUP, PORT))

    def _answer(self):
        while True:
            try:
                data = self.socket.recv(9000)
            except OSError:
                return
            try:
                asked, _ = read_packet(data)
            except (ValueError, IndexError, struct.error):
                continue
            if data[2] & 0x80:
                continue
            with self.lock:
                wanted = [
                    name for name in self.services
                    if any(labels[:1] == [name] or (kind in (PTR, ANY) and b".".join(labels) == TYPE)
                           for labels, kind in asked)]
                hosts = any(kind in (A, ANY) and b".".join(labels) == self.host for labels, kind in asked)
                wanted = wanted or (list(self.services)[:1] if hosts else [])
            try:
                self._send(wanted, 120)
            except OSError:
                return
