"""Looking on without a seat."""
import json
import os
import pty
import select
import signal
import time

import harness
from harness import PARLOR, Scenario, environment, eventually


class Watch(Scenario):
    limit_s = 120

    def watcher(self, host, name="wim", **params):
        peer = self.peer(name)
        return peer, peer.call("room.join", address=host.address, watch=True, **params)

    def assert_watching(self, peer, host):
        room = peer.call("room.get")
        self.assertEqual((room["role"], room["my_seat"]), ("watcher", None))
        eventually(
            lambda: {"id": peer.id, "name": peer.name} in host.call("room.get")["watchers"], f"{peer.name} to watch")

    def test_two_matches_in_a_row_from_the_lobby_on(self):
        peers = self.lobby("hangman", 2)
        wim, room = self.watcher(peers[0])
        self.assertEqual((room["role"], room["my_seat"], room["state"]), ("watcher", None, "lobby"))
        self.assertEqual(room["watchers"], [{"id": wim.id, "name": "wim"}])
        for peer in peers:
            eventually(lambda: peer.call("room.get")["watchers"] == room["watchers"], "the watcher to show")
            self.assertEqual(peer.call("room.get")["watchable"], True)
        self.assertEqual([seat["state"] for seat in room["seats"]], ["taken", "taken"])
        wim.refused("not-in-match", "match.view")
        peers[0].call("room.start")
        matches = []
        for number in range(2):
            for peer in [*peers, wim]:
                peer.match("playing")
            view = wim.match("playing")
            self.assertEqual((view["my_seat"], view["legal"]), (None, []))
            harness.play_hangman(peers)
            self.assert_ended_well([*peers, wim])
            matches.append(view["id"])
            wim.event("match.ended", match=view["id"])
            self.assertEqual(len(wim.seen("draw.decided", match=view["id"])), 1)
            eventually(lambda: wim.call("room.get")["state"] == "finished", "the score board")
            if number == 0:
                for peer in peers:
                    peer.call("room.rematch")
                eventually(lambda: wim.call("match.view")["id"] != view["id"], "the next match")
        self.assertNotEqual(*matches)
        self.assertTrue(wim.call("match.verify", match=matches[0])["valid"], "the first match is still there")

    def test_coming_in_while_a_match_is_on_and_after_it(self):
        peers = self.table("snap", 2, {"max_flips": 30})
        first = peers[0].call("match.view")["draw"]["first"]
        peers[first].call("match.act", action={"do": "flip"})
        eventually(lambda: peers[0].call("match.view")["view"]["flips"] == 1, "the card")
        wim, room = self.watcher(peers[0])
        self.assertEqual(room["state"], "playing")
        wim.match("playing")
        eventually(lambda: wim.call("match.view")["head"] == peers[0].call("match.view")["head"], "all that was")
        # A card that was just turned is shown at its moment on the match clock, which the watcher estimates.
        eventually(lambda: wim.call("match.view")["view"] == peers[0].call("match.view")["view"], "the same table")
        harness.play_snap(peers)
        late, room = self.watcher(peers[0], "una")
        self.assertEqual(room["state"], "finished")
        late.match("ended")
        self.assert_ended_well([*peers, wim, late])
        one = peers[1].call("match.log", match=peers[1].call("match.view")["id"])
        self.assertEqual(late.call("match.log", match=late.call("match.view")["id"]), one)

    def test_a_watcher_can_do_nothing_but_leave(self):
        peers = self.table("hangman", 2)
        wim, room = self.watcher(peers[0])
        wim.match("playing")
        for method, params in (
            ("room.ready", {"ready": True}), ("room.start", {}), ("room.rematch", {}), ("room.say", {"text": "hi"}),
            ("room.lock", {"locked": True}), ("room.kick", {"seat": 1}), ("room.kick", {"watcher": wim.id}),
            ("room.watchers", {"allowed": False}), ("channel.send", {"mode": "reliable", "data": "aGk="}),
        ):
            self.assertIn("watch", wim.refused("not-allowed", method, **params).message.lower(), method)
        match = wim.call("match.view")["id"]
        for params in ({}, {"match": match}):
            for action in ({"do": "word", "word": "garden"}, {"do": "guess", "letter": "e"}, {}):
                self.assertIn("watch", wim.refused("not-in-match", "match.act", action=action, **params).message)
        self.assertEqual(peers[0].seen("say"), [])
        peers[1].call("room.say", text="hello")
        self.assertEqual(wim.event("say")["text"], "hello")
        self.assertEqual(wim.call("room.leave"), {})
        self.assertEqual(wim.event("room.closed")["reason"], "left")
        eventually(lambda: peers[1].call("room.get")["watchers"] == [], "the watcher to be gone")
        harness.play_hangman(peers)
        self.assert_ended_well(peers)

    def test_the_host_says_whether_others_may_watch(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        self.assertFalse(ada.call("room.host", game="hangman", name="Den", watchers=False)["watchable"])
        self.assertIn("Den", bea.refused("not-allowed", "room.join", address=ada.address, watch=True).message)
        self.assertEqual(bea.join(ada)["my_seat"], 1)
        bea.refused("not-host", "room.watchers", allowed=True)
        room = ada.call("room.watchers", allowed=True)
        self.assertEqual((room["watchable"], room["options"]["watchers"]), (True, True))
        cyd.call("room.join", address=ada.address, watch=True)
        self.assert_watching(cyd, ada)
        self.assertEqual(ada.call("room.watchers", allowed=False)["watchers"], [])
        self.assertEqual(cyd.event("room.closed")["reason"], "kicked")
        cyd.refused("not-allowed", "room.join", address=ada.address, watch=True)
        self.assertTrue(ada.call("room.set", options={"watchers": True})["watchable"])
        cyd.call("room.join", address=ada.address, watch=True)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        cyd.match("playing")
        ada.call("room.watchers", allowed=False)
        self.assertEqual(cyd.event("room.closed")["reason"], "kicked")
        cyd.refused("not-allowed", "room.join", address=ada.address, watch=True)

    def test_eight_watch_and_no_more(self):
        ada, = self.peers("ada")
        ada.call("room.host", game="snap", name="Den")
        others = self.peers(*[f"w{number}" for number in range(9)])
        for peer in others[:8]:
            self.assertEqual(peer.call("room.join", address=ada.address, watch=True)["role"], "watcher")
        self.assertIn("8", others[8].refused("room-full", "room.join", address=ada.address, watch=True).message)
        self.assertEqual(len(ada.call("room.get")["watchers"]), 8)
        others[3].kill()
        eventually(lambda: len(ada.call("room.get")["watchers"]) == 7, "the lost one to be dropped", 60)
        self.assertEqual(others[8].call("room.join", address=ada.address, watch=True)["role"], "watcher")

    def test_locks_codes_and_bans_hold_for_watchers(self):
        ada, bea = self.peers("ada", "bea")
        code = ada.call("room.host", game="hangman", name="Den", private=True)["code"]
        bea.refused("code-needed", "room.join", address=ada.address, watch=True)
        wrong = "BBBB" if code != "BBBB" else "CCCC"
        bea.refused("wrong-code", "room.join", address=ada.address, watch=True, code=wrong)
        room = bea.call("room.join", address=ada.address, watch=True, code=code)
        self.assertEqual((room["role"], room["code"]), ("watcher", code))
        ada.refused("bad-params", "room.kick", watcher="00" * 32)
        ada.refused("bad-params", "room.kick", watcher="wim")
        ada.refused("bad-params", "room.kick", seat=1, watcher=bea.id)
        ada.refused("bad-params", "room.kick")
        self.assertEqual(ada.call("room.kick", watcher=bea.id)["watchers"], [])
        self.assertEqual(bea.event("room.closed")["reason"], "kicked")
        ada.call("room.lock", locked=True)
        bea.refused("room-locked", "room.join", address=ada.address, watch=True, code=code)
        ada.call("room.lock", locked=False)
        bea.call("room.join", address=ada.address, watch=True, code=code)
        ada.call("room.kick", watcher=bea.id, ban=True)
        bea.event("room.closed", reason="kicked")
        bea.refused("banned", "room.join", address=ada.address, watch=True, code=code)
        bea.refused("banned", "room.join", address=ada.address, code=code)

    def test_from_watching_to_a_seat_and_never_the_other_way(self):
        ada, bea = self.peers("ada", "bea")
        code = ada.call("room.host", game="hangman", name="Den", private=True)["code"]
        bea.call("room.join", address=ada.address, watch=True, code=code)
        room = bea.call("room.join", address=ada.address)
        self.assertEqual((room["role"], room["my_seat"], room["watchers"]), ("guest", 1, []))
        self.assertEqual(room["seats"][1]["player"], {"id": bea.id, "name": "bea"})
        for again in ({"address": ada.address}, {"room": "Den"}):
            self.assertEqual(bea.call("room.join", watch=True, **again)["my_seat"], 1)
        self.assertEqual(len(bea.call("status")["rooms"]), 1)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        harness.play_hangman([ada, bea])
        self.assert_ended_well([ada, bea])

    def test_a_player_that_leaves_a_match_may_watch_it(self):
        peers = self.table("hangman", 3)
        first = peers[0].call("match.view")["draw"]["first"]
        going = next(peer for seat, peer in enumerate(peers) if seat not in (0, first))
        going.call("room.leave")
        going.event("room.closed", reason="left")
        self.assertEqual(going.call("room.join", address=peers[0].address, watch=True)["role"], "watcher")
        eventually(lambda: going.call("match.view")["my_seat"] is None, "the match without a seat")
        going.refused("not-in-match", "match.act", action={"do": "guess", "letter": "e"})
        rest = [peer for peer in peers if peer is not going]
        harness.play_hangman(rest)
        self.assert_ended_well([*rest, going])

    def test_what_is_secret_is_not_told_to_watchers(self):
        peers = self.lobby("hangman", 2)
        wim, _ = self.watcher(peers[0])
        peers[0].call("room.start")
        for peer in [*peers, wim]:
            peer.match("playing")
        view = wim.call("match.view")
        setter = peers[view["draw"]["first"]]
        guesser = peers[1 - view["draw"]["first"]]
        setter.call("match.act", action={"do": "word", "word": "garden"})
        for letter in "etz":
            harness.guess(guesser, letter)
        eventually(lambda: wim.call("match.view")["head"] == setter.call("match.view")["head"], "all guesses")
        log = wim.call("match.log", match=view["id"])
        told = json.dumps([wim.call("match.view"), log, wim.history, wim.call("room.get")]).lower()
        told += wim.call("match.export", match=view["id"])["text"]
        for hidden in ("garden", b"garden".hex(), b"GARDEN".hex()):
            self.assertNotIn(hidden, told)
        harness.play_hangman(peers)
        self.assert_ended_well([*peers, wim])
        self.assertIn("garden", json.dumps(wim.call("match.view")).lower())

    def test_a_host_that_is_killed(self):
        peers = self.lobby("hangman", 2)
        wim, room = self.watcher(peers[0])
        peers[0].kill()
        self.assertEqual(wim.event("room.closed", timeout=60, room=room["id"])["reason"], "host-lost")
        wim.refused("not-in-room", "room.get")

    def test_a_host_that_is_killed_in_a_match_leaves_the_watcher_to_the_next(self):
        peers = self.table("snap", 3, {"max_flips": 30})
        wim, room = self.watcher(peers[0])
        # Nobody else may come: the next host has to know who watched.
        peers[0].call("room.lock", locked=True)
        view = wim.match("playing")
        turn = view["turn"][0]
        peers[turn].call("match.act", action={"do": "flip"})
        eventually(lambda: wim.call("match.view")["view"]["flips"] == 1, "the card")
        peers[0].kill()
        players = peers[1:]
        eventually(lambda: any(peer.call("room.get")["role"] == "host" for peer in players), "another host", 60)
        host = next(peer for peer in players if peer.call("room.get")["role"] == "host")
        eventually(lambda: wim.call("room.get")["host"]["id"] == host.id, "the watcher to find it", 30)
        for peer in [*players, wim]:
            self.assertEqual(peer.call("room.get")["watchers"], [{"id": wim.id, "name": "wim"}])
        wim.event("sequencer.changed", match=view["id"])
        harness.play_snap(players)
        self.assert_ended_well([*players, wim])
        self.assertEqual(wim.seen("room.closed"), [])
        self.assertEqual(wim.call("match.verify", match=view["id"])["verdict"], "complete")
        self.assertIn(view["id"], [match["id"] for match in wim.call("matches.list")["matches"]])

    def test_a_host_that_closes_the_room(self):
        peers = self.lobby("hangman", 2)
        wim, room = self.watcher(peers[0])
        peers[0].call("room.leave")
        self.assertEqual(wim.event("room.closed", room=room["id"])["reason"], "host-closed")

    def test_commands(self):
        peers = self.table("hangman", 2)
        home = self.home()
        run = lambda *words, **more: self.parlor(*words, home=home, **more)
        said = run("join", "--address", peers[0].address, "--watch", "--name", "Uma").stdout
        self.assertIn("you watch", said)
        self.assertIn("Watching: Uma", said)
        eventually(lambda: run("rpc", "match.view", "{}", status=0).stdout, "the match")
        self.assertIn("watch", run("act", "guess", "e", status=1).stderr)
        self.assertIn("watch", run("say", "hello", status=1).stderr)
        self.assertIn("Uma is out of Table", self.parlor("kick", "Uma", home=peers[0].home).stdout)
        self.assertIn("Nobody may watch", self.parlor("watchers", "off", home=peers[0].home).stdout)
        self.assertIn("lets nobody watch", run("join", "--address", peers[0].address, "--watch", status=1).stderr)
        self.assertIn("Others may watch", self.parlor("watchers", "on", home=peers[0].home).stdout)
        self.parlor("watchers", "maybe", home=peers[0].home, status=2)
        run("leave", status=1)

    def test_line_mode(self):
        peers = self.table("hangman", 2)
        home = self.home()
        child, terminal = pty.fork()
        if child == 0:
            os.execve(
                PARLOR, [PARLOR, "--home", home, "join", "--watch", "--address", peers[0].address],
                environment(TERM="dumb"))
        self.addCleanup(os.close, terminal)
        text = ""

        def until(wanted):
            nonlocal text
            end = time.monotonic() + 20
            while wanted not in text:
                self.assertLess(time.monotonic(), end, f"{wanted!r} never came; so far:\n{text}")
                if select.select([terminal], [], [], 0.2)[0]:
                    text += os.read(terminal, 65536).decode(errors="replace")
        try:
            until("You watch and have no seat.")
            until("goes first")
            os.write(terminal, b"garden\n")
            until("'garden' is for players.")
            setter = peers[peers[0].call("match.view")["draw"]["first"]]
            setter.call("match.act", action={"do": "word", "word": "garden"})
            until("_ _ _ _ _ _")
            harness.play_hangman(peers)
            until("The match is over:")
            os.write(terminal, b"leave\n")
            until("You left Table.")
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            child = 0
        finally:
            if child:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
