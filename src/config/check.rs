//! Combinations of settings that contradict each other.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use calendar_edge_core::settings::{
    ConfigFinding, ConfigProblems, DialAddress, Draft, ListenAddress, OriginSettings, PatchPolicy, Root,
    listed_twice,
};
use calendar_edge_judge::contract::{Action, Operation};

/// Listeners have distinct addresses, and the origin is not one of them.
pub(super) fn listeners(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    let clients = settings.listen.iter().enumerate();
    let clients = clients.map(|(index, address)| ("listen", places.item("listen", index), address));
    let admin = settings.admin.listen.iter();
    let admin = admin.map(|address| ("admin.listen", places.of("admin.listen"), address));
    let mut seen: Vec<&ListenAddress> = Vec::new();
    for (key, place, address) in clients.chain(admin) {
        if seen.iter().any(|other| overlap(other, address)) {
            let reason = format!("another listener uses {address}");
            problems.add(place, ConfigFinding::impossible(key, reason));
        }
        seen.push(address);
    }
    let dialled = dialled(&settings.origin);
    let mut edges = settings.listen.iter();
    if let Some(edge) = edges.find(|edge| dialled.as_ref().is_some_and(|dialled| is_at(dialled, edge))) {
        let (key, address) = match &settings.origin.connect {
            Some(connect) => ("origin.connect", connect.to_string()),
            None => ("origin.url", settings.origin.url.to_string()),
        };
        let reason = format!("this URL leads to the edge's own listener {edge}");
        let help = format!("{address} must be the WordPress site, or `listen` another port");
        let finding = ConfigFinding::impossible(key, reason).help(Some(help));
        problems.add(places.of(key), finding);
    }
}

/// The directory that outlives a restart is one, if there is anything at its path.
pub(super) fn state_dir(draft: &Draft, problems: &mut ConfigProblems) {
    let file = draft.settings.state_dir.as_deref().filter(|path| path.is_file());
    if let Some(file) = file {
        let reason = format!("{} is a file: name a directory", file.display());
        problems.add(
            draft.places.of("state_dir"),
            ConfigFinding::impossible("state_dir", reason),
        );
    }
}

/// With https an address that is dialled for another host needs a name: there is none for an IP address in SNI.
pub(super) fn origin_name(draft: &Draft, problems: &mut ConfigProblems) {
    let origin = &draft.settings.origin;
    let (Some(dialled), Some(own)) = (dialled(origin), DialAddress::of(&origin.url)) else {
        return;
    };
    let named = origin.host.as_ref().map_or(&own.host, |host| &host.host);
    let is_name = matches!(named, Host::Domain(_));
    if origin.url.scheme() != "https" || is_name || *named == dialled.host {
        return;
    }
    let key = if origin.host.is_some() {
        "origin.host"
    } else {
        "origin.connect"
    };
    let reason = format!("with https the host must be a name, because connections go to {dialled}");
    let help = "set `origin.host` to a name in the certificate of the site";
    let finding = ConfigFinding::impossible(key, reason).help(Some(help.to_owned()));
    problems.add(draft.places.of(key), finding);
}

/// The address that connections to the origin are opened to.
fn dialled(origin: &OriginSettings) -> Option<DialAddress> {
    origin.connect.clone().or_else(|| DialAddress::of(&origin.url))
}

/// A TLS listener has a certificate and a key, and these have a TLS listener.
pub(super) fn tls(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    let client = settings.listen.iter().position(ListenAddress::has_tls);
    let admin = settings.admin.listen.as_ref().filter(|admin| admin.has_tls());
    let listener = client.map(|index| places.item("listen", index));
    let listener = listener.or_else(|| admin.map(|_| places.of("admin.listen")));
    for key in ["tls.certificate", "tls.key"] {
        match (listener, places.typed(key)) {
            (Some(listener), None) => {
                let finding = ConfigFinding::missing(key);
                problems.add(
                    listener,
                    finding.expected("a PEM file, because this listener uses TLS"),
                );
            }
            (None, Some(file)) => {
                let help = "write \"tls:\" before the address of a listener: listen = \"tls:0.0.0.0:8443\"";
                let finding = ConfigFinding::impossible(key, "no listener uses TLS");
                problems.add(file, finding.help(Some(help.to_owned())));
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
}

/// A required PROXY header needs proxies that send it.
pub(super) fn proxies(draft: &Draft, problems: &mut ConfigProblems) {
    let settings = &draft.settings;
    if settings.proxy_protocol && settings.trusted_proxies.is_empty() {
        let finding = ConfigFinding::impossible("proxy_protocol", "`trusted_proxies` is empty");
        let help =
            "every connection would be refused: list the proxies that send the header in `trusted_proxies`";
        let place = draft.places.of("proxy_protocol");
        problems.add(place, finding.help(Some(help.to_owned())));
    }
}

/// The filter of the log is one that the log understands.
pub(super) fn log_filter(draft: &Draft, problems: &mut ConfigProblems) {
    const KEY: &str = "log.filter";
    let is_filter = tracing_subscriber::EnvFilter::try_new(&draft.settings.log.filter).is_ok();
    if !is_filter && let Some(place) = draft.places.typed(KEY) {
        let finding = ConfigFinding::bad_value(KEY);
        let expected = "a log filter, like \"info\" or \"info,calendar_edge=debug\"";
        problems.add(place, finding.expected(expected));
    }
}

/// The public host is one of the hosts, and no name is listed twice.
pub(super) fn names(draft: &Draft, problems: &mut ConfigProblems) {
    let settings = &draft.settings;
    duplicates("hosts", &settings.hosts, draft, problems);
    duplicates("namespaces", &settings.namespaces, draft, problems);
    let public = settings.public_url.as_ref().and_then(Url::host_str);
    if let Some(public) = public
        && !settings.hosts.is_empty()
        && !settings.hosts.iter().any(|host| host == public)
    {
        let reason = format!("the list does not contain `{public}`, the host of `public_url`");
        let finding = ConfigFinding::impossible("hosts", reason);
        problems.add(draft.places.of("hosts"), finding);
    }
}

/// No public path fits two roots or two namespaces.
pub(super) fn paths(roots: &[(usize, Root)], draft: &Draft, problems: &mut ConfigProblems) {
    let namespaces = &draft.settings.namespaces;
    for (index, name) in namespaces.iter().enumerate() {
        let mut earlier = namespaces.iter().take(index);
        let clash = earlier.find(|other| nested(name, other));
        if let Some(other) = clash.filter(|other| !other.eq_ignore_ascii_case(name)) {
            let reason = format!("`{name}` and `{other}` match the same paths");
            let finding = ConfigFinding::impossible("namespaces", reason);
            problems.add(draft.places.item("namespaces", index), finding);
        }
    }
    for (position, (index, root)) in roots.iter().enumerate() {
        let earlier = roots.iter().take(position);
        let clash = earlier
            .flat_map(|(_, other)| clashes(root, other, namespaces))
            .next();
        if let Some((ours, theirs)) = clash {
            let reason = format!("`{ours}` and `{theirs}` match the same paths");
            let finding = ConfigFinding::impossible("roots.path", reason);
            problems.add(draft.places.table(*index).of("roots.path"), finding);
        }
    }
}

/// Extra parameters of an operation are not parameters of the API, and only updates have PATCH. `index` is the position
/// of its table.
pub(super) fn operation(operation: &Operation, index: usize, draft: &Draft, problems: &mut ConfigProblems) {
    const EXTRA: &str = "operations.extra_parameters";
    const PATCH: &str = "operations.patch";
    let Some(own) = draft.settings.operations.get(&operation.id) else {
        return;
    };
    let places = draft.places.table(index);
    for (index, name) in own.extra_parameters.iter().enumerate() {
        if operation.argument(name.as_bytes()).is_some() {
            let finding =
                ConfigFinding::impossible(EXTRA, format!("`{name}` is already a parameter of the API"));
            problems.add(places.item(EXTRA, index), finding);
        }
    }
    if own.patch == PatchPolicy::Merge && operation.id.action != Action::Update {
        let reason = format!(
            "`{}` is not an update, so no client sends it a PATCH",
            operation.name
        );
        let finding = ConfigFinding::impossible(PATCH, reason);
        problems.add(places.of(PATCH), finding);
    }
}

/// Pairs of full paths of two roots, where one path contains the other.
fn clashes(root: &Root, other: &Root, namespaces: &[String]) -> Vec<(String, String)> {
    let full = |root: &Root, name: &String| format!("{}/{name}", root.path);
    let pairs = namespaces.iter().flat_map(|ours| {
        namespaces
            .iter()
            .map(move |theirs| (full(root, ours), full(other, theirs)))
    });
    pairs.filter(|(ours, theirs)| nested(ours, theirs)).collect()
}

/// True if one path equals the other or contains it, segment by segment; WordPress ignores ASCII case in routes
/// (backend.md section 6).
fn nested(one: &str, other: &str) -> bool {
    let mut pairs = one.split('/').zip(other.split('/'));
    pairs.all(|(one, other)| one.eq_ignore_ascii_case(other))
}

fn duplicates(key: &'static str, names: &[String], draft: &Draft, problems: &mut ConfigProblems) {
    for (index, name) in names.iter().enumerate() {
        if names
            .iter()
            .take(index)
            .any(|other| other.eq_ignore_ascii_case(name))
        {
            problems.add(draft.places.item(key, index), listed_twice(key, name));
        }
    }
}

fn overlap(one: &ListenAddress, other: &ListenAddress) -> bool {
    if let (Some(name), Some(other)) = (one.passed(), other.passed()) {
        return name == other;
    }
    let (Some(left), Some(right)) = (one.tcp(), other.tcp()) else {
        return one == other;
    };
    let same_family = left.is_ipv4() == right.is_ipv4();
    let everywhere = same_family && (left.ip().is_unspecified() || right.ip().is_unspecified());
    left.port() == right.port() && left.port() != 0 && (left.ip() == right.ip() || everywhere)
}

/// True if an address leads to a listener, as far as it is known without DNS.
fn is_at(dialled: &DialAddress, listener: &ListenAddress) -> bool {
    let Some(listener) = listener.tcp() else {
        return false;
    };
    if dialled.port != listener.port() {
        return false;
    }
    match &dialled.host {
        Host::Ipv4(address) => reaches(&listener, IpAddr::V4(*address)),
        Host::Ipv6(address) => reaches(&listener, IpAddr::V6(*address)),
        Host::Domain(name) => {
            name == "localhost" && (listener.ip().is_loopback() || listener.ip().is_unspecified())
        }
    }
}

fn reaches(listener: &SocketAddr, address: IpAddr) -> bool {
    let everywhere = listener.ip().is_unspecified() && address.is_loopback();
    address == listener.ip() || everywhere
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::settings::OperationSettings;
    use calendar_edge_judge::contract::table;

    #[test]
    fn extra_parameters_are_not_declared() {
        let create = table().named("events.create").expect("an operation");
        for (name, count) in [("meta", 0), ("title", 1)] {
            let mut draft = Draft::default();
            let own = OperationSettings {
                extra_parameters: vec![name.to_owned()],
                ..OperationSettings::default()
            };
            draft.settings.operations.insert(create.id, own);
            let mut problems = ConfigProblems::default();
            operation(create, 0, &draft, &mut problems);
            assert_eq!(
                super::super::problem::ConfigError::of(problems, None)
                    .problems
                    .len(),
                count,
                "{name}"
            );
        }
    }
}
