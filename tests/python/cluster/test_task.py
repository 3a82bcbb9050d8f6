"""Folders of tasks, and how their failures are told."""

import os
import unittest

import warpmeter as wm
from cluster_support import Case
from warpmeter.cluster.task import Lost, scratch, sweep, told_in_one_line


class Folders(Case):
    def test_is_gone_at_the_end(self):
        with self.assertRaises(KeyError), scratch(str(self.tmpdir)) as folder:
            self.assertTrue(os.path.isdir(folder))
            raise KeyError
        self.assertEqual(self.left(), [])

    def test_of_a_task_that_was_killed(self):
        pid = os.fork()
        if pid == 0:
            kept = scratch(str(self.tmpdir))
            kept.__enter__()
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(len(self.left()), 1)
        with scratch(str(self.tmpdir)) as mine:
            self.assertEqual(self.left(), [os.path.basename(mine)])
            sweep(str(self.tmpdir))
            self.assertEqual(len(self.left()), 1)


class Failures(unittest.TestCase):
    def result(self, error):
        @told_in_one_line
        def task(_):
            raise error

        return task(None)

    def test_told(self):
        self.assertEqual(self.result(wm.Error("disk is full\nmore")), {"failure": "disk is full"})
        self.assertEqual(
            self.result(OSError(28, "No space left on device")), {"failure": "[Errno 28] No space left on device"}
        )
        self.assertEqual(self.result(KeyError("x")), {"failure": "KeyError: 'x'"})

    def test_run_again(self):
        for error in (Lost("killed"), ConnectionError("reset"), TimeoutError()):
            with self.assertRaises(Lost):
                self.result(error)
