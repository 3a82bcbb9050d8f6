"""How a job meets its Ray: what others who use this machine see of it, and could do to it."""

import os
import re
import secrets
import shutil
import stat
import tempfile
import unittest
from unittest import mock

import warpmeter as wm
from cluster_support import Case
from warpmeter.cluster.crew import check_address_file, folder_of_ray, local_ray


class OfRay(unittest.TestCase):
    """Ray gives its folder to all users."""

    def test_nobody_else_gets_in(self):
        with mock.patch.dict(os.environ), local_ray() as options:
            os.makedirs(options["_temp_dir"])
            os.chmod(options["_temp_dir"], 0o777)
            own = os.path.dirname(options["_temp_dir"])
            self.assertEqual(stat.S_IMODE(os.stat(own).st_mode), 0o700)
            self.assertEqual(os.path.dirname(os.environ["RAY_AUTH_TOKEN_PATH"]), own)
        self.assertFalse(os.path.exists(own))

    def test_sockets_have_room(self):
        """Whatever the usual folder for temporary files is called."""
        short = f"/tmp/{secrets.token_hex(4)[:7]}"
        os.mkdir(short)
        self.addCleanup(shutil.rmtree, short)
        for folder, place in ((short, short), (f"{short}x", "/tmp"), (f"{short}/{'x' * 100}", "/tmp")):
            os.makedirs(folder, exist_ok=True)
            with mock.patch("tempfile.tempdir", folder), folder_of_ray() as own:
                self.assertEqual(os.path.dirname(own), place)
                longest = re.sub(r"wm-ray-\d+-", "wm-ray-4194304-", own)
                longest += "/ray/session_2026-11-27_11-54-06_199128_4194304/sockets/plasma_store"
                self.assertLessEqual(len(longest), 107)
        os.rmdir(f"{short}x")

    def test_of_a_job_that_was_killed(self):
        """Its folder goes with the next job, also where the usual folder has too long a name."""
        with tempfile.TemporaryDirectory(prefix="a-long-name-") as usual, mock.patch("tempfile.tempdir", usual):
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                kept = folder_of_ray()
                os.write(write, os.fsencode(kept.__enter__()))
                os._exit(0)
            os.waitpid(pid, 0)
            left = os.fsdecode(os.read(read, 1000))
            os.close(read)
            os.close(write)
            self.assertTrue(os.path.isdir(left))
            with folder_of_ray():
                self.assertFalse(os.path.exists(left))


class AddressFile(Case):
    """That Ray reads for --address auto, in a folder that is everybody's."""

    def test_of_others_is_refused(self):
        place = self.folder / "ray" / "ray_current_cluster"
        place.parent.mkdir()
        with mock.patch.dict(os.environ, {"RAY_TMPDIR": str(self.folder)}):
            check_address_file("auto")
            place.write_text("127.0.0.1:6379")
            check_address_file("auto")
            if os.geteuid() == 0:
                os.chown(place, 12345, 12345)
                self.refused()
            place.unlink()
            os.mkfifo(place)
            self.refused()
            check_address_file("local")
            check_address_file("127.0.0.1:6379")

    def refused(self):
        with self.assertRaisesRegex(wm.Error, "ray_current_cluster: is no file of this user or of root"):
            check_address_file("auto")
