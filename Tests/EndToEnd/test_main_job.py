"""The main job: a room is found, joined, drawn for and played, and everybody agrees on what happened."""
import harness
from harness import Scenario


class MainJob(Scenario):
    needs_avahi = True
    limit_s = 120

    def near_table(self, game, seats, options):
        """Everybody finds the room by itself, joins and is ready; the host starts."""
        peers = self.peers(*["ada", "bea", "cyd", "dan"][:seats])
        host = peers[0]
        room = host.call("room.host", game=game, seats=seats, name="Kitchen", options=options)
        self.assertEqual(
            {key: room[key] for key in ("name", "game", "state", "role", "my_seat", "locked", "hidden", "host")},
            {"name": "Kitchen", "game": game, "state": "lobby", "role": "host", "my_seat": 0, "locked": False,
             "hidden": False, "host": {"id": host.id, "name": "ada"}})
        for number, peer in enumerate(peers[1:], 1):
            row = peer.row("Kitchen", state="lobby", taken=number)
            self.assertEqual(row["id"], room["id"])
            joined = peer.call("room.join", room=row["id"])
            self.assertEqual((joined["role"], joined["my_seat"], joined["state"]), ("guest", number, "lobby"))
            self.assertEqual(host.event("seat.taken", seat=number)["player"], {"id": peer.id, "name": peer.name})
            peer.call("room.ready", ready=True)
            host.event("seat.ready", seat=number, ready=True, room=room["id"])
        started = host.call("room.start")
        self.assertIn(started["state"], ("drawing", "playing"))
        return peers, room["id"]

    def play(self, game, seats, options=None):
        peers, room = self.near_table(game, seats, options or {})
        for peer in peers:
            peer.match("playing")
        {"hangman": harness.play_hangman, "snap": harness.play_snap}[game](peers)
        views = self.assert_ended_well(peers)
        draw, match = views[0]["draw"], views[0]["id"]
        for peer in peers:
            numbers = [(event["round"], event["seat"], event["number"]) for event in peer.seen("draw.number", match=match)]
            shown = [(number, one["seat"], one["number"]) for number, one_round in enumerate(draw["rounds"])
                     for one in one_round]
            self.assertEqual(numbers, shown)
            self.assertEqual([event["first"] for event in peer.seen("draw.decided", match=match)], [draw["first"]])
            self.assertEqual(len(peer.seen("match.started", match=match, room=room)), 1)
            ended = peer.seen("match.ended", match=match, room=room)
            self.assertEqual([event["outcomes"] for event in ended], [[seat["outcome"] for seat in views[0]["seats"]]])
            entries = [event["entry"] for event in peer.seen("match.changed", match=match)]
            self.assertEqual(entries, sorted(entries))
            self.assertEqual(set(entries), set(range(views[0]["entries"])))
            self.assertEqual(peer.seen("error"), [])
            self.assertEqual(peer.call("room.get")["state"], "finished")
        first_places = [seat["index"] for seat in views[0]["seats"] if seat["outcome"] in ("won", "first")]
        wins = [seat["wins"] for seat in peers[-1].call("room.get")["seats"]]
        self.assertEqual([seat for seat, count in enumerate(wins) if count], first_places)
        for peer in peers:
            self.assertEqual(peer.stop()[0], 0)

    def test_hangman_for_two(self):
        self.play("hangman", 2)

    def test_hangman_for_three(self):
        self.play("hangman", 3)

    def test_hangman_for_four(self):
        self.play("hangman", 4)

    def test_snap_for_two(self):
        self.play("snap", 2, {"max_flips": 12})

    def test_snap_for_four(self):
        self.play("snap", 4, {"max_flips": 16})
