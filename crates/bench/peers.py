"""The origin and the proxies that are compared: their configurations, and whether they are installed."""

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import answers
from machine import LOAD_CORES, PROXY_CORE, free_port, version
from program import Program

ROOT = "/wp-json/tribe/events/v1"
LIST = f"{ROOT}/events"
MODSECURITY = Path("/usr/lib/nginx/modules/ngx_http_modsecurity_module.so")
RULES = Path("/usr/share/modsecurity-crs")

NGINX = """
{modules}
worker_processes 1; daemon off; pid {folder}/{name}.pid; error_log {folder}/{name}.err warn; {user}
events {{ worker_connections 8192; }}
http {{
    access_log {access_log}; keepalive_requests 100000000; keepalive_timeout 600s;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {http}
}}
"""
ORIGIN = """
    server {{
        listen 127.0.0.1:{port}; root {folder}; etag on;
        default_type application/json;
        location {root}/events {{
            add_header X-TEC-Total 11; add_header X-TEC-TotalPages 2;
            add_header Link '<http://127.0.0.1:{port}/wp-json/>; rel="https://api.w.org/"';
            error_page 405 =201 /item.json;
            try_files /$arg_search.json /list-8k.json =404;
        }}
        location ~ ^{root}/events/[0-9]+$ {{ try_files /item.json =404; }}
        location = /item.json {{ internal; }}
    }}
"""
PROXY = """
    upstream origin {{ server 127.0.0.1:{origin}; keepalive 256; keepalive_requests 100000000; }}
    {cache}
    server {{
        listen 127.0.0.1:{port} http2; listen 127.0.0.1:{plain};
        listen 127.0.0.1:{tls} ssl;
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem; ssl_session_tickets off;
        gzip {gzip}; gzip_types application/json; gzip_min_length 1024; gzip_proxied any;
        location / {{
            proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
            {location}
        }}
    }}
"""
HAPROXY = """
global
    nbthread 1
    maxconn 8192
    {log}
defaults
    mode http
    timeout client 600s
    timeout server 60s
    timeout connect 5s
    timeout http-keep-alive 600s
    {option}
frontend edge
    bind 127.0.0.1:{plain}
    bind 127.0.0.1:{port} proto h2
    bind 127.0.0.1:{tls} ssl crt {folder}/both.pem
    default_backend origin
backend origin
    http-reuse always
    server origin 127.0.0.1:{origin}
"""
VARNISH = """vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{origin}"; }}
sub vcl_backend_response {{ set beresp.ttl = 1h; set beresp.do_gzip = true; }}
"""
EDGE = """
listen = ["127.0.0.1:{plain}", "127.0.0.1:{port}", "tls:127.0.0.1:{tls}"]
public_url = "http://127.0.0.1:{plain}"
namespaces = ["tribe/events/v1"]
[tls]
certificate = "{folder}/certificate.pem"
key = "{folder}/key.pem"
[origin]
url = "http://127.0.0.1:{origin}/wp-json"
namespace = "tribe/events/v1"
max_in_flight = 256
[cache]
enabled = {cache}
fresh = "1h"
[compression]
enabled = {compression}
[log]
filter = "{filter}"
"""


def edge_settings(folder, origin, ports, log="warn", cache=False, compress=False):
    """The edge's configuration."""
    return EDGE.format(
        folder=folder, origin=origin, filter=log, cache=str(cache).lower(), compression=str(compress).lower(),
        **ports,
    )


class Peer:
    """A running proxy and its ports: HTTP/1.1, HTTP/2 without TLS, and TLS (absent where it has none)."""

    def __init__(self, program, plain, h2=None, tls=None):
        self.program, self.plain, self.h2, self.tls = program, plain, h2, tls


def prepare(folder):
    """Makes certificates and folders that several peers use."""
    for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi", "kept"):
        (folder / name).mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True, capture_output=True,
    )
    (folder / "both.pem").write_text((folder / "certificate.pem").read_text() + (folder / "key.pem").read_text())


def nginx_command(folder, name, http, modules="", access_log="off"):
    # As root the workers would be another user's, who cannot read the scratch folder.
    user = "user root;" if os.geteuid() == 0 else ""
    text = NGINX.format(folder=folder, name=name, http=http, modules=modules, access_log=access_log, user=user)
    file = folder / f"{name}.conf"
    file.write_text(text)
    return ["nginx", "-c", str(file)]


@contextmanager
def bench():
    """A scratch folder for all peers, and the port of an origin that ends with it."""
    with tempfile.TemporaryDirectory(prefix="calendar-edge-bench-") as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        prepare(folder)
        origin, port = start_origin(folder)
        try:
            yield folder, port
        finally:
            origin.end()


def start_origin(folder):
    """A fast origin: nginx with files."""
    port = free_port()
    answers.write_all(folder, port)
    command = nginx_command(folder, "origin", ORIGIN.format(folder=folder, port=port, root=ROOT))
    program = Program("origin", command, LOAD_CORES, folder)
    return program.wait_until_answering(port, LIST, 200), port


class Nginx:
    """nginx with `proxy_pass`."""

    name = "nginx"
    modules = ""

    def __init__(self, log=False, cache=False, compress=False):
        self.log, self.cache, self.compress = log, cache, compress

    def missing(self):
        return None if shutil.which("nginx") else "nginx"

    def version(self):
        return version("nginx", "-v")

    def start(self, folder, origin):
        ports = three_ports()
        cache = f"proxy_cache_path {folder}/kept keys_zone=kept:16m inactive=1h;" if self.cache else ""
        location = self.extra(folder) + ("proxy_cache kept; proxy_cache_valid 200 1h; proxy_ignore_headers Cache-Control;" if self.cache else "")
        http = PROXY.format(folder=folder, origin=origin, cache=cache, location=location,
                            gzip="on" if self.compress else "off", **ports)
        access_log = f"{folder}/access.log combined buffer=64k flush=1s" if self.log else "off"
        return started(self.name, nginx_command(folder, self.name, http, self.modules, access_log), folder, ports)

    def extra(self, _folder):
        return ""


class ModSecurity(Nginx):
    """nginx with ModSecurity and the OWASP core rules, switched to refuse."""

    name = "nginx+ModSecurity"
    modules = f"load_module {MODSECURITY};"

    def missing(self):
        there = shutil.which("nginx") and MODSECURITY.exists() and RULES.exists()
        return None if there else "libnginx-mod-http-modsecurity, modsecurity-crs"

    def extra(self, folder):
        (folder / "modsecurity.conf").write_text(
            "SecRuleEngine On\nSecRequestBodyAccess On\nSecResponseBodyAccess Off\nSecAuditEngine Off\n"
            "SecAction \"id:900200,phase:1,nolog,pass,t:none,setvar:'tx.allowed_methods=GET HEAD POST OPTIONS PUT PATCH DELETE'\"\n"
            f"Include /etc/modsecurity/crs/crs-setup.conf\nInclude {RULES}/rules/*.conf\n"
        )
        return f"modsecurity on; modsecurity_rules_file {folder}/modsecurity.conf;"


class HAProxy:
    """HAProxy with one thread."""

    name = "HAProxy"

    def __init__(self, log=False):
        self.log = log

    def missing(self):
        return None if shutil.which("haproxy") else "haproxy"

    def version(self):
        return version("haproxy", "-v")

    def start(self, folder, origin):
        ports = three_ports()
        log = "log stdout format raw local0" if self.log else ""
        option = "log global\n    option httplog" if self.log else ""
        file = folder / "haproxy.cfg"
        file.write_text(HAPROXY.format(folder=folder, origin=origin, log=log, option=option, **ports))
        return started(self.name, ["haproxy", "-db", "-f", str(file)], folder, ports)


class Varnish:
    """Varnish with its store in memory; without TLS."""

    name = "Varnish"

    def missing(self):
        return None if shutil.which("varnishd") else "varnish"

    def version(self):
        return version("varnishd", "-V")

    def start(self, folder, origin):
        plain = free_port()
        file = folder / "varnish.vcl"
        file.write_text(VARNISH.format(origin=origin))
        command = ["varnishd", "-F", "-a", f"127.0.0.1:{plain}", "-f", str(file), "-n", str(folder / "varnish"),
                   "-s", "malloc,64m", "-j", "none", "-p", "thread_pools=1"]
        program = Program(self.name, command, [PROXY_CORE], folder)
        return Peer(program.wait_until_answering(plain, LIST, 200), plain)


class Edge:
    """This project's release binary with its default limits."""

    name = "calendar-edge"

    def __init__(self, binary, log=False, cache=False, compress=False):
        self.binary, self.log, self.cache, self.compress = binary, log, cache, compress

    def missing(self):
        return None if Path(self.binary).exists() else f"{self.binary}: cargo build --release"

    def version(self):
        return version(self.binary, "--version")

    def start(self, folder, origin):
        ports = three_ports()
        file = folder / "edge.toml"
        log = "info" if self.log else "warn"
        file.write_text(edge_settings(folder, origin, ports, log, self.cache, self.compress))
        return started(self.name, [str(self.binary), "serve", "--config", str(file)], folder, ports)


class PlainProxy:
    """A proxy of the edge's parts, hyper and reqwest, that checks nothing; without TLS."""

    name = "hyper and reqwest"

    def __init__(self, binary):
        # Beside the edge, also if that was built by a profile or elsewhere.
        self.binary = Path(binary).parent / "plain-proxy"

    def missing(self):
        return None if self.binary.exists() else f"{self.binary}: cargo build --release --package calendar-edge-bench"

    def version(self):
        return "those of the edge"

    def start(self, folder, origin):
        plain = free_port()
        command = [str(self.binary), f"127.0.0.1:{plain}", f"http://127.0.0.1:{origin}"]
        program = Program("plain-proxy", command, [PROXY_CORE], folder)
        # It speaks both versions at one port.
        return Peer(program.wait_until_answering(plain, LIST, 200), plain, h2=plain)


class Pingora:
    """A bare proxy of Pingora that checks nothing; without TLS, and outside of the edge's workspace."""

    name = "Pingora"
    binary = Path(__file__).resolve().parents[2] / "target" / "pingora" / "release" / "bare-pingora"
    manifest = Path(__file__).resolve().parent / "pingora" / "Cargo.toml"

    def missing(self):
        build = f"CARGO_TARGET_DIR=target/pingora cargo build --release --locked --manifest-path {self.manifest}"
        return None if self.binary.exists() else f"{self.binary}: {build}, which needs cmake"

    def version(self):
        return "pingora-proxy " + re.search(r'pingora-proxy = "(.*)"', self.manifest.read_text())[1]

    def start(self, folder, origin):
        plain = free_port()
        command = [str(self.binary), f"127.0.0.1:{plain}", f"127.0.0.1:{origin}"]
        program = Program("pingora", command, [PROXY_CORE], folder)
        return Peer(program.wait_until_answering(plain, LIST, 200), plain)


def three_ports():
    return {"plain": free_port(), "port": free_port(), "tls": free_port()}


def started(name, command, folder, ports):
    program = Program(name, command, [PROXY_CORE], folder)
    try:
        program.wait_until_answering(ports["plain"], LIST, 200)
    except RuntimeError:
        program.end()
        raise
    return Peer(program, ports["plain"], ports["port"], ports["tls"])
