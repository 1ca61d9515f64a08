"""What may be a name."""
from harness import Scenario


class Names(Scenario):
    def test_a_name_that_is_taken_gets_a_number(self):
        ada = self.peer("Ada")
        ada.call("room.host", game="snap", name="Kitchen")
        for name in ("Ada 2", "Ada 3"):
            other = self.peer("Ada")
            room = other.join(ada)
            self.assertEqual(room["seats"][room["my_seat"]]["player"]["name"], name)
        names = [seat["player"]["name"] for seat in ada.call("room.get")["seats"] if seat["state"] == "taken"]
        self.assertEqual(names, ["Ada", "Ada 2", "Ada 3"])

    def test_player_names_that_are_refused(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        for name in ("x" * 10000, "x" * 33, "e\u0301" * 33, "", "   ", "\u200b\u200b", "\u202e", "\U0001f469\u200d\U0001f4bb" * 20):
            with self.subTest(name=name[:12]):
                bea.refused("name-invalid", "room.join", address=ada.address, name=name)
                bea.refused("name-invalid", "profile.set", name=name)
        message = bea.refused("name-invalid", "profile.set", name="x" * 33).message
        self.assertIn("32", message)
        self.assertIn("128", message)
        self.assertEqual(bea.call("profile.get"), {"id": bea.id, "name": "bea"})

    def test_player_names_are_cleaned(self):
        ada, bea = self.peers("ada", "bea")
        for typed, shown in (
            ("  \u202eEve\u0007\u2066  ", "Eve"), ("a\u0000b\tc\nd\u001b[31m", "abcd[31m"), ("e\u0301", "\u00e9"),
            ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"), ("x" * 32, "x" * 32),
        ):
            with self.subTest(typed=typed):
                self.assertEqual(bea.call("profile.set", name=typed), {"id": bea.id, "name": shown})
        ada.call("room.host", game="snap", name="Kitchen")
        room = bea.join(ada, name="\u202eMal\u200blory\u0000")
        self.assertEqual(room["seats"][1]["player"]["name"], "Mallory")
        self.assertEqual(ada.event("seat.taken", seat=1)["player"]["name"], "Mallory")

    def test_a_profile_name_is_kept(self):
        ada = self.prepare("ada")
        name_at = ada.arguments.index("--name")
        del ada.arguments[name_at:name_at + 2]
        ada.start()
        ada.call("profile.set", name="Countess")
        self.assertEqual(ada.stop()[0], 0)
        ada.start()
        self.assertEqual(ada.call("profile.get")["name"], "Countess")

    def test_room_names_that_are_refused(self):
        ada = self.peer("ada")
        for name in ("", "   ", "\u200b", "a\u0007b", "a\u202eb", "a\nb", "x" * 57, "\u00e9" * 29, "x" * 10000):
            with self.subTest(name=name[:12]):
                ada.refused("name-invalid", "room.host", game="snap", name=name)
        self.assertIn("56", ada.refused("name-invalid", "room.host", game="snap", name="x" * 57).message)
        self.assertEqual([], ada.call("status")["rooms"])
        self.assertEqual(ada.call("room.host", game="snap", name="x" * 56)["name"], "x" * 56)

    def test_the_default_room_name_says_whose_it_is_and_fits(self):
        ada = self.peer("ada")
        self.assertEqual(ada.call("room.host", game="snap")["name"], "ada's Snap")
        ada.call("room.leave")
        ada.call("profile.set", name="\u00e9" * 32)
        name = ada.call("room.host", game="hangman")["name"]
        self.assertTrue(name.startswith("\u00e9" * 20), name)
        self.assertLessEqual(len(name.encode()), 56)

    def test_a_daemon_does_not_start_under_an_impossible_name(self):
        peer = self.prepare("x" * 10000).launch()
        self.assertEqual(peer.process.wait(10), 2, peer.log())
        self.assertIn("32 characters", peer.log())

    def test_an_invisible_name_is_none_and_the_login_name_is_taken(self):
        ada, eve = self.prepare("\u202e"), self.prepare("")
        for peer in (ada, eve):
            name = peer.start().call("profile.get")["name"]
            self.assertTrue(name.isprintable() and name.strip() == name and name, repr(name))
