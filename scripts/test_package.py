#!/usr/bin/env python3
"""What `make package` makes starts elsewhere, as unit and container start it.

test_package.py <binary>: makes the tree of a binary, then
- has systemd's own tools read unit and user, and runs the unit's command as the unit says: the tree at its path and not
  writable, an environment of the unit's own lines and nothing else, a user without privileges, the manager told;
- builds the last stage of the Containerfile with buildah and runs it. That wants something to build on: its FROM, or what
  CONTAINER_BASE names, an image or a folder that debootstrap made. Where there is none, or no buildah, it says that it
  left this out.
As root or where user namespaces are allowed.
"""

import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
UNIT = ROOT / "config/systemd/exchange.service"
CONTAINERFILE = ROOT / "config/container/Containerfile"
# Where unit and container have the tree and the data.
TREE, DATA = "/opt/exchange", "/var/lib/exchange"
NOBODY = "65534"
# Of 10, as `systemd-analyze security` counts.
MOST_EXPOSED = 2.0
WITHIN_S = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def says(url):
    """Status and body, once somebody answers."""
    end = time.monotonic() + WITHIN_S
    while True:
        try:
            answer = urllib.request.urlopen(url, timeout=5)
            return answer.status, answer.read().decode()
        except (urllib.error.URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def run(words, **more):
    """What a program says; ends the test when it fails."""
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(map(str, words))} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def section(name):
    """The lines of a section of the unit, in order: pairs of name and value."""
    inside, found = False, []
    for line in UNIT.read_text().splitlines():
        if line.startswith("["):
            inside = line == f"[{name}]"
        elif inside and "=" in line and not line.startswith("#"):
            found.append(tuple(line.split("=", 1)))
    return found


def installed(tree, script):
    """Words that run a shell script where the tree lies at its path, not writable, and the data's folder is empty."""
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    prepare = f"""
        mount -t tmpfs tmpfs /opt && mkdir {TREE} && mount --bind {shlex.quote(str(tree))} {TREE}
        mount -o remount,bind,ro {TREE}
        mount -t tmpfs tmpfs /var/lib && mkdir -m 700 {DATA}
    """
    return ["unshare", "--mount", *as_root, "bash", "-euc", prepare + script]


def reads(tree):
    """Systemd's tools have nothing to say against the unit."""
    if not shutil.which("systemd-analyze"):
        return print("left out: there is no systemd-analyze, so nobody read the unit")
    said = run(installed(tree, f"systemd-analyze verify --man=no --recursive-errors=no {UNIT}"))
    if UNIT.name in said:
        sys.exit(f"the unit: {said}")
    limit = int(MOST_EXPOSED * 10)
    said = run(["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={limit}", UNIT])
    print("ok   unit:", said.strip().splitlines()[-1].strip("→ "))
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/etc")
        run(["systemd-sysusers", f"--root={root}", ROOT / "config/systemd/exchange.conf"])
        user = dict(section("Service"))["User"]
        if f"\n{user}:" not in "\n" + pathlib.Path(root, "etc/passwd").read_text():
            sys.exit(f"there is no user {user}")


def serves(port, ops):
    """It is ready, has the app and answers calls."""
    for url, part in [
        (f"http://127.0.0.1:{ops}/readyz", '"ready":true'),
        (f"http://127.0.0.1:{port}/h5/", '<div id="root"'),
        (f"http://127.0.0.1:{port}/api/v3/exchangeInfo", "BTCUSDT"),
    ]:
        status, body = says(url)
        if status != 200 or part not in body:
            sys.exit(f"{url}: {status} {body[:400]}")


def starts_as_the_unit_says(tree, folder):
    service = section("Service")
    settings = dict(service)
    if settings["WorkingDirectory"] != TREE or f"/var/lib/{settings['StateDirectory']}" != DATA:
        sys.exit("the unit has other places than this test")
    port, ops = free_port(), free_port()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(folder / "notify"))
    os.chmod(folder / "notify", 0o777)
    manager.settimeout(WITHIN_S)
    lines = [value for name, value in service if name == "Environment"]
    # What the manager gives, and what the file of settings would say.
    lines += [f"NOTIFY_SOCKET={folder}/notify", f"XNG__SERVER__LISTEN=127.0.0.1:{port}"]
    lines += [f"XNG__SERVER__OPS_LISTEN=127.0.0.1:{ops}", "XNG__SERVER__ADMIN_LISTEN="]
    user = ["setpriv", "--no-new-privs"]
    if os.geteuid() == 0:
        user += [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--bounding-set=-all"]
    own = f"chown {NOBODY}:{NOBODY} {DATA}" if os.geteuid() == 0 else ":"
    words = shlex.join(["env", "-i", *lines])
    start = f"{own}; umask {settings['UMask']}; cd {TREE}; exec {shlex.join(user)} {words} {settings['ExecStart']}"
    log = open(folder / "log", "w+")
    process = subprocess.Popen(installed(tree, start), stdout=log, stderr=log)
    try:
        told = manager.recv(100).decode().strip()
        serves(port, ops)
        process.terminate()
        code = process.wait(int(settings["TimeoutStopSec"]))
    except (TimeoutError, urllib.error.URLError, subprocess.TimeoutExpired) as error:
        log.seek(0)
        sys.exit(f"{error}:\n{log.read()[-4000:]}")
    finally:
        process.kill()
        process.wait()
    if (told, code) != ("READY=1", 0):
        sys.exit(f"told {told}, ended with {code}")
    print(f"ok   unit: {settings['ExecStart']} was ready, served the app and ended in order")


def last_stage():
    """The Containerfile's last stage, which takes what other stages made from the folder it is built in."""
    lines = CONTAINERFILE.read_text().splitlines()
    begin = max(at for at, line in enumerate(lines) if line.startswith("FROM "))
    base, stage = lines[begin].split()[1], "\n".join(lines[begin + 1 :])
    return base, stage.replace("COPY --from=build ", "COPY ")


def runs_in_a_container(tree, folder):
    base, stage = last_stage()
    base = os.environ.get("CONTAINER_BASE", base)
    if not shutil.which("buildah"):
        return print("left out: there is no buildah, so the container was not built")
    buildah = ["buildah", "--root", folder / "images", "--runroot", folder / "containers", "--storage-driver", "vfs"]
    if os.path.isdir(base):
        empty = run([*buildah, "from", "scratch"]).strip()
        run([*buildah, "copy", "--quiet", empty, base, "/"])
        base = "localhost/base"
        run([*buildah, "commit", "--quiet", "--rm", empty, base])
    else:
        pulled = subprocess.run([*buildah, "pull", base], capture_output=True, text=True)
        if pulled.returncode != 0:
            why = " ".join(pulled.stderr.strip().splitlines()[-1:])
            return print(f"left out: the container was not built, {base} cannot be had ({why}); see CONTAINER_BASE")
    context = folder / "context"
    shutil.copytree(tree, context / "source/target/package/exchange")
    (folder / "Containerfile").write_text(f"FROM {base}\n{stage}\n")
    chroot = ["--isolation", "chroot"]
    build = ["build", *chroot, "--format", "docker", "--tag", "exchange", "--file", folder / "Containerfile", context]
    run([*buildah, *build])
    container = run([*buildah, "from", "--pull-never", "exchange"]).strip()
    config = json.loads(run([*buildah, "inspect", "--type", "image", "exchange"]))["Docker"]["config"]
    port, ops = free_port(), free_port()
    here = [f"XNG__SERVER__LISTEN=127.0.0.1:{port}", f"XNG__SERVER__OPS_LISTEN=127.0.0.1:{ops}"]
    here += ["XNG__SERVER__ADMIN_LISTEN="]
    # Isolation by chroot: the network is this machine's. Image and container agree on all else.
    inside = [*buildah, "run", *chroot, *(word for line in here for word in ("--env", line)), container, "--"]
    process = subprocess.Popen([*inside, *config["Entrypoint"]], stdout=open(folder / "out", "w+"), stderr=subprocess.STDOUT)
    try:
        serves(port, ops)
        kind, *healthy = config["Healthcheck"]["Test"]
        run([*inside, *healthy])
        user = run([*inside, "id", "-un"]).strip()
        if (kind, user) != ("CMD", config["User"]) or user == "root":
            sys.exit(f"the healthcheck is {kind}, the user {user}")
        process.terminate()
        process.wait(WITHIN_S)
    except urllib.error.URLError as error:
        sys.exit(f"{error}:\n{(folder / 'out').read_text()[-4000:]}")
    finally:
        process.kill()
        process.wait()
        subprocess.run([*buildah, "rm", "--all"], capture_output=True)
    print(f"ok   container: {' '.join(config['Entrypoint'])} was ready as {user}, served the app, was found healthy")


def main():
    made = run([ROOT / "scripts/package.sh", sys.argv[1], TARGET / "test-package"], cwd=ROOT).split()
    tree = pathlib.Path(made[0]).resolve()
    print("ok   package:", pathlib.Path(made[1]).name)
    with tempfile.TemporaryDirectory(prefix="exchange-") as name:
        folder = pathlib.Path(name)
        # The unit's user looks for the manager's socket here.
        folder.chmod(0o755)
        reads(tree)
        starts_as_the_unit_says(tree, folder)
        runs_in_a_container(tree, folder)


main()
