"""The command line of nfpcapd, whose option for the folder of flows has changed its name."""
import subprocess


def takes_w():
    done = subprocess.run(['nfpcapd', '-h'], capture_output=True, text=True)
    return '-w flowdir' in done.stdout + done.stderr


def command(capture, folder): return ['nfpcapd', '-r', capture, '-w' if takes_w() else '-l', folder]
