"""Names of rooms: two of one name, and names that are hard to carry or to show."""
import mdns
from harness import eventually
from machines import ROUND_S, ROUNDS, LanScenario

FAMILY = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"


class SameNames(LanScenario):
    limit_s = 180 + ROUND_S * ROUNDS

    def hosts_at_once(self, hosts, lister):
        """Two hosts open rooms of one name at the same moment; joins reach the one that was meant."""
        joins = 0
        for round in range(ROUNDS or 4):
            name = f"Kitchen {round}"
            asked = [host.send("room.host", game="snap", name=name) for host in hosts]
            rooms = [host.answer(number)["id"] for host, number in zip(hosts, asked, strict=True)]
            eventually(
                lambda: sorted(row["id"] for row in lister.rows() if row["reachable"] == "fresh") == sorted(rooms),
                "both rooms", 20)

            def settled():
                names = {row["id"]: row["name"] for row in lister.rows()}
                own = {room: host.call("room.get", room=room)["name"] for host, room in zip(hosts, rooms, strict=True)}
                return names if names == own and len(set(names.values())) == 2 else None
            names = eventually(settled, "both hosts to know their rooms' names, as they are seen", 40)
            self.assertEqual(set(names.values()), {name, f"{name} #2"})
            for _ in range(2):
                for host, room in zip(hosts, rooms, strict=True):
                    joined = lister.call("room.join", room=names[room])
                    self.assertEqual((joined["id"], joined["host"]["id"]), (room, host.id))
                    lister.call("room.leave")
                    joins += 1
            for host, room in zip(hosts, rooms, strict=True):
                host.call("room.leave", room=room)
            eventually(lambda: lister.rows() == [], "both rooms to be gone", 20)
        print(f"{joins} joins by name, all to the room that was meant")

    def test_on_two_machines(self):
        ada, bea, cyd = self.add("ada", "bea", "cyd")
        self.hosts_at_once([ada, bea], cyd)

    def test_on_one_machine(self):
        ada, cyd = self.add("ada", "cyd")
        [bea] = self.on(ada.machine, "bea")
        self.hosts_at_once([ada, bea], cyd)


class Names(LanScenario):
    NAMES = [
        "x" * 56, "é" * 28, FAMILY * 2, "e\u0301te\u0301", "ערב משחקים", "غرفة اللعب", "遊戲之夜 ゲーム 게임", "tab's \"room\" \\.",
        "a.b.c", "#2", "Room #2", "%s %n %@", "日本語" * 6 + "ab"]

    def test_what_arrives_is_what_was_asked_for(self):
        ada, bea = self.add("ada", "bea")
        names = {}
        for name in self.NAMES:
            room = ada.call("room.host", game="snap", name=name)
            names[room["id"]] = room["name"]
        self.assertEqual(list(names.values()), [name.replace("e\u0301", "é") for name in self.NAMES])
        eventually(lambda: {row["id"]: row["name"] for row in bea.rows()} == names, "all names", 20)
        for room, name in names.items():
            self.assertEqual(bea.call("room.join", room=name)["id"], room)
            bea.call("room.leave")

    def test_what_cannot_be_a_name_is_refused_with_the_reason(self):
        [ada] = self.add("ada")
        for name in ["x" * 57, "x" * 63, "x" * 64, "é" * 29, "\u200b", "  ", "a\nb", "a\x1b[31mb", "a\u202eb", "a\x00b",
                     FAMILY * 3]:
            with self.subTest(name=name):
                error = ada.refused("name-invalid", "room.host", game="snap", name=name)
                if len(name.encode()) > 56:
                    self.assertIn("56", error.message)
        self.assertEqual(ada.call("status")["rooms"], [])

    def test_names_that_others_announce_break_no_terminal(self):
        [ada] = self.add("ada")
        crowd = mdns.Announcer(self.lan.machine("crowd", avahi=False))
        self.addCleanup(crowd.close)
        names = [
            b"\x1b[2J\x1b]0;owned\x07red", b"line\r\nbreak", "turn\u202ednuora".encode(), "wide\u200b\u2060\ufeff".encode(),
            "\u0085\u009bcsi".encode(), b"x" * 63]
        # Avahi keeps these two to itself, and what is behind them in a packet.
        broken = [b"\xff\xfe\xc0 bytes", b"\x00null"]
        for number, name in enumerate(broken + names, 1):
            crowd.announce({name: (1, mdns.room_text(number, h="\x1b[7mhost\u202e", g="snap\x1b[0m"))})
        eventually(lambda: len(ada.rows()) >= len(names), "all rows", 20)
        shown = {row["name"] for row in ada.rows()}
        self.assertLessEqual({"[2J]0;ownedred", "linebreak", "turndnuora", "wide", "csi", "x" * 63}, shown)
        for form in ((), ("--plain",), ("--json",)):
            shown = self.parlor("list", "--all", *form, home=ada.home).stdout
            self.assertIn("x" * 30, shown)
            bad = [char for char in shown if not (char.isprintable() or char == "\n")]
            self.assertEqual(bad, [], f"{form}: {shown!r}")
