"""A WordPress of Debian's packages on loopback, in a scratch folder: database, files, web server."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGED = Path(os.environ.get("CALENDAR_EDGE_WORDPRESS", "/usr/share/wordpress"))
CALENDAR = Path(os.environ["CALENDAR_EDGE_CALENDAR"]) if "CALENDAR_EDGE_CALENDAR" in os.environ else None
COMPANION = HERE.parents[1] / "deploy" / "wordpress" / "calendar-edge.php"
LOGIN, PASSWORD = "admin", "a password for tests"
PHP_LIMITS = {
    "max_input_vars": "1000",
    "max_input_nesting_level": "64",
    "max_file_uploads": "20",
    "upload_max_filesize": "2M",
    "post_max_size": "8M",
    "display_errors": "0",
    "log_errors": "1",
}

INSTALL = r"""<?php
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = getenv( 'SITE_HOST' );
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_install( 'Test site', getenv( 'SITE_LOGIN' ), 'admin@example.org', true, '', getenv( 'SITE_PASSWORD' ) );
update_option( 'siteurl', 'http://' . getenv( 'SITE_HOST' ) );
update_option( 'home', 'http://' . getenv( 'SITE_HOST' ) );
update_option( 'template', 'plain' );
update_option( 'stylesheet', 'plain' );
global $wp_rewrite;
$wp_rewrite->set_permalink_structure( '/%postname%/' );
$wp_rewrite->flush_rules( true );
$failed = activate_plugin( 'calendar-probe.php' );
if ( is_wp_error( $failed ) ) {
	fwrite( STDERR, $failed->get_error_message() );
	exit( 1 );
}
list( $password ) = WP_Application_Passwords::create_new_application_password( 1, array( 'name' => 'tests' ) );
echo $password;
"""

CLI = r"""<?php
$_SERVER['HTTP_HOST'] = $argv[2];
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
wp_set_current_user( 1 );
eval( $argv[3] );
"""

CONFIG = r"""<?php
define( 'DB_NAME', getenv( 'SITE_DATABASE' ) ?: 'wordpress' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:@SCRATCH@/db.sock' );
define( 'DB_CHARSET', 'utf8mb4' );
$table_prefix = 'wp_';
define( 'WP_ENVIRONMENT_TYPE', 'local' );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'DISABLE_WP_CRON', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'FS_METHOD', 'direct' );
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $name ) {
	define( $name . '_KEY', "key of $name for tests only" );
	define( $name . '_SALT', "salt of $name for tests only" );
}
define( 'CALENDAR_PROBE_LOG', '@SCRATCH@/reached.log' );
if ( file_exists( '@SCRATCH@/secret-file' ) ) {
	define( 'CALENDAR_EDGE_SECRET_FILE', file_get_contents( '@SCRATCH@/secret-file' ) );
}
if ( file_exists( '@SCRATCH@/edges' ) ) {
	define( 'CALENDAR_EDGE_URLS', file_get_contents( '@SCRATCH@/edges' ) );
}
if ( file_exists( '@SCRATCH@/surface' ) ) {
	define( 'CALENDAR_EDGE_SURFACE', file_get_contents( '@SCRATCH@/surface' ) );
}
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
"""

THEME = "<?php defined( 'ABSPATH' ) || exit; wp_head(); bloginfo( 'name' ); wp_footer();"

NGINX = """
daemon off; pid nginx.pid; error_log stderr warn; worker_processes 1; @USER@
events { worker_connections 64; }
http {
    include /etc/nginx/mime.types; access_log off; client_max_body_size 32m;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {
        listen 127.0.0.1:@PORT@; root site; index index.php; merge_slashes off;
        location / { try_files $uri $uri/ /index.php?$args; }
        location ~ [^/]\\.php(/|$) {
            fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
            if (!-f $document_root$fastcgi_script_name) { return 404; }
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
            fastcgi_param HTTP_HOST $host:$server_port;
            fastcgi_param PATH_INFO $fastcgi_path_info;
            fastcgi_pass unix:@SCRATCH@/fpm.sock;
        }
    }
}
"""

FPM = """
[global]
error_log = @SCRATCH@/fpm.log
daemonize = no
[www]
@USER@
listen = @SCRATCH@/fpm.sock
pm = static
pm.max_children = 4
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(*names):
    """The first of these programs that is installed."""
    for name in names:
        found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if found:
            return found
    return None


def fpm_program():
    found = program("php-fpm")
    return found or next((str(path) for path in sorted(Path("/usr/sbin").glob("php-fpm*"))), None)


def missing():
    """What has to be installed before a site can start."""
    wanted = {
        "wordpress": (PACKAGED / "wp-settings.php").exists(),
        "php-cli": program("php"),
        "php-mysql": program("php") and has_extension("mysqli"),
        "php-xml": program("php") and has_extension("xml"),
        "mariadb-server": program("mariadbd") and program("mariadb-install-db"),
    }
    return [package for package, found in wanted.items() if not found]


def has_extension(name):
    listed = subprocess.run(["php", "-m"], capture_output=True, text=True, timeout=20, check=False)
    return name in listed.stdout.split()


class Site:
    """One WordPress in one scratch folder; `stop` ends every process that it started."""

    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.root = self.scratch / "site"
        self.port = free_port()
        self.processes = []
        self.web = []
        self.application_password = None

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def build(self):
        """Database, files and an installed WordPress."""
        self._start_database()
        self._lay_out()
        self._install()

    def _fill(self, template):
        root = os.geteuid() == 0
        user = {"nginx": "user root;", "fpm": "user = root\ngroup = root"}
        filled = template.replace("@SCRATCH@", str(self.scratch)).replace("@PORT@", str(self.port))
        return filled.replace("@USER@", user["nginx" if template is NGINX else "fpm"] if root else "")

    def _start_database(self):
        data = self.scratch / "db"
        user = ["--user=root"] if os.geteuid() == 0 else []
        command = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db"]
        command += ["--auth-root-authentication-method=normal", *user]
        self._once(command)
        socket_path = self.scratch / "db.sock"
        options = [f"--datadir={data}", f"--socket={socket_path}", f"--pid-file={self.scratch}/db.pid"]
        self._start([program("mariadbd"), "--no-defaults", "--skip-networking", *options, *user], "db.log")
        query = ["mariadb", "--no-defaults", f"--socket={socket_path}", "-uroot", "-e", "CREATE DATABASE wordpress"]
        self._until(lambda: subprocess.run(query, capture_output=True, timeout=20, check=False).returncode == 0)

    def _lay_out(self):
        # Debian's links are relative to its folder, and that of the certificates may lead nowhere.
        shutil.copytree(PACKAGED, self.root, ignore=shutil.ignore_patterns("wp-content", ".htaccess", "certificates"))
        content = self.root / "wp-content"
        for folder in ("plugins", "mu-plugins", "uploads", "themes/plain"):
            (content / folder).mkdir(parents=True)
        (self.root / "wp-config.php").write_text(self._fill(CONFIG))
        (content / "themes/plain/style.css").write_text("/* Theme Name: Plain */")
        (content / "themes/plain/index.php").write_text(THEME)
        for plugin in (HERE / "plugin").iterdir():
            shutil.copy(plugin, content / "plugins")
        shutil.copy(COMPANION, content / "mu-plugins")
        self.forget()

    def _install(self):
        script = self.scratch / "install.php"
        script.write_text(INSTALL)
        environment = dict(os.environ, SITE_HOST=self.host, SITE_LOGIN=LOGIN, SITE_PASSWORD=PASSWORD)
        printed = self._once(["php", str(script), str(self.root)], env=environment)
        self.application_password = printed.strip().splitlines()[-1]

    def guard(self, secret_file):
        """Names the file of the secret in the configuration, or none."""
        (self.scratch / "secret-file").unlink(missing_ok=True)
        if secret_file is not None:
            (self.scratch / "secret-file").write_text(str(secret_file))

    def report_to(self, urls):
        """Names the edges that are told of changes, or none."""
        (self.scratch / "edges").unlink(missing_ok=True)
        if urls:
            (self.scratch / "edges").write_text(", ".join(urls))

    def close(self, rules):
        """Sets the rules for other routes, or none."""
        (self.scratch / "surface").unlink(missing_ok=True)
        if rules is not None:
            (self.scratch / "surface").write_text(rules)

    def php(self, code):
        """What a program on the command line prints that loads WordPress, as WP-CLI does."""
        script = self.scratch / "cli.php"
        script.write_text(CLI)
        return self._once(["php", str(script), str(self.root), self.host, code])

    def killed_php(self, code):
        """The same for a program that must not come to its end."""
        script = self.scratch / "cli.php"
        script.write_text(CLI)
        command = ["php", str(script), str(self.root), self.host, code]
        return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == -signal.SIGKILL

    def must_use(self, name, code):
        """Installs a must-use plugin of a few lines, or takes it away."""
        path = self.root / "wp-content" / "mu-plugins" / name
        path.unlink(missing_ok=True)
        if code is not None:
            path.write_text(f"<?php\n{code}\n")

    def use_calendar(self):
        """Installs The Events Calendar itself, beside which the probe has no routes to offer."""
        shutil.copytree(CALENDAR, self.root / "wp-content" / "plugins" / "the-events-calendar")
        self.php("deactivate_plugins( 'calendar-probe.php' ); activate_plugin( 'the-events-calendar/the-events-calendar.php' );")
        self.php("flush_rewrite_rules();")

    def drop_calendar(self):
        """Takes it away again, with its events."""
        self.php(
            "global $wpdb; foreach ( $wpdb->get_col( \"SELECT ID FROM $wpdb->posts WHERE post_type LIKE 'tribe%'\" ) as $id ) { wp_delete_post( $id, true ); }"
            "foreach ( array( 'tribe_events_cat', 'post_tag' ) as $of ) { foreach ( get_terms( array( 'taxonomy' => $of, 'hide_empty' => false ) ) as $term ) { wp_delete_term( $term->term_id, $of ); } }"
        )
        self.php("deactivate_plugins( 'the-events-calendar/the-events-calendar.php' ); activate_plugin( 'calendar-probe.php' );")
        shutil.rmtree(self.root / "wp-content" / "plugins" / "the-events-calendar")
        self.php("flush_rewrite_rules();")

    def reached(self):
        """What ran of the calendar's routes since `forget`."""
        return (self.scratch / "reached.log").read_text().split()

    def errors(self, text):
        """Lines of the logs that hold a text."""
        lines = [line for path in self.scratch.glob("*.log") for line in path.read_text(errors="replace").splitlines()]
        return [line for line in lines if text in line]

    def forget_errors(self):
        for path in self.scratch.glob("*.log"):
            os.truncate(path, 0)

    def forget(self):
        (self.scratch / "reached.log").write_text("")

    def serve_builtin(self):
        limits = [part for name, value in PHP_LIMITS.items() for part in ("-d", f"{name}={value}")]
        command = ["php", *limits, "-S", self.host, "-t", str(self.root)]
        self.web = [self._start(command, "php.log", cwd=self.root)]
        self._until_open()

    def serve_fpm(self):
        (self.scratch / "nginx.conf").write_text(self._fill(NGINX))
        limits = "".join(f"php_admin_value[{name}] = {value}\n" for name, value in PHP_LIMITS.items())
        limits += f"php_admin_value[error_log] = {self.scratch}/php-errors.log\n"
        (self.scratch / "fpm.conf").write_text(self._fill(FPM) + limits)
        fpm = [fpm_program(), "--nodaemonize", "--fpm-config", str(self.scratch / "fpm.conf")]
        fpm += ["--allow-to-run-as-root"] if os.geteuid() == 0 else []
        self.web = [self._start(fpm, "fpm.out")]
        self._until((self.scratch / "fpm.sock").exists)
        command = [program("nginx"), "-p", str(self.scratch), "-c", "nginx.conf"]
        self.web.append(self._start(command, "nginx.log"))
        self._until_open()

    def stop_web(self):
        for process in self.web:
            self._end(process)
        self.web = []

    def stop(self):
        for process in reversed(self.processes):
            self._end(process)

    def _once(self, command, **options):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {done.stdout[-500:]} {done.stderr[-1500:]}")
        return done.stdout

    def _start(self, command, log, **options):
        with open(self.scratch / log, "ab") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options
            )
        self.processes.append(process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=15)

    def _until_open(self):
        def is_open():
            with socket.socket() as probe:
                probe.settimeout(1)
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        self._until(is_open)

    def _until(self, ready, seconds=30):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                logs = "".join(path.read_text(errors="replace")[-800:] for path in self.scratch.glob("*.log"))
                raise RuntimeError(f"a program of the site did not start in {seconds} s: {logs}")
            time.sleep(0.1)
