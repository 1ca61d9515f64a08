"""Scores and achievements: taken from ended matches, kept, shown, and not counted twice."""
import json

from harness import Scenario, eventually
from test_turn_games import act


class Records(Scenario):
    limit_s = 120

    def play(self, peers, cells=(1, 4, 2, 5, 3)):
        """Tic Tac Toe to its end; the seat that goes first wins with three marks."""
        first = peers[0].match("playing")["draw"]["first"]
        for number, cell in enumerate(cells):
            mover = peers[(first + number) % 2]
            eventually(lambda: mover.call("match.view")["legal"], "the turn")
            act(mover, do="place", cell=cell)
        for peer in peers:
            peer.match("ended")
        return peers[first], peers[1 - first]

    def test_a_match_is_scored_once_and_stays_so_over_kills(self):
        peers = self.table("tictactoe", 2)
        for peer in peers:
            self.assertEqual(peer.call("achievements.list")["points"], 0)
        winner, loser = self.play(peers)
        event = winner.event("score.recorded")
        self.assertEqual((event["board"], event["value"]), ("tictactoe.marks", 3))
        self.assertEqual(winner.event("achievement.earned")["id"], "three_in_a_line")
        board = winner.call("scores.list", board="tictactoe.marks")
        self.assertEqual((board["total"], len(board["rows"])), (1, 1))
        row = board["rows"][0]
        self.assertEqual(row, board["mine"])
        self.assertEqual((row["rank"], row["value"], row["text"], row["context"]), (1, 3, "3 marks", 1))
        self.assertEqual((row["player"]["id"], row["match"]), (winner.id, winner.call("match.view")["id"]))
        self.assertEqual(loser.call("scores.list", board="tictactoe.marks"), {**board, "rows": [], "total": 0, "mine": None})
        # The banner goes to the first who asks, and to nobody after that.
        banner, = winner.call("achievements.banners")["banners"]
        self.assertEqual((banner["id"], banner["percent"], banner["count"]), ("three_in_a_line", 100, 1))
        self.assertEqual(winner.call("achievements.banners")["banners"], [])
        winner.kill()
        winner.start()
        eventually(lambda: winner.call("status")["store"]["state"] == "ready", "the store")
        eventually(lambda: winner.call("scores.list", board="tictactoe.marks")["rows"] == [row], "the score")
        self.assertEqual(winner.call("achievements.banners")["banners"], [])
        earned, = [one for one in winner.call("achievements.list")["achievements"] if one["percent"]]
        self.assertEqual((earned["id"], earned["count"]), ("three_in_a_line", 1))

    def test_a_game_of_lucky_feeds_its_boards(self):
        ada = self.peer("ada")
        ada.call("room.host", game="lucky", hidden=True, options={"level": "hard"})
        ada.call("room.start")
        best = 0
        for number in range(60):
            ada.match("playing")
            while not ada.call("match.view")["view"]["over"]:
                act(ada, do="press", button=1)
            view = ada.match("ended")
            best = max(best, view["view"]["score"])
            for board in ("lucky.hard", "lucky.hard.daily"):
                def shown(board=board):
                    found = ada.call("scores.list", board=board)
                    return found if found["mine"] and found["mine"]["value"] == best else None
                found = eventually(shown, "the best score")
                self.assertTrue(found["board"]["unwitnessed"])
                self.assertEqual("window" in found, board.endswith("daily"))
            if number >= 2 and best:
                break
            eventually(lambda: ada.call("room.get")["state"] == "finished", "the score board")
            ada.call("room.rematch")
            eventually(lambda: ada.call("match.view")["id"] != view["id"], "the next game")
        self.assertEqual(ada.call("scores.list", board="lucky.easy")["total"], 0)
        ada.refused("not-found", "scores.list", board="chess")
        ada.refused("bad-params", "scores.list", board="lucky.hard", top=1001)
        ada.refused("bad-params", "achievements.reset", id="whole_pack", confirm=False)
        ada.refused("not-found", "achievements.reset", id="chess", confirm=True)

    def test_commands_show_boards_and_achievements(self):
        peers = self.table("tictactoe", 2)
        winner, _ = self.play(peers)
        winner.event("achievement.earned")
        home = winner.home
        said = self.parlor("leaderboard", home=home).stdout
        self.assertIn("tictactoe.marks", said)
        self.assertIn("3 marks, rank 1 of 1", said)
        said = self.parlor("leaderboard", "tictactoe.marks", home=home).stdout
        self.assertIn("* 1  3 marks", said)
        self.assertIn("(you)", said)
        self.assertIn("unwitnessed", self.parlor("leaderboard", "lucky.hard", home=home).stdout)
        self.assertIn("No scores yet.", self.parlor("leaderboard", "lucky.hard", home=home).stdout)
        said = self.parlor("achievements", home=home).stdout
        self.assertRegex(said, r"three_in_a_line +25 +earned")
        self.assertIn("And 1 hidden.", said)
        self.assertIn("25 of", said)
        self.assertNotIn("to_the_last_byte", said)
        self.parlor("achievements", "reset", "three_in_a_line", home=home, status=2)
        self.parlor("achievements", "reset", "three_in_a_line", "--yes", home=home)
        self.assertEqual(json.loads(self.parlor("--json", "achievements", home=home).stdout)["points"], 0)
        self.parlor("leaderboard", "chess", home=home, status=5)

    def test_matches_from_before_are_scored_at_the_next_start(self):
        """As after an update, or a kill between the end of a match and its score."""
        import os
        import sqlite3
        peers = self.table("tictactoe", 2)
        winner, _ = self.play(peers)
        winner.event("score.recorded")
        before = winner.call("scores.list", board="tictactoe.marks")["rows"]
        self.assertEqual(winner.stop()[0], 0)
        winner.socket.close()
        database = sqlite3.connect(os.path.join(winner.home, "data", "matches.db"))
        database.execute("DELETE FROM records")
        database.execute("UPDATE matches SET scored = 0")
        database.commit()
        database.close()
        winner.start()
        # The same again, to the byte: it is signed for the time at which the match ended.
        eventually(lambda: winner.call("scores.list", board="tictactoe.marks")["rows"] == before, "the score")

    def test_scores_of_others_are_taken_with_their_proof_only(self):
        peers = self.table("tictactoe", 2)
        winner, loser = self.play(peers)
        winner.event("score.recorded")
        exported = winner.call("scores.export")
        self.assertEqual((len(exported["records"]), exported["total"]), (1, 1))
        record = exported["records"][0]
        text = winner.call("match.export", match=winner.call("match.view")["id"])["text"]
        row = winner.call("scores.list", board="tictactoe.marks")["rows"][0]
        # Who was there has the log.
        self.assertEqual(loser.call("scores.merge", records=[record]), {"taken": 1, "known": 0, "refused": []})
        self.assertEqual(loser.call("scores.merge", records=[record]), {"taken": 0, "known": 1, "refused": []})
        found = loser.call("scores.list", board="tictactoe.marks")
        self.assertEqual((found["rows"], found["mine"]), ([row], None))
        # A stranger needs it, whole.
        cyd = self.peer("cyd")
        for logs in ([], [text[:-200]], ["nonsense"]):
            result = cyd.call("scores.merge", records=[record], logs=logs)
            self.assertEqual(result["taken"], 0)
            self.assertIn("is not here", result["refused"][0]["message"])
        wrong = [record[:-2] + ("00" if record[-2:] != "00" else "01"), "zz", "", record[:100]]
        result = cyd.call("scores.merge", records=[*wrong, record], logs=[text])
        self.assertEqual((result["taken"], [one["index"] for one in result["refused"]]), (1, [0, 1, 2, 3]))
        self.assertIn("did not sign", result["refused"][0]["message"])
        self.assertEqual(cyd.call("scores.list", board="tictactoe.marks")["rows"], [row])
        cyd.kill()
        cyd.start()
        eventually(lambda: cyd.call("scores.list", board="tictactoe.marks")["rows"] == [row], "the score")
        self.assertEqual(cyd.call("scores.export")["records"], [record])
