"""A disk of its own for the files of a soak, which fills and empties again while that goes on."""
import ctypes, itertools, os, threading

from common.ready import Trouble
from common.wire import run

CLONE_NEWNS = 0x20000
LEFT = (0, 64 << 10, 0, 512 << 10)  # bytes of room in one time after the other: some files have a part


def private_mounts():
    """What this process mounts from now on is gone with it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise Trouble(f'a mount namespace: {os.strerror(ctypes.get_errno())}; root has the right to make one')
    run('mount', '--make-rprivate', '/')


class FullDisk(threading.Thread):
    """Mounts `folder` with room for `size` bytes. It is full for `seconds`, and empty for as long."""
    def __init__(self, folder, size, seconds):
        super().__init__(daemon=True)
        run('mount', '-t', 'tmpfs', '-o', f'size={size}', 'tmpfs', folder)
        self.filler, self.seconds, self.times = os.path.join(folder, 'filler'), seconds, 0
        self.ended = threading.Event()

    def run(self):
        for left in itertools.cycle(LEFT):
            if self.ended.wait(self.seconds): break
            self.fill(left)
            self.times += 1
            ended = self.ended.wait(self.seconds)
            os.unlink(self.filler)
            if ended: break

    def fill(self, left):
        with open(self.filler, 'wb', buffering=0) as file:
            try:
                while True: file.write(bytes(1 << 16))
            except OSError: pass
            file.truncate(max(0, file.tell() - left))

    def end(self):
        """There is room from now on."""
        self.ended.set()
        self.join()
