"""The tests of line mode, which drive `parlor` through a pseudo-terminal (line_mode.py), with a real daemon."""
import os
import subprocess
import sys

import harness
from harness import Scenario


class LineMode(Scenario):
    limit_s = 150

    def test_everything_that_a_real_daemon_can_do(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "line_mode.py")
        done = subprocess.run(
            [sys.executable, script, harness.PARLOR, harness.PARLORD], capture_output=True, text=True,
            env=harness.environment(TMPDIR=self.folder), timeout=self.limit_s - 10)
        self.assertEqual(done.returncode, 0, done.stderr)
