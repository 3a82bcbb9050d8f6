"""What this machine lacks for an entry, in words."""
import glob, os, shutil, tempfile

CORES = 2   # of the machine that the figures are of; with fewer, half of them cannot be made


def without_gpu(): return not glob.glob('/dev/nvidia[0-9]*') and not os.path.exists('/dev/dxg')


def free_gigabytes():
    found = os.statvfs(tempfile.gettempdir())
    return found.f_bavail * found.f_frsize / 1e9


def missing(entry, build, quick):
    """Why it cannot be made at all."""
    if entry.root and os.geteuid(): yield 'only root can do this'
    for tool in entry.tools:
        if not shutil.which(tool): yield f'no {tool}'
    if entry.built and not glob.glob(os.path.join(glob.escape(build), entry.built)):
        yield f'no {os.path.basename(entry.built)} in the build ({entry.built_by}, makes it)'
    if quick: return
    if entry.gpu and without_gpu(): yield 'no NVIDIA GPU'
    if os.cpu_count() < CORES: yield f'{os.cpu_count()} core instead of {CORES}'
    if free_gigabytes() < entry.gigabytes:
        yield (f'{entry.gigabytes:g} GB in {tempfile.gettempdir()}, which has {free_gigabytes():.1f} (TMPDIR=FOLDER '
               'chooses another)')


def left_out(entry):
    """Of whom the report will have no row."""
    return [peer for peer in entry.peers if not shutil.which(peer)]


def needs(entry):
    """What any machine needs."""
    words = [f'{CORES} cores']
    if entry.root: words.append('root')
    if entry.gpu: words.append('an NVIDIA GPU')
    if entry.gigabytes: words.append(f'{entry.gigabytes:g} GB of disk')
    return ', '.join([*words, *entry.tools])
