"""What nobody may read before its time is in no file, log, event, answer or error, and in no traffic."""
import base64
import contextlib
import json
import os
import socket
import threading

import harness
from harness import Refused, Scenario, eventually

WORD = "quizzically"


def spellings(word):
    """What a word looks like where it was written down by mistake: as it is, in UTF-16, hex and base64, spaced out."""
    found = set()
    for text in {word, word.upper(), word.capitalize()}:
        plain = text.encode()
        found |= {plain, text.encode("utf-16-le"), text.encode("utf-16-be"), " ".join(text).encode()}
        found |= {plain.hex().encode(), plain.hex().upper().encode()}
        for skip in range(3):
            # Without the digits that also depend on what stands beside the word.
            digits = base64.b64encode(b"\0" * skip + plain)
            found.add(digits[(skip * 8 + 5) // 6:(skip + len(plain)) * 8 // 6])
    return found


class Wiretap:
    """Passes connections on to a port, and keeps every byte of both directions."""

    def __init__(self, port):
        self.target, self.heard, self.sockets = port, bytearray(), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                one, _ = self.listener.accept()
                other = socket.create_connection(("127.0.0.1", self.target))
                self.sockets += [one, other]
                for source, sink in ((one, other), (other, one)):
                    threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.heard += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self.listener, *self.sockets]:
            one.close()


class Secrets(Scenario):
    def traces(self, peer, match):
        """Everything that a peer's daemon says and keeps, by where it stands."""
        places = {"events": json.dumps(peer.history, ensure_ascii=False)}
        for method, params in (
            ("match.log", {"match": match, "raw": True}), ("match.export", {"match": match}), ("match.view", {"match": match}),
            ("match.verify", {"match": match}), ("matches.list", {}), ("status", {}), ("room.get", {}), ("channel.stats", {}),
        ):
            places[method] = json.dumps(peer.call(method, **params), ensure_ascii=False)
        for action in ({"do": "solve", "word": ""}, {"do": "word", "word": "planet"}, {"do": "guess", "letter": "??"}, {"do": "x"}):
            try:
                places[f"answer to {action}"] = json.dumps(peer.call("match.act", match=match, action=action))
            except Refused as error:
                places[f"refusal of {action}"] = str(error)
        found = {name: text.encode() for name, text in places.items()}
        return {**found, **self.files(peer)}

    def files(self, peer):
        found = {}
        for folder, _, names in os.walk(peer.home):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[path] = file.read()
        with open(os.path.join(self.folder, f"{os.path.basename(peer.home)}.log"), "rb") as file:
            found["log file"] = file.read()
        return found

    def hits(self, words, places):
        return [
            (name, word) for name, data in places.items() for word in words if any(text in data for text in spellings(word))]

    def test_the_search_finds_what_is_there(self):
        for data in (b"xx" + WORD.encode(), WORD.upper().encode(), WORD.encode().hex().encode(), " ".join(WORD).encode(),
                     base64.b64encode(WORD.encode()), base64.b64encode(b"a" + WORD.encode() + b"b"),
                     base64.b64encode(b"ab" + WORD.encode() + b"c")):
            self.assertEqual(len(self.hits([WORD], {"here": data})), 1, data)
        self.assertEqual(self.hits([WORD], {"here": WORD[:-1].encode()}), [])

    def test_the_word_is_nowhere_but_at_its_setter(self):
        peers = self.table("hangman", 3, {"any_word": True})
        match = peers[0].call("match.view")["id"]
        views = [peer.call("match.view") for peer in peers]
        setter = next(peer for peer, view in zip(peers, views) if any(action["do"] == "word" for action in view["legal"]))
        others = [peer for peer in peers if peer is not setter]
        setter.call("match.act", action={"do": "word", "word": WORD})
        for peer in others:
            eventually(lambda: any(action["do"] == "guess" for action in peer.call("match.view")["legal"]), "a guess to be due")
            for letter in "qexu":
                peer.call("match.act", action={"do": "guess", "letter": letter})
                eventually(
                    lambda: any(action["do"] == "guess" for action in peer.call("match.view")["legal"]), "the next guess")
        for peer in others:
            self.assertEqual(self.hits([WORD], self.traces(peer, match)), [], peer.name)
        # On the setter's own machine its own view alone has it.
        own = self.traces(setter, match)
        self.assertEqual([name for name, _ in self.hits([WORD], own)], ["match.view"])
        for peer in others:
            peer.call("match.act", action={"do": "solve", "word": WORD})
        eventually(
            lambda: any(name == "match.view" for name, _ in self.hits([WORD], self.traces(others[0], match))),
            "the word to be opened")

    def test_links_of_cards_to_come_are_nowhere(self):
        peers = self.table("snap", 2, {"max_flips": 12})
        match = peers[0].call("match.view")["id"]
        for peer in peers:
            log = peer.call("match.log", match=match)["entries"]
            self.assertTrue(all(entry["kind"] in ("chain", "commit", "reveal") for entry in log), log)
            view = peer.call("match.view")
            # Every card is face down, so not one is told.
            self.assertTrue(all(seat["top"] is None for seat in view["view"]["seats"]), view)
        earlier = [self.traces(peer, match) for peer in peers]
        harness.play_snap(peers)
        links = {
            link["link"] for entry in peers[0].call("match.log", match=match)["entries"] if entry["kind"] == "open"
            for link in entry["body"]["links"]}
        self.assertTrue(links)
        for places in earlier:
            for link in links:
                raw = bytes.fromhex(link)
                for name, data in places.items():
                    self.assertFalse(any(text in data for text in (raw, link.encode(), link.upper().encode(), base64.b64encode(raw))), name)

    def test_a_listener_reads_nothing(self):
        ada, bea = self.peers("ada", "bea")
        words = ["Zanzibar", "beatrix", "chattering", WORD, "unreliably"]
        room = ada.call("room.host", game="hangman", name="Zanzibar", private=True, options={"any_word": True})
        tap = Wiretap(ada.port)
        self.addCleanup(tap.close)
        bea.call("room.join", address=tap.address, code=room["code"], name="beatrix")
        bea.call("room.ready", ready=True)
        bea.call("room.say", text="chattering")
        ada.event("say", text="chattering")
        bea.call("channel.send", mode="reliable", data=base64.b64encode(b"unreliably").decode())
        ada.event("message")
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        setter = next(
            peer for peer in (ada, bea) if any(action["do"] == "word" for action in peer.call("match.view")["legal"]))
        setter.call("match.act", action={"do": "word", "word": WORD})
        guesser = bea if setter is ada else ada
        eventually(lambda: any(action["do"] == "solve" for action in guesser.call("match.view")["legal"]), "a guess to be due")
        guesser.call("match.act", action={"do": "solve", "word": WORD})
        eventually(lambda: guesser.call("match.view")["view"]["reveal"] or guesser.call("match.view")["view"]["round"] > 1, "the end")
        heard = {"wire": bytes(tap.heard)}
        self.assertGreater(len(heard["wire"]), 5_000)
        self.assertEqual(self.hits(words, heard), [])
        for secret in (bytes.fromhex(ada.id), bytes.fromhex(bea.id), bytes.fromhex(room["id"]), room["code"].encode()):
            self.assertNotIn(secret, heard["wire"])
