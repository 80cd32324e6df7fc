//! Settings that open the edge to more than an operator may think (T-96): `check` and `serve` say them aloud.

use std::fmt;
use std::path::Path;

use calendar_edge_core::settings::{ListenAddress, Settings};
use ipnet::IpNet;

use super::named_address::expects_foreign_clients;

/// A setting that opens something, for whom, and what closes it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpenSetting {
    pub(super) key: &'static str,
    pub(super) cause: String,
    pub(super) remedy: &'static str,
}

/// Those among the settings, the modes of secret files included.
pub(super) fn open_settings(settings: &Settings) -> Vec<OpenSetting> {
    let found = [
        admin(settings),
        proxies(settings),
        local_writes(settings),
        one_client(settings),
    ];
    found.into_iter().flatten().chain(secrets(settings)).collect()
}

/// Logs each of them.
pub(crate) fn warn(settings: &Settings) {
    for setting in open_settings(settings) {
        let OpenSetting { key, cause, remedy } = setting;
        tracing::warn!(key, remedy, "{cause}");
    }
}

/// A listener for operators that other machines reach, and none of them needs a token.
fn admin(settings: &Settings) -> Option<OpenSetting> {
    let listen = settings.admin.listen.as_ref()?;
    let is_open = listen.tcp().is_some_and(|address| !address.ip().is_loopback());
    (is_open && settings.admin.token_file.is_none()).then(|| OpenSetting {
        key: "admin.listen",
        cause: format!("every host that reaches {listen} reads metrics and the status of the site"),
        remedy: "set `admin.token_file`, or listen on 127.0.0.1",
    })
}

/// Everybody is a proxy, and so names the client as whom it counts.
fn proxies(settings: &Settings) -> Option<OpenSetting> {
    let trusted = IpNet::aggregate(&settings.trusted_proxies);
    let everybody = trusted.into_iter().find(|network| network.prefix_len() == 0)?;
    Some(OpenSetting {
        key: "trusted_proxies",
        cause: format!(
            "{everybody} trusts every client: each can claim any address in `X-Forwarded-For`, and so passes rate \
             limits and `write_addresses`"
        ),
        remedy: "list the addresses of the proxies alone",
    })
}

/// This machine may write, and so may the clients of a proxy on it.
fn local_writes(settings: &Settings) -> Option<OpenSetting> {
    let is_local = |network: &&IpNet| match network {
        IpNet::V4(network) => network.addr().is_loopback(),
        IpNet::V6(network) => network.addr().is_loopback(),
    };
    let local = settings.write_addresses.iter().find(is_local)?;
    expects_foreign_clients(settings).then(|| OpenSetting {
        key: "write_addresses",
        cause: format!(
            "{local} is this machine: every client of a proxy on it may write, unless the proxy is one of \
             `trusted_proxies` and names the client of each request"
        ),
        remedy: "list the addresses of clients, and the proxy in `trusted_proxies`",
    })
}

/// Only a proxy of this machine connects, and its clients are not told apart.
fn one_client(settings: &Settings) -> Option<OpenSetting> {
    let is_local = |listen: &ListenAddress| listen.tcp().is_none_or(|address| address.ip().is_loopback());
    let is_one = settings.trusted_proxies.is_empty() && settings.listen.iter().all(is_local);
    let is_used = !settings.cutover.is_empty() && is_one;
    is_used.then(|| OpenSetting {
        key: "trusted_proxies",
        cause: "all clients have the address of one proxy: a share of `[[cutover]]` takes all of them or none, and no \
                guard returns a rule, because one client alone cannot make it"
            .to_owned(),
        remedy: "list the proxy in `trusted_proxies`",
    })
}

/// Files with secrets that other accounts of the machine may read.
fn secrets(settings: &Settings) -> impl Iterator<Item = OpenSetting> {
    let backends = settings.backends.iter();
    let of_backends = backends.map(|backend| {
        (
            "backends.identity_secret_file",
            backend.identity_secret_file.as_deref(),
        )
    });
    let origin = &settings.origin;
    let files = [
        ("origin.secret_file", origin.secret_file.as_deref()),
        ("origin.basic_auth_file", origin.basic_auth_file.as_deref()),
        ("admin.token_file", settings.admin.token_file.as_deref()),
        ("traces.headers_file", settings.traces.headers_file.as_deref()),
        ("tls.key", settings.tls.as_ref().map(|tls| tls.key.as_path())),
    ];
    files.into_iter().chain(of_backends).filter_map(|(key, file)| {
        let file = file.filter(|file| others_may_read(file))?;
        Some(OpenSetting {
            key,
            cause: format!("every account of this machine may read {}", file.display()),
            remedy: "chmod o-r; in Kubernetes `defaultMode: 0440` with an `fsGroup`",
        })
    })
}

/// Whether the mode of a file lets everybody read. Files that are not there are told of elsewhere.
#[cfg(unix)]
fn others_may_read(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.mode() & 0o004 != 0)
}

/// Rights have other forms there.
#[cfg(not(unix))]
fn others_may_read(_file: &Path) -> bool {
    false
}

// === impl OpenSetting ===

impl fmt::Display for OpenSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, cause, remedy } = self;
        write!(f, "`{key}`: {cause}; {remedy}")
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge::config::{Overrides, parse};

    use super::*;

    const RULE: &str = "[backends.next]\nurl = \"http://next.example/wp-json\"\n[[cutover]]\nname = \"venues\"\nbackend = \"next\"\n\
                        operations = [\"venues.*\"]\nmethods = \"reads\"";

    fn keys(before: &str, after: &str) -> Vec<&'static str> {
        let text = format!("{before}\n[origin]\nurl = \"http://wp.example/wp-json\"\n{after}");
        let settings = parse("edge.toml", &text, &Overrides::default()).expect("settings");
        open_settings(&settings)
            .into_iter()
            .map(|setting| setting.key)
            .collect()
    }

    #[test]
    fn what_is_open_is_said_and_nothing_else() {
        let admin = |listen: &str| format!("[admin]\nlisten = \"{listen}\"");
        for (before, after, expected) in [
            ("", String::new(), &[][..]),
            ("", admin("0.0.0.0:9787"), &["admin.listen"]),
            ("", admin("[::]:9787"), &["admin.listen"]),
            ("", admin("10.0.0.5:9787"), &["admin.listen"]),
            ("", admin("127.0.0.1:9787"), &[]),
            ("", admin("unix:/run/admin.sock"), &[]),
            ("trusted_proxies = [\"10.0.0.0/8\"]", String::new(), &[]),
            (
                "trusted_proxies = [\"0.0.0.0/0\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            (
                "trusted_proxies = [\"::/0\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            (
                "trusted_proxies = [\"0.0.0.0/1\", \"128.0.0.0/1\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            ("write_addresses = [\"127.0.0.1\"]", String::new(), &[]),
            (
                "listen = \"127.0.0.1:8787\"",
                RULE.to_owned(),
                &["trusted_proxies"],
            ),
            ("listen = \"0.0.0.0:8787\"", RULE.to_owned(), &[]),
            ("trusted_proxies = [\"127.0.0.1\"]", RULE.to_owned(), &[]),
            (
                "write_addresses = [\"10.0.0.0/8\", \"::1\"]\nlisten = \"0.0.0.0:8787\"",
                String::new(),
                &["write_addresses"],
            ),
            (
                "write_addresses = [\"127.0.0.0/8\"]\ntrusted_proxies = [\"127.0.0.1\"]",
                String::new(),
                &["write_addresses"],
            ),
        ] {
            assert_eq!(keys(before, &after), expected, "{before} {after}");
        }
    }
}
