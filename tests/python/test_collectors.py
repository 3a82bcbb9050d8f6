"""Flow Records that a collector did not get raise, once all have been given."""

import socket
import unittest

import warpmeter as wm
from support import Case, traffic


class Collectors(Case):
    def setUp(self):
        super().setUp()
        self.server = socket.socket()
        self.addCleanup(self.server.close)
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.server.bind(("127.0.0.1", 0))
        self.server.listen(5)  # and reads nothing
        self.options = {"collector": f"tcp://127.0.0.1:{self.server.getsockname()[1]}", "collector_timeout": "1s"}

    def test_lost_records_raise(self):
        data = traffic(100000, "--mean-packets", "2")
        rows = len(wm.extract(data))
        try:
            wm.extract(b"", **self.options)
        except wm.UsageError:
            self.skipTest("a build with IPFIX would run this")
        except wm.Error:
            pass
        with self.nothing_left():
            with self.assertRaisesRegex(wm.Error, "records were lost") as raised:
                wm.extract(data, **self.options)
            self.assertEqual(raised.exception.status, 1)
            got = 0
            with wm.extract(data, stream=True, **self.options) as stream:
                with self.assertRaisesRegex(wm.Error, "records were lost"):
                    for batch in stream:
                        got += len(batch)
            self.assertEqual(got, rows)


if __name__ == "__main__":
    unittest.main()
