"""The machine a report was made on, in words that name nobody."""
import os, platform


def model():
    if os.path.exists('/proc/cpuinfo'):
        with open('/proc/cpuinfo') as file:
            for line in file:
                if line.startswith('model name'): return line.split(':', 1)[1].strip()
    return platform.machine()


def memory(): return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')


def describe(): return f'{os.cpu_count()} cores ({model()}), {memory() / 2**30:.0f} GiB, Linux {platform.release()}'
