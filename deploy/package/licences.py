"""Prints the licences of the libraries in the binary: names first, then each text once."""

import json
import pathlib
import subprocess

ROOT = "calendar-edge"
PLATFORM = "x86_64-unknown-linux-gnu"


def linked(metadata):
    """The packages that the binary is built from, without those of tests and build scripts."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    waiting = [key for key, package in packages.items() if package["name"] == ROOT]
    seen = set()
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        for dependency in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return sorted((packages[key] for key in seen if packages[key]["source"]), key=lambda package: package["name"])


def texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    names = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "license*")
    files = {path for name in names for path in folder.glob(name) if path.is_file()}
    return sorted(path.read_text(errors="replace").strip() for path in files)


def main():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    owners = {}
    print("Libraries in this binary, with their licences.\n")
    for package in linked(metadata):
        title = f"{package['name']} {package['version']}"
        print(f"{title}: {package['license'] or 'see its text'}")
        for text in texts(package):
            owners.setdefault(text, []).append(title)
    for text, titles in owners.items():
        print(f"\n{'=' * 80}\n{', '.join(titles)}\n\n{text}")


main()
