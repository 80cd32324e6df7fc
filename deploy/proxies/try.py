#!/usr/bin/env python3
"""Tries the snippets of this folder over real sockets: client, proxy, edge, a stand-in for the site.

Usage: try.py EDGE-BINARY [FOLDER/NAME ...]. Everything listens at loopback. The client comes from 127.0.0.9, so that its address
differs from the proxy's, and claims to be somebody else. Exit status 1 if a proxy loses its address, its scheme, a target or a
part of an upload. Proxies that are not installed are skipped aloud.
"""

import http.client
import http.server
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = "127.0.0.9"
UPLOAD = 48 * 1024 * 1024
API = "/wp-json/calendar/events/v1/events"
NAMESPACE = "/wp-json/tribe/events/v1"

# Snippet: settings of the edge, program.
CASES = {
    "in-front/nginx.conf": ("in-front/edge.toml", "nginx"),
    "in-front/apache.conf": ("in-front/edge.toml", "apache2"),
    "in-front/Caddyfile": ("in-front/edge.toml", "caddy"),
    "in-front/haproxy.cfg": ("in-front/edge.toml", "haproxy"),
    "in-front/haproxy-tcp.cfg": ("in-front/edge-tcp.toml", "haproxy"),
    "api-only/nginx.conf": ("api-only/edge.toml", "nginx"),
    "api-only/Caddyfile": ("api-only/edge.toml", "caddy"),
    "api-only/haproxy.cfg": ("api-only/edge.toml", "haproxy"),
    "api-only/apache.conf": ("api-only/edge.toml", "apache2"),
}


class Site(http.server.BaseHTTPRequestHandler):
    """Answers API reads with an empty list, and everything else with what arrived."""

    protocol_version = "HTTP/1.1"
    seen = []

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        left = length
        if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
            length = 0
            while size := int(self.rfile.readline().strip() or b"0", 16):
                length += len(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        while left:
            left -= len(self.rfile.read(min(left, 1 << 20)))
        # The edge has questions of its own, which belong to no request.
        if self.headers.get("X-Request-Id"):
            type(self).seen.append({"path": self.path, "headers": dict(self.headers), "length": length})
        answer = {"length": length}
        if self.path.split("?")[0].rstrip("/") == "/wp-json":
            answer = {"namespaces": ["wp/v2", "tribe/events/v1"]}
        if self.path.startswith(NAMESPACE + "/events"):
            answer = {"events": [], "rest_url": self.path, "total": 0, "total_pages": 0}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Trial:
    """One snippet with its edge, in a folder of its own."""

    def __init__(self, edge, name, folder):
        self.edge, self.name, self.folder = edge, name, folder
        self.settings, self.program = CASES[name]
        self.is_whole = name.startswith("in-front")
        self.host = "events.example.org" if self.is_whole else "www.example.org"
        self.ports = dict(zip(("public", "8787", "9787", "8443", "8080", "8081"), free_ports(6)))
        self.processes = []

    def replaced(self, name):
        """The text of a file of this folder, with ports and paths of this trial."""
        with open(os.path.join(HERE, name)) as file:
            text = file.read()
        text = text.replace("/etc/ssl/", self.folder + "/").replace("/var/www/wordpress", self.folder + "/site")
        if name.endswith((".conf", "Caddyfile")):
            # The web server's own port for the edge: here the stand-in has it.
            text = text.replace("8080", str(self.ports["8081"]))
        for port in ("8787", "9787", "8443", "8080"):
            text = re.sub(rf"\b{port}\b", str(self.ports[port]), text)
        # The settings name the whole site; here it is the stand-in.
        text = text.replace("https://wp.example.org/", f"http://127.0.0.1:{self.ports['8080']}/")
        public = f"127.0.0.1:{self.ports['public']}"
        text = re.sub(r"listen 443\b", f"listen {public}", text)
        text = text.replace("bind :443", f"bind {public}").replace("*:443", public)
        return re.sub(r"(?m)^((?:events|www)\.example\.org) \{", rf"https://\1:{self.ports['public']} {{", text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, command, log):
        # Caddy keeps files in the home of its user.
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder}
        with open(os.path.join(self.folder, log), "w") as file:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file
            )
        self.processes.append(process)

    def start_all(self):
        os.makedirs(self.folder + "/site")
        self.write("site/hello.txt", "hello")
        certify(self.folder, self.host)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.ports["8080"]), Site)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.site = server
        settings = self.write("edge.toml", self.replaced(self.settings))
        self.start([self.edge, "serve", "--config", settings], "edge.log")
        self.wait_until_ready(settings)
        self.start(self.proxy_command(), "proxy.log")
        self.wait_for(self.ports["public"])

    def proxy_command(self):
        text = self.replaced(self.name)
        if self.program in ("nginx", "apache2"):
            text = self.replaced(f"site-port/{os.path.basename(self.name)}") + text
        if self.program == "nginx":
            return ["nginx", "-p", self.folder, "-c", self.write("nginx.conf", nginx(text, self.folder)), "-e", "stderr"]
        if self.program == "caddy":
            text = f"{{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system {self.folder}/caddy\n}}\n" + text
            return ["caddy", "run", "--adapter", "caddyfile", "--config", self.write("Caddyfile", text)]
        if self.program == "apache2":
            return ["apache2", "-X", "-f", self.write("apache.conf", apache(text, self.folder, self.ports["public"]))]
        return ["haproxy", "-db", "-f", self.write("haproxy.cfg", text)]

    def wait_until_ready(self, settings):
        for _ in range(200):
            asked = subprocess.run([self.edge, "healthcheck", "--config", settings], capture_output=True)
            if asked.returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit(f"{self.name}: the edge is not ready:\n{self.logs()}")

    def wait_for(self, port):
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{self.name}: nothing listens:\n{self.logs()}")

    def logs(self):
        texts = []
        for name in ("edge.log", "proxy.log"):
            if not os.path.exists(os.path.join(self.folder, name)):
                continue
            with open(os.path.join(self.folder, name)) as file:
                texts.append(file.read()[-3000:])
        return "\n".join(texts)

    def ask(self, method, target, body=None):
        raw = socket.create_connection(("127.0.0.1", self.ports["public"]), source_address=(CLIENT, 0))
        raw.settimeout(60)
        context = ssl._create_unverified_context()
        connection = http.client.HTTPConnection(self.host)
        connection.sock = context.wrap_socket(raw, server_hostname=self.host)
        forged = {
            "X-Forwarded-For": "192.0.2.66",
            "X-Forwarded-Proto": "http",
            "X-Request-Id": "forged-by-the-client",
            "Content-Type": "application/octet-stream",
        }
        connection.request(method, target, body, forged)
        answer = connection.getresponse()
        answer.text = answer.read()
        connection.close()
        return answer

    def logged(self, *targets):
        """The line of the edge's log about one of these targets."""
        for _ in range(100):
            with open(os.path.join(self.folder, "edge.log")) as file:
                for line in file:
                    if line.startswith("{") and json.loads(line).get("url.path") in targets:
                        return json.loads(line)
            time.sleep(0.05)
        return {}

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        self.site.shutdown()
        self.site.server_close()

    def expect(self, what, found, wanted):
        if found != wanted:
            raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")

    def expect_client(self, what, seen):
        headers = {name.lower(): value for name, value in seen["headers"].items()}
        self.expect(f"{what}: client at the site", headers.get("x-forwarded-for"), CLIENT)
        self.expect(f"{what}: scheme at the site", headers.get("x-forwarded-proto"), "https")

    def run(self):
        Site.seen.clear()
        answer = self.ask("GET", API)
        self.expect(f"API answer {answer.text[:300]!r}", answer.status, 200)
        line = self.logged(API)
        self.expect("client in the log", line.get("client.address"), CLIENT)
        self.expect("scheme in the log", line.get("url.scheme"), "https")
        self.expect("id that the client chose", "forged" in json.dumps(line), False)
        call = [seen for seen in Site.seen if seen["path"].startswith(NAMESPACE + "/events")]
        self.expect("calls at the site", len(call), 1)
        self.expect_client("API", call[0])
        if self.is_whole:
            self.whole_site()
        else:
            self.api_only()

    def whole_site(self):
        for target in ("/page//with/%E2%82%AC?a=%41&a=b+c", "/?s=%2F"):
            Site.seen.clear()
            self.expect(target, self.ask("GET", target).status, 200)
            self.expect("target at the site", [seen["path"] for seen in Site.seen], [target])
            self.expect_client(target, Site.seen[0])
        Site.seen.clear()
        answer = self.ask("POST", "/upload", bytes(UPLOAD))
        self.expect(f"upload {answer.text[:300]!r}", answer.status, 200)
        self.expect("bytes at the site", [seen["length"] for seen in Site.seen], [UPLOAD])
        self.expect_client("upload", Site.seen[0])

    def api_only(self):
        if self.program != "haproxy":
            self.expect("a file of the site", self.ask("GET", "/hello.txt").text, b"hello")
            self.expect("the file in the edge's log", self.logged_now("/hello.txt"), False)
        else:
            self.expect("a page of the site", self.ask("GET", "/page").status, 200)
            self.expect("the page in the edge's log", self.logged_now("/page"), False)
        Site.seen.clear()
        # Passed on escaped, it is unknown to the edge; decoded, it is a call. The site sees it from the edge, or not at all.
        escaped = "/wp-json/%74ribe/events/v1/events"
        self.ask("GET", escaped)
        line = self.logged(escaped, NAMESPACE + "/events")
        self.expect("an escaped path in the edge's log", line.get("client.address"), CLIENT)
        past = [seen["path"] for seen in Site.seen if "traceparent" not in {name.lower() for name in seen["headers"]}]
        self.expect("an escaped path past the edge", past, [])

    def logged_now(self, target):
        with open(os.path.join(self.folder, "edge.log")) as file:
            return f'"url.path":"{target}"' in file.read()


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


def certify(folder, host):
    key, certificate = f"{folder}/{host}.key", f"{folder}/{host}.crt"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    with open(f"{folder}/{host}.pem", "w") as both:
        for part in (certificate, key):
            with open(part) as file:
                both.write(file.read())


def nginx(snippet, folder):
    """A whole configuration of nginx around a snippet."""
    parameters = "/etc/nginx/fastcgi_params"
    if os.path.exists(parameters):
        shutil.copy(parameters, folder)
    else:
        open(folder + "/fastcgi_params", "w").close()
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"daemon off;\nerror_log stderr;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{snippet}}}\n"


def apache(snippet, folder, port):
    """A whole configuration of Apache around a snippet."""
    modules = "/usr/lib/apache2/modules"
    names = ("mpm_event", "authn_core", "authz_core", "socache_shmcb", "ssl", "proxy", "proxy_http", "headers", "remoteip", "env")
    lines = [f"LoadModule {name}_module {modules}/mod_{name}.so" for name in names]
    lines += ["ServerName localhost", f"PidFile {folder}/apache.pid", f"DefaultRuntimeDir {folder}", "ErrorLog /dev/stderr"]
    lines += [f"Mutex file:{folder}", f"Listen 127.0.0.1:{port}"]
    if os.geteuid() == 0:
        lines += ["User daemon", "Group daemon"]
    return "\n".join(lines) + "\n" + snippet


def main():
    os.environ["PATH"] += ":/usr/sbin"
    edge, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    failed = False
    for name in names:
        program = CASES[name][1]
        missing = [tool for tool in (program, "openssl") if not shutil.which(tool)]
        if missing:
            print(f"SKIPPED: {name} over sockets, because {missing[0]} is not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="edge-proxy-") as folder:
            os.chmod(folder, 0o755)
            trial = Trial(edge, name, folder)
            try:
                trial.start_all()
                trial.run()
                print(f"ok: {name}: client, scheme, targets" + (" and upload" if trial.is_whole else ""))
            except (AssertionError, OSError, http.client.HTTPException) as error:
                failed = True
                print(f"FAILED: {name}: {error}\n{trial.logs()}")
            finally:
                trial.stop()
    sys.exit(failed)


if __name__ == "__main__":
    main()
