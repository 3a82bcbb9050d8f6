"""Captures, work and output in S3, which moto plays."""

import logging
import os
import unittest

from cluster_support import OBJECT_STORE, Case, cut, long, needs, trace


@needs("ray", "fsspec", "s3fs", "moto", "flask")
class ObjectStore(Case):
    @classmethod
    def setUpClass(cls):
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        os.environ.update(OBJECT_STORE)
        port = int(OBJECT_STORE["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])
        cls.server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        self.s3 = s3fs.S3FileSystem(use_listings_cache=False)
        self.bucket = f"bucket-{self.id().rsplit('_', 1)[-1]}"
        self.s3.mkdir(self.bucket)
        pieces = cut(trace(), 3)
        self.write(pieces)
        (self.captures / "damaged.pcap").write_bytes(trace()[:40000])
        self.s3.put(str(self.captures) + "/", f"{self.bucket}/captures/", recursive=True)

    def job(self, output, *words, status=3):
        where = [f"s3://{self.bucket}/captures/*", "-o", output, f"--work=s3://{self.bucket}/work"]
        return self.cluster(*where, "--partitions=2", "--group=0", *words, status=status)

    @long
    def test_file(self):
        said = self.job(f"s3://{self.bucket}/out/flows.csv")
        self.assertEqual(self.s3.cat_file(f"{self.bucket}/out/flows.csv"), self.expected(self.captures, status=3))
        self.assertIn(f"s3://{self.bucket}/captures/damaged.pcap: damaged at byte", said)
        self.assertIn("2 captures overlap in time", said)
        self.assertEqual([name for name in self.s3.find(self.bucket) if "/work" in name], [])
        self.assertEqual(self.left(), [])

    def test_dataset(self):
        self.job(f"s3://{self.bucket}/flows/", "--keep-work", "-q")
        names = self.s3.find(f"{self.bucket}/flows")
        self.assertEqual(names, [f"{self.bucket}/flows/hour=2023-11-14T22/part-0{n}.parquet" for n in (1, 2)])
        self.assertIn("is not empty", self.job(f"s3://{self.bucket}/flows/", "--fresh", status=1))

    @long
    def test_again(self):
        """What is done stays done, by the marks in the bucket."""
        self.job("flows.csv", "--keep-work", "-q")
        said = self.job("flows.csv")
        self.assertIn("0, and 7 done before", said)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures, status=3))

    def test_absent(self):
        said = self.cluster(f"s3://{self.bucket}/none.pcap", "-o", "flows.csv", status=1)
        self.assertEqual(said, f"warpmeter: s3://{self.bucket}/none.pcap: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
