"""A server of its own for the commands: folders, network and processes of a namespace, and in it a WordPress behind nginx."""

import fcntl
import hashlib
import json
import re
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "tests/wordpress"))

from site_under_test import Site, fpm_program, missing, program

NAME = "wp.example.org"
WEB = Path("/var/www/wordpress")
STAND_IN_FILE = Path("/etc/nginx/conf.d/0-stand-in.conf")
PLUGIN = WEB / "wp-content/mu-plugins/calendar-edge.php"
SITES = Path("/etc/nginx/sites-available/default")
# Folders that the commands or nginx write to; `/etc` is a copy.
OWN = ("/run", "/var/www", "/var/log", "/var/lib", "/usr/share/doc", "/usr/local/bin")

BEFORE = f"""server {{
    listen 443 ssl;
    server_name {NAME};
    ssl_certificate     /etc/ssl/{NAME}.crt;
    ssl_certificate_key /etc/ssl/{NAME}.key;
    root {WEB};
    index index.php;
    client_max_body_size 64m;

    location / {{
        try_files $uri $uri/ /index.php?$args;
    }}

    location ~ \\.php$ {{
        include fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
        fastcgi_pass unix:/run/php/php-fpm.sock;
    }}
}}
"""

FPM = """[global]
error_log = /var/log/fpm.log
daemonize = no
[www]
user = www-data
group = www-data
listen = /run/php/php-fpm.sock
listen.owner = www-data
pm = static
pm.max_children = 4
"""

# The routes of the recorded index, with lists that are empty and one event.
CALENDAR = """
add_action( 'rest_api_init', function () {
	$index = json_decode( file_get_contents( '@INDEX@' ), true );
	foreach ( $index['routes'] as $route => $about ) {
		if ( "/$index[namespace]" === $route ) {
			continue;
		}
		$endpoints = array();
		foreach ( $about['endpoints'] as $endpoint ) {
			$endpoints[] = $endpoint + array(
				'permission_callback' => '__return_true',
				'callback'            => function ( $request ) {
					if ( preg_match( '#/0$#', $request->get_route() ) ) {
						return new WP_Error( 'event-not-found', 'There is no such event.', array( 'status' => 404 ) );
					}
					return array( 'events' => array(), 'rest_url' => rest_url( $request->get_route() ), 'total' => 0, 'total_pages' => 0 );
				},
			);
		}
		register_rest_route( $index['namespace'], substr( $route, strlen( "/$index[namespace]" ) ), $endpoints );
	}
} );
"""


# What a site without PHP answers to those who only read: the public server, and before that of the second port.
STAND_IN = f"""server {{
    listen @LISTEN@;
    server_name {NAME};
    default_type application/json;

    location = / {{
        if ($arg_rest_route) {{ return 200 '{{"events":[]}}'; }}
        add_header Link '<https://{NAME}/wp-json/>; rel="https://api.w.org/"';
        return 200 '<p>a site</p>';
    }}
    location = /wp-json/ {{ return 200 '{{"name":"A site","home":"https://{NAME}","namespaces":["tribe/events/v1","wp/v2"]}}'; }}
    location = /wp-json/tribe/events/v1 {{ alias {WEB}/index.json; }}
    location = /wp-json/tribe/events/v1/events {{ return 200 '{{"events":[],"total":0,"total_pages":0}}'; }}
    location / {{ return 404 '{{"code":"event-not-found","message":"There is none.","data":{{"status":404}}}}'; }}
}}
"""


PUBLIC = f"443 ssl; ssl_certificate /etc/ssl/{NAME}.crt; ssl_certificate_key /etc/ssl/{NAME}.key"


def lacking():
    """The programs that are not installed; nothing runs without them."""
    wanted = {"nginx-light": "nginx", "openssl": "openssl", "curl": "curl"}
    return [package for package, name in wanted.items() if not program(name)]


def lacking_wordpress():
    """The same for a WordPress."""
    return [*missing(), *([] if fpm_program() else ["php-fpm"])]


def make_private(root):
    """From here on the commands change nothing outside of this namespace."""
    subprocess.run(["cp", "-a", "/etc", root / "etc"], check=True)
    with open(root / "etc/hosts", "a") as hosts:
        hosts.write(f"\n127.0.0.1 {NAME}\n")
    subprocess.run(["mount", "--bind", root / "etc", "/etc"], check=True)
    for folder in OWN:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", folder], check=True)
    with socket.socket() as any_socket:
        interface_up = struct.pack("16sh14x", b"lo", 0x1 | 0x40)
        fcntl.ioctl(any_socket, 0x8914, interface_up)
    for folder in ("/run/php", "/var/log/nginx", "/var/lib/nginx", "/etc/calendar-edge"):
        Path(folder).mkdir(exist_ok=True)
    Path("/etc/calendar-edge").rmdir()


def certify(root):
    """An authority and a certificate of the site; returns the file by which programs trust it."""
    authority, key, leaf = root / "authority.pem", Path(f"/etc/ssl/{NAME}.key"), Path(f"/etc/ssl/{NAME}.crt")
    new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    quiet = {"check": True, "stderr": subprocess.DEVNULL}
    subprocess.run([*new, "-subj", "/CN=authority", "-keyout", root / "authority.key", "-out", authority], **quiet)
    signed = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-addext", "basicConstraints=critical,CA:FALSE"]
    by = ["-CA", authority, "-CAkey", root / "authority.key"]
    subprocess.run([*new, *signed, *by, "-keyout", key, "-out", leaf], **quiet)
    return authority


class Server:
    """The site of an owner, as it was before the edge."""

    def __init__(self, root, is_wordpress):
        self.root = root
        self.site = Site(root) if is_wordpress else None
        self.fpm = None

    def start(self):
        SITES.write_text(BEFORE if self.site else STAND_IN.replace("@LISTEN@", PUBLIC))
        if self.site:
            self.start_wordpress()
        else:
            WEB.mkdir()
            STAND_IN_FILE.write_text(STAND_IN.replace("@LISTEN@", "127.0.0.1:8080"))
            shutil.copy(TOP / "fixtures/contract/index.json", WEB / "index.json")
        subprocess.run(["nginx"], check=True)

    def start_wordpress(self):
        self.site.root = WEB
        self.site.build()
        PLUGIN.unlink()
        settings = WEB / "wp-config.php"
        # Those of other tests, which owners do not have.
        settings.write_text(re.sub(r"(?m)^if .*\n.*CALENDAR_EDGE_.*\n}\n", "", settings.read_text()))
        shutil.copy(TOP / "fixtures/contract/index.json", WEB / "index.json")
        self.site.must_use("calendar.php", CALENDAR.replace("@INDEX@", str(WEB / "index.json")))
        address = json.dumps(f"https://{NAME}")
        self.site.php(f"deactivate_plugins( 'calendar-probe.php' ); update_option( 'home', {address} ); update_option( 'siteurl', {address} );")
        (self.root / "fpm.conf").write_text(FPM)
        self.fpm = subprocess.Popen([fpm_program(), "--nodaemonize", "--fpm-config", self.root / "fpm.conf"], stdin=subprocess.DEVNULL)

    def everything(self):
        """The files of the server, but for logs, with what they hold; and the names of the plugin's options."""
        found = {}
        for folder in map(Path, ("/etc", "/usr/local", "/usr/share/doc", "/var/lib", WEB)):
            for file in sorted(folder.rglob("*")):
                if file.is_dir():
                    found[str(file)] = "a folder"
                elif file.is_file():
                    found[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
        if self.site:
            found["options"] = self.site.php("global $wpdb; echo implode( ' ', $wpdb->get_col( \"SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'calendar%edge%'\" ) );")
        return found

    def stop(self):
        subprocess.run(["nginx", "-s", "stop"], check=False)
        if self.fpm:
            self.fpm.terminate()
            self.fpm.wait(20)
        if self.site:
            self.site.stop()
