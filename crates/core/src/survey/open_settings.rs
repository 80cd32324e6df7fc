//! Settings that open the edge to more than an operator may think (T-96): `check` and `serve` report them.

use std::path::Path;

use crate::settings::{ListenAddress, Settings};
use ipnet::IpNet;

use super::named_address::expects_foreign_clients;

/// A setting that opens the edge to others, with its consequence and its remedy.
#[derive(Debug, PartialEq, Eq)]
pub struct OpenSetting {
    /// The setting.
    pub key: &'static str,
    /// The consequence, and the clients that it is about.
    pub cause: String,
    /// The setting that closes it.
    pub remedy: &'static str,
}

/// Those among the settings; `others_may_read` is true of a file that every account of the machine may read.
pub fn open_settings(settings: &Settings, others_may_read: fn(&Path) -> bool) -> Vec<OpenSetting> {
    let found = [
        admin(settings),
        proxies(settings),
        local_writes(settings),
        one_client(settings),
    ];
    found
        .into_iter()
        .flatten()
        .chain(secrets(settings, others_may_read))
        .collect()
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

/// Every address is a proxy, and so names the client as which it counts.
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

/// Only a proxy of this machine connects, and its clients are not distinguished.
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
fn secrets(settings: &Settings, others_may_read: fn(&Path) -> bool) -> impl Iterator<Item = OpenSetting> {
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
        ("tls.key", settings.tls.as_ref().map(|tls| tls.key.as_path())),
    ];
    files
        .into_iter()
        .chain(of_backends)
        .filter_map(move |(key, file)| {
            let file = file.filter(|file| others_may_read(file))?;
            Some(OpenSetting {
                key,
                cause: format!("every account of this machine may read {}", file.display()),
                remedy: "chmod o-r; in Kubernetes `defaultMode: 0440` with an `fsGroup`",
            })
        })
}
