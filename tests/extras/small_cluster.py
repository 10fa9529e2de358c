"""A real Slurm on the loopback, of one node with two CPUs: munged, slurmctld and slurmd, with everything that they write
in one folder, and gone at the end. Where it is root's own it needs nothing of /etc."""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"]

CONFIGURATION = """
ClusterName=small
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
# A requeued job waits until its credential has expired.
AuthInfo=cred_expire=5,socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobRequeue=1
MinJobAge=3600
KillWait=10
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The programs that are not there."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if not shutil.which(name, path=path)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o711)
        self.folder.chmod(0o711)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.host = socket.gethostname()
        self.file = self.folder / "slurm.conf"
        self.file.write_text(CONFIGURATION.format(host=self.host, user=getpass.getuser(), ports=free_ports(2), folder=self.folder))
        os.environ["SLURM_CONF"] = str(self.file)
        os.environ["PATH"] += ":/usr/sbin:/sbin"

    def __enter__(self):
        munge = self.folder / "munge"
        try:
            subprocess.run(["munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                            f"--log-file={munge}/log", f"--seed-file={munge}/seed"], check=True)
            self.start("slurmctld")
            self.start("slurmd")
            self.wait_until_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["scancel", "--full", "--signal=KILL", "--user", getpass.getuser()], capture_output=True, timeout=30)
        for name in ("slurmd", "slurmctld", "munge/"):
            self.stop(name)

    def start(self, daemon):
        name = ["-N", self.host] if daemon == "slurmd" else []
        subprocess.run([daemon, "-f", str(self.file), *name], check=True)

    def stop(self, daemon):
        file = self.folder / (daemon + "pid" if daemon.endswith("/") else daemon + ".pid")
        if not file.exists():
            return
        process = int(file.read_text())
        try:
            os.kill(process, signal.SIGTERM)
            for _ in range(300):
                os.kill(process, 0)
                time.sleep(0.1)
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def restart(self, daemon):
        self.stop(daemon)
        self.start(daemon)
        self.wait_until_up()

    def wait_until_up(self):
        for _ in range(300):
            seen = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True)
            if seen.returncode == 0 and seen.stdout.strip() in ("idle", "mixed", "allocated", "completing"):
                return
            time.sleep(0.1)
        logs = "".join((self.folder / name).read_text()[-3000:] for name in ("slurmctld.log", "slurmd.log") if (self.folder / name).exists())
        raise AssertionError(f"Slurm does not come up: {seen.stdout}{seen.stderr}\n{logs}")

    @staticmethod
    def jobs():
        """What Slurm remembers: the fields of each element, by "array_index"."""
        text = subprocess.run(["scontrol", "--oneliner", "show", "job"], capture_output=True, text=True, check=True).stdout
        jobs = {}
        for line in text.splitlines():
            fields = dict(word.split("=", 1) for word in line.split(" ") if "=" in word)
            if fields.get("ArrayTaskId", "").isdigit():
                jobs[f'{fields["ArrayJobId"]}_{fields["ArrayTaskId"]}'] = fields
        return jobs

    @staticmethod
    def is_empty():
        return not subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=True).stdout.strip()
