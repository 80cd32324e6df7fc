//! Combinations of settings that cannot be.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::draft::Draft;
use super::listening::{ListenAddress, ProxyProtocol};
use super::problem::{Complaint, Finding, Impossible, Place, Problems};
use super::settings::Root;

/// Listeners share no address, and none of them is the origin.
pub(super) fn listeners(draft: &Draft, problems: &mut Problems) {
    let mut seen: Vec<&ListenAddress> = Vec::new();
    for (index, address) in draft.listen.iter().enumerate() {
        if seen.iter().any(|other| overlap(other, address)) {
            let reason = Impossible::ListenerOverlap(address.to_string());
            let place = draft.places.item("listen", index);
            problems.add(place, Finding::impossible("listen", reason));
        }
        seen.push(address);
    }
    if let Some(admin) = &draft.admin_listen
        && seen.iter().any(|other| overlap(other, admin))
    {
        let reason = Impossible::ListenerOverlap(admin.to_string());
        problems.add(
            draft.places.of("admin.listen"),
            Finding::impossible("admin.listen", reason),
        );
    }
    let origin = draft.origin.url.as_ref();
    if let Some((url, edge)) = origin.and_then(|url| Some((url, seen.iter().find(|edge| is_at(url, edge))?)))
    {
        let reason = Impossible::OriginIsEdge(edge.to_string());
        let finding = Finding::impossible("origin.url", reason).help(Some(format!(
            "{url} must be the WordPress site, or `listen` another port"
        )));
        problems.add(draft.places.of("origin.url"), finding);
    }
}

/// A listener that speaks TLS has a certificate and its key, and these have a listener.
pub(super) fn tls(draft: &Draft, problems: &mut Problems) {
    let mut clients = draft.listen.iter().enumerate();
    let client = clients.find(|(_, address)| address.speaks_tls());
    let admin = draft.admin_listen.as_ref().filter(|admin| admin.speaks_tls());
    let listener = client
        .map(|(index, _)| draft.places.item("listen", index))
        .or_else(|| admin.map(|_| draft.places.of("admin.listen")));
    for key in ["tls.certificate", "tls.key"] {
        match (listener, draft.places.typed(key)) {
            (Some(listener), None) => {
                let finding = Finding::from(Complaint::Missing(key));
                problems.add(
                    listener,
                    finding.expected("a PEM file, because this listener speaks TLS"),
                );
            }
            (None, Some(file)) => {
                let help = "write the address of a listener like this: listen = \"tls:0.0.0.0:8443\"";
                let finding = Finding::impossible(key, Impossible::NoTlsListener);
                problems.add(file, finding.help(Some(help.to_owned())));
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
}

/// Clients that proxies announce need proxies.
pub(super) fn proxies(draft: &Draft, problems: &mut Problems) {
    if draft.proxy_protocol == ProxyProtocol::Required && draft.trusted_proxies.is_empty() {
        let finding = Finding::impossible("proxy_protocol", Impossible::NobodyTrusted);
        let help = "nobody could connect: list the proxies that write the header in `trusted_proxies`";
        let place = draft.places.of("proxy_protocol");
        problems.add(place, finding.help(Some(help.to_owned())));
    }
}

/// The public host is one of the hosts, and no name stands twice.
pub(super) fn names(draft: &Draft, problems: &mut Problems) {
    duplicates("hosts", &draft.hosts, draft, problems);
    duplicates("namespaces", &draft.namespaces, draft, problems);
    let public = draft.public_url.as_ref().and_then(Url::host_str);
    if let Some(public) = public
        && !draft.hosts.is_empty()
        && !draft.hosts.iter().any(|host| host == public)
    {
        let finding = Finding::impossible("hosts", Impossible::PublicHostMissing(public.to_owned()));
        problems.add(draft.places.of("hosts"), finding);
    }
}

/// A part that was typed is no larger than the whole that was typed. A default gives way: the smaller bound
/// holds.
pub(super) fn sizes(draft: &Draft, problems: &mut Problems) {
    let (limits, times) = (&draft.limits, &draft.timeouts);
    let buffer = u64::try_from(limits.answer_buffer_bytes).unwrap_or(u64::MAX);
    let pairs = [
        (
            "limits.header_bytes",
            "limits.header_list_bytes",
            limits.header_bytes > limits.header_list_bytes,
        ),
        (
            "limits.header_list_bytes",
            "http2.header_list_bytes",
            limits.header_list_bytes > usize::try_from(draft.http2.header_list_bytes).unwrap_or(usize::MAX),
        ),
        (
            "http2.stream_window_bytes",
            "http2.connection_window_bytes",
            draft.http2.stream_window_bytes > draft.http2.connection_window_bytes,
        ),
        (
            "limits.answer_buffer_bytes",
            "limits.answer_bytes",
            buffer > limits.answer_bytes,
        ),
        (
            "timeouts.origin_connect",
            "timeouts.origin_read",
            times.origin_connect > times.origin_read,
        ),
        (
            "timeouts.origin_first_byte",
            "timeouts.origin_read",
            times.origin_first_byte > times.origin_read,
        ),
    ];
    for (part, whole, larger) in pairs {
        if let (true, Some(place), Some(_)) = (larger, draft.places.typed(part), draft.places.typed(whole)) {
            problems.add(place, Finding::impossible(part, Impossible::LargerThan(whole)));
        }
    }
}

/// No public path can be read as two roots or two namespaces.
pub(super) fn paths(roots: &[(Root, Place)], draft: &Draft, problems: &mut Problems) {
    for (index, name) in draft.namespaces.iter().enumerate() {
        let clash = draft
            .namespaces
            .iter()
            .take(index)
            .find(|other| nested(name, other));
        if let Some(other) = clash.filter(|other| !other.eq_ignore_ascii_case(name)) {
            let reason = Impossible::Ambiguous(name.clone(), other.clone());
            let place = draft.places.item("namespaces", index);
            problems.add(place, Finding::impossible("namespaces", reason));
        }
    }
    for (index, (root, place)) in roots.iter().enumerate() {
        let earlier = roots.iter().take(index);
        let clash = earlier
            .flat_map(|(other, _)| clashes(root, other, &draft.namespaces))
            .next();
        if let Some((ours, theirs)) = clash {
            let reason = Impossible::Ambiguous(ours, theirs);
            problems.add(place, Finding::impossible("roots.path", reason));
        }
    }
}

/// Pairs of full paths of two roots of which one contains the other.
fn clashes(root: &Root, other: &Root, namespaces: &[String]) -> Vec<(String, String)> {
    let full = |root: &Root, name: &String| format!("{}/{name}", root.path);
    let pairs = namespaces.iter().flat_map(|ours| {
        namespaces
            .iter()
            .map(move |theirs| (full(root, ours), full(other, theirs)))
    });
    pairs.filter(|(ours, theirs)| nested(ours, theirs)).collect()
}

/// Whether one path is the other or lies below it, segment by segment; WordPress matches routes without
/// regard to ASCII case (backend.md section 6).
fn nested(one: &str, other: &str) -> bool {
    let mut pairs = one.split('/').zip(other.split('/'));
    pairs.all(|(one, other)| one.eq_ignore_ascii_case(other))
}

fn duplicates(key: &'static str, names: &[String], draft: &Draft, problems: &mut Problems) {
    for (index, name) in names.iter().enumerate() {
        if names
            .iter()
            .take(index)
            .any(|other| other.eq_ignore_ascii_case(name))
        {
            let reason = Impossible::Duplicate(name.clone());
            problems.add(draft.places.item(key, index), Finding::impossible(key, reason));
        }
    }
}

fn overlap(one: &ListenAddress, other: &ListenAddress) -> bool {
    let (Some(left), Some(right)) = (one.tcp(), other.tcp()) else {
        return one == other;
    };
    let same_family = left.is_ipv4() == right.is_ipv4();
    let everywhere = same_family && (left.ip().is_unspecified() || right.ip().is_unspecified());
    left.port() == right.port() && left.port() != 0 && (left.ip() == right.ip() || everywhere)
}

/// Whether a URL leads to a listener, as far as addresses tell without asking a name server.
fn is_at(url: &Url, listener: &ListenAddress) -> bool {
    let Some(listener) = listener.tcp() else {
        return false;
    };
    if url.port_or_known_default() != Some(listener.port()) {
        return false;
    }
    match url.host() {
        Some(Host::Ipv4(address)) => reaches(&listener, IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => reaches(&listener, IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            name == "localhost" && (listener.ip().is_loopback() || listener.ip().is_unspecified())
        }
        None => false,
    }
}

fn reaches(listener: &SocketAddr, address: IpAddr) -> bool {
    let everywhere = listener.ip().is_unspecified() && address.is_loopback();
    address == listener.ip() || everywhere
}
