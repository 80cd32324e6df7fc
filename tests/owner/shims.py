#!/usr/bin/env python3
"""Stands in for programs of a server under the name by which it is called: each does what the real one would to the edge."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(os.environ["OWNER_ROOT"])
CLONE = ROOT / "clone"
EDGE = ROOT / "edge"
LOADED = ROOT / "loaded.json"
DROP_INS = Path("/etc/systemd/system/calendar-edge.service.d")
OWN_UNIT = Path("/etc/systemd/system/calendar-edge.service")
CREDENTIALS = Path("/run/credentials/calendar-edge.service")
NOBODY, CONTAINER = 65534, 65532


def main():
    name, arguments = Path(sys.argv[0]).name, sys.argv[1:]
    sys.exit({"sudo": sudo, "apt": apt, "systemctl": systemctl, "journalctl": journalctl, "docker": docker, "editor": editor}[name](arguments))


def refuse(what):
    print(f"a stand-in does not know: {what}", file=sys.stderr)
    return 64


def sudo(arguments):
    os.execvp(arguments[0], arguments)


def apt(arguments):
    """Unpacks what the package holds, and lets systemd read its unit, as its script does; a purge takes both away."""
    if arguments == ["purge", "-y", "calendar-edge"]:
        for folder in ("/usr/share/doc/calendar-edge", ROOT / "units", ROOT / "installed"):
            shutil.rmtree(folder)
        script = CLONE / "deploy/package/scripts/postrm"
        return max(subprocess.run(["sh", script, step], check=False).returncode for step in ("remove", "purge"))
    if arguments[0] != "install" or not arguments[1].startswith("./"):
        return refuse(arguments)
    staged = Path(arguments[1])
    shutil.copytree(staged / "usr/share/doc/calendar-edge", "/usr/share/doc/calendar-edge", dirs_exist_ok=True)
    shutil.copytree(staged / "usr/lib/systemd/system", ROOT / "units", dirs_exist_ok=True)
    (ROOT / "installed").mkdir(exist_ok=True)
    (ROOT / "installed/calendar-edge").unlink(missing_ok=True)
    os.link(EDGE, ROOT / "installed/calendar-edge")
    return reload_units()


def reload_units():
    """Only what is read here counts at the next start."""
    units = [OWN_UNIT, ROOT / "units/calendar-edge.service"]
    files = [*[unit for unit in units if unit.exists()][:1], *sorted(DROP_INS.glob("*.conf"))]
    lines = [line for file in files for line in file.read_text().splitlines() if re.match(r"[A-Z]\w+=", line)]
    LOADED.write_text(json.dumps([line.split("=", 1) for line in lines]))
    return 0


def systemctl(arguments):
    words = [word for word in arguments if not word.startswith("-")]
    if words == ["daemon-reload"]:
        return reload_units()
    if words == ["reload", "nginx"]:
        return subprocess.run(["nginx", "-s", "reload"], check=False).returncode
    if words[1:] != ["calendar-edge"]:
        return refuse(arguments)
    verb = words[0]
    if verb in ("disable", "stop", "restart"):
        stop("unit")
    return start_unit() if verb in ("enable", "start", "restart") else 0


def start_unit():
    unit = json.loads(LOADED.read_text())
    of = lambda name: [value for key, value in unit if key == name and value]
    environment = plain() | dict(line.split("=", 1) for line in of("Environment"))
    for file in (Path(name.removeprefix("-")) for name in of("EnvironmentFile")):
        if file.exists():
            environment |= dict(line.split("=", 1) for line in file.read_text().split())
    shutil.rmtree(CREDENTIALS, ignore_errors=True)
    for line in of("LoadCredential"):
        name, source = line.split(":", 1)
        CREDENTIALS.mkdir(parents=True, exist_ok=True)
        given(shutil.copy(source, CREDENTIALS / name), 0o400)
        given(CREDENTIALS, 0o500)
        environment["CREDENTIALS_DIRECTORY"] = str(CREDENTIALS)
    for folder in of("RuntimeDirectory"):
        Path("/run", folder).mkdir(exist_ok=True)
        given(Path("/run", folder), 0o750)
    for folder in of("StateDirectory"):
        Path("/var/lib", folder).mkdir(exist_ok=True)
        given(Path("/var/lib", folder), 0o700)
    if of("DynamicUser") != ["yes"]:
        return refuse("a unit without a user of its own")
    program, *rest = of("ExecStart")[-1].split()
    if not (Path(program).exists() or (program == "/usr/bin/calendar-edge" and (ROOT / "installed/calendar-edge").exists())):
        return refuse(program)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        path = ROOT / "notices"
        path.unlink(missing_ok=True)
        notices.bind(str(path))
        path.chmod(0o777)
        notices.settimeout(0.2)
        process = start("unit", rest, environment | {"NOTIFY_SOCKET": str(path)}, NOBODY, [])
        return until_ready(notices, process)


def until_ready(notices, process):
    """Type=notify: the start is over once the edge says that it is ready."""
    for _ in range(100):
        try:
            if b"READY=1" in notices.recv(4096):
                return 0
        except TimeoutError:
            pass
        if process.poll() is not None:
            break
    print(f"Job for calendar-edge.service failed.\n{(ROOT / 'unit.log').read_text()[-2000:]}", file=sys.stderr)
    return 1


def given(path, mode):
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, mode)


def journalctl(arguments):
    if arguments != ["-u", "calendar-edge", "-o", "cat"]:
        return refuse(arguments)
    print((ROOT / "unit.log").read_text(), end="")
    return 0


def docker(arguments):
    verb, *rest = arguments
    if verb == "build":
        return 0 if (Path.cwd() / rest[rest.index("-f") + 1]).exists() and Path.cwd() == CLONE else refuse(arguments)
    if verb == "run":
        return docker_run(rest)
    name = next(word for word in rest if not word.startswith("-"))
    if verb == "rmi":
        return 0
    if not (ROOT / f"{name}.json").exists():
        print(f"Error: No such container: {name}", file=sys.stderr)
        return 1
    container = json.loads((ROOT / f"{name}.json").read_text())
    if verb == "exec":
        if rest[1] != "/calendar-edge":
            return refuse(rest)
        return subprocess.run([EDGE, *rest[2:]], env=container["environment"], cwd="/", check=False, **user(container)).returncode
    if verb == "logs":
        print((ROOT / f"{name}.log").read_text(), end="")
        return 0
    if verb in ("rm", "restart"):
        stop(name)
        if verb == "restart":
            begin(name, container)
        return 0
    return refuse(arguments)


def docker_run(rest):
    """Only what the documents use; a folder is mounted at its own path."""
    image = rest.index("calendar-edge", rest.index("--name") + 2 if "--name" in rest else 0)
    options, command = rest[:image], rest[image + 1 :]
    environment, groups, name = image_environment(), [], None
    words = iter(options)
    for word in words:
        if word in ("--rm", "-d", "--read-only", "--cap-drop=ALL"):
            continue
        value = next(words)
        if word == "-e":
            environment |= dict([value.split("=", 1)])
        elif word == "--group-add" and value.isdigit():
            groups.append(int(value))
        elif word == "--name":
            name = value
        elif word == "-v" and value.split(":") == ["/etc/calendar-edge", "/etc/calendar-edge", "ro"]:
            continue
        elif (word, value) != ("--network", "host"):
            return refuse((word, value))
    container = {"environment": environment, "groups": groups}
    if "-d" not in options:
        return subprocess.run([EDGE, *command], env=environment, cwd="/", check=False, **user(container)).returncode
    if "--network" not in options:
        return refuse("a container whose ports this server does not reach")
    (ROOT / f"{name}.json").write_text(json.dumps(container))
    begin(name, container)
    return 0


def image_environment():
    text = (CLONE / "deploy/Containerfile").read_text()
    assert f"USER {CONTAINER}:{CONTAINER}\n" in text and 'CMD ["serve"]' in text
    return plain() | dict(re.findall(r"(CALENDAR_EDGE_\w+)=(\S*)", text.split("\nENV ")[1].split("\nEXPOSE")[0]))


def user(container):
    return {"user": CONTAINER, "group": CONTAINER, "extra_groups": container["groups"]}


def begin(name, container):
    start(name, ["serve"], container["environment"], CONTAINER, container["groups"])


def plain():
    """Of this environment only what makes the certificate of the site a good one."""
    return {"PATH": "/usr/bin:/bin", "SSL_CERT_FILE": os.environ["SSL_CERT_FILE"]}


def start(name, arguments, environment, number, groups):
    with open(ROOT / f"{name}.log", "ab") as log:
        process = subprocess.Popen(
            [EDGE, *arguments], env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, user=number, group=number, extra_groups=groups,
        )
    (ROOT / f"{name}.pid").write_text(str(process.pid))
    return process


def stop(name):
    file = ROOT / f"{name}.pid"
    if not file.exists():
        return
    pid = int(file.read_text())
    file.unlink()
    if is_running(pid):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.05)


def is_running(pid):
    try:
        return not re.search(r"^State:\s+Z", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except FileNotFoundError:
        return False


def editor(arguments):
    """Copies what start.md says from the snippet: the upstream and the location."""
    site = Path(arguments[0])
    snippet = Path("deploy/proxies/api-only/nginx.conf").read_text()
    whole = re.MULTILINE | re.DOTALL
    text = site.read_text()
    upstream = re.search(r"^upstream .*?^}\n", snippet, whole)[0]
    location = re.search(r"^    location ~ \^.*?^    }\n", snippet, whole)[0]
    site.write_text(upstream + text.replace("    location / {", location + "\n    location / {", 1))
    return 0


main()
