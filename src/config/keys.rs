//! Every known key: the one table behind reading, the unknown-key check and the reference.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::draft::{Draft, OperationDraft, RootDraft};
use super::form;
use super::key::Store::{Choice, Count, Flag, List, OneOrList, Size, Text, Time};
use super::key::{Key, List as ListOf, Shown};
use super::listening::{self, ProxyProtocol};
use super::message_keys::ROOT_MESSAGES;
use super::protection_form;
use super::quantity::{show_duration, show_size};
use super::settings::{LogFormat, Mode, OtherTraffic, Profile, Writes};

/// A group of keys.
#[derive(Debug)]
pub(super) struct Section {
    /// The table's name; empty at the top of the file.
    pub(super) name: &'static str,
    /// How its table is written: `[origin]`, `[[roots]]`.
    pub(super) header: &'static str,
    /// What the group is about.
    pub(super) meaning: &'static str,
    /// Its keys.
    pub(super) keys: Keys,
}

/// The keys of a section, by what they write to.
#[derive(Debug)]
pub(super) enum Keys {
    /// A table that stands once.
    Once(&'static [Key<Draft>]),
    /// One table a root.
    Root(&'static [Key<RootDraft>]),
    /// One table an operation.
    Operation(&'static [Key<OperationDraft>]),
}

/// Every section in the order of the reference.
pub(super) static SECTIONS: [Section; 16] = [
    Section {
        name: "",
        header: "",
        meaning: "These keys stand at the top of the file, before the first table.",
        keys: Keys::Once(TOP),
    },
    Section {
        name: "origin",
        header: "[origin]",
        meaning: "The WordPress site behind the edge.",
        keys: Keys::Once(ORIGIN),
    },
    Section {
        name: "roots",
        header: "[[roots]]",
        meaning: "One table per REST root, usually one per language. Without any there is one root at `/wp-json`, \
                  which leads to `origin.url`.",
        keys: Keys::Root(ROOTS),
    },
    Section {
        name: "roots.messages",
        header: "[roots.messages]",
        meaning: "What the site behind the `[[roots]]` above says when WordPress refuses, so that refusals of the edge \
                  read the same. Copy each message from the site's language pack, `%s` and `%1$s` included; what is \
                  not there is English.",
        keys: Keys::Root(ROOT_MESSAGES),
    },
    Section {
        name: "operations",
        header: "[operations.\"events.create\"]",
        meaning: "Differences for one operation; `calendar-edge routes` prints the names.",
        keys: Keys::Operation(OPERATIONS),
    },
    Section {
        name: "admin",
        header: "[admin]",
        meaning: "The listener for operators: `/livez`, `/readyz`, `/metrics`, `/openapi.json`, `/routes`.",
        keys: Keys::Once(ADMIN),
    },
    Section {
        name: "tls",
        header: "[tls]",
        meaning: "What clients see at listeners written as `tls:…`: TLS 1.2 or newer, HTTP/2 or HTTP/1.1. Both files are \
                  looked at every second and read again when one has changed; a pair that does not fit is refused, \
                  and the old one stays.",
        keys: Keys::Once(TLS),
    },
    Section {
        name: "limits",
        header: "[limits]",
        meaning: "Sizes and counts; a breach is refused with the status in brackets.",
        keys: Keys::Once(LIMITS),
    },
    Section {
        name: "timeouts",
        header: "[timeouts]",
        meaning: "Deadlines, each for a whole phase and not for the gap between two bytes.",
        keys: Keys::Once(TIMEOUTS),
    },
    Section {
        name: "rate_limits",
        header: "[rate_limits]",
        meaning: "How often a visitor may call; beyond it 429 `edge_rate_limited` with `Retry-After`. Off unless set. A \
                  rate like `60/1m` lets 60 requests pass at once and then one each second. Every request to the \
                  calendar counts, a refused one too; preflights do not.",
        keys: Keys::Once(RATE_LIMITS),
    },
    Section {
        name: "rate_limits.address",
        header: "[rate_limits.address]",
        meaning: "For each client address; the addresses of one IPv6 network of 64 bits count together. Clients at a \
                  Unix socket have none and are not limited here.",
        keys: Keys::Once(ADDRESS_RATES),
    },
    Section {
        name: "rate_limits.credentials",
        header: "[rate_limits.credentials]",
        meaning: "For each `Authorization` or login cookie, besides the limits of the address.",
        keys: Keys::Once(CREDENTIALS_RATES),
    },
    Section {
        name: "breaker",
        header: "[breaker]",
        meaning: "Reads are kept from a site that is out of order: they get 503 `edge_origin_unavailable` at once, and \
                  the site can recover. Writes always pass. Each origin has a breaker of its own.",
        keys: Keys::Once(BREAKER),
    },
    Section {
        name: "http2",
        header: "[http2]",
        meaning: "What one HTTP/2 connection of a client may do.",
        keys: Keys::Once(HTTP2),
    },
    Section {
        name: "cors",
        header: "[cors]",
        meaning: "Cross-origin rules. Public reads are open to every web origin, without credentials.",
        keys: Keys::Once(CORS),
    },
    Section {
        name: "log",
        header: "[log]",
        meaning: "Logging, to standard error.",
        keys: Keys::Once(LOG),
    },
];

const MODES: [(&str, Mode); 3] = [
    ("enforce", Mode::Enforce),
    ("report", Mode::Report),
    ("off", Mode::Off),
];
const MODE_NAMES: &[&str] = &names(MODES);
const PROFILES: [(&str, Profile); 2] = [("compatible", Profile::Compatible), ("strict", Profile::Strict)];
const PROFILE_NAMES: &[&str] = &names(PROFILES);
const OTHERS: [(&str, OtherTraffic); 2] = [
    ("refuse", OtherTraffic::Refuse),
    ("forward", OtherTraffic::Forward),
];
const OTHER_NAMES: &[&str] = &names(OTHERS);
const WRITES: [(&str, Writes); 2] = [("credentials", Writes::Credentials), ("forward", Writes::Forward)];
const WRITES_NAMES: &[&str] = &names(WRITES);
const PROXY_PROTOCOLS: [(&str, ProxyProtocol); 2] =
    [("off", ProxyProtocol::Off), ("required", ProxyProtocol::Required)];
const PROXY_PROTOCOL_NAMES: &[&str] = &names(PROXY_PROTOCOLS);
const FORMATS: [(&str, LogFormat); 2] = [("json", LogFormat::Json), ("text", LogFormat::Text)];
const FORMAT_NAMES: &[&str] = &names(FORMATS);

const fn names<T: Copy, const N: usize>(choices: [(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = choices[index].0;
        index += 1;
    }
    names
}

fn name_of<T: PartialEq>(choices: &[(&'static str, T)], chosen: &T) -> String {
    let found = choices.iter().find(|(_, value)| value == chosen);
    found.map_or_else(String::new, |(name, _)| format!("\"{name}\""))
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn bytes(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

const fn seconds(range: RangeInclusive<u64>) -> RangeInclusive<Duration> {
    Duration::from_secs(*range.start())..=Duration::from_secs(*range.end())
}

const TOP: &[Key<Draft>] = &[
    Key {
        name: "listen",
        store: OneOrList(
            &listening::LISTEN,
            ListOf {
                least: 1,
                clear: |draft| draft.listen.clear(),
                push: |draft, text| listening::listen(text).map(|address| draft.listen.push(address)),
            },
        ),
        default: Shown::Of(|settings| {
            let shown = settings.listen.iter().map(|address| format!("\"{address}\""));
            shown.collect::<Vec<_>>().join(", ")
        }),
        meaning: "Where clients connect. Port 0 takes a free one. `tls:` before an address asks for TLS there; \
                  without it the edge expects a proxy in front that ends TLS.",
    },
    Key {
        name: "public_url",
        store: Text(&form::SITE, |draft, text| {
            form::site(text).map(|url| draft.public_url = Some(url))
        }),
        default: Shown::Words("none"),
        meaning: "How clients reach the edge: the addresses in answers begin with it. Set it in production; without \
                  it a loopback or address-literal `Host` is used, else the local address.",
    },
    Key {
        name: "hosts",
        store: List(
            &form::HOST,
            ListOf {
                least: 0,
                clear: |draft| draft.hosts.clear(),
                push: |draft, text| form::host(text).map(|host| draft.hosts.push(host)),
            },
        ),
        default: Shown::Words("any host"),
        meaning: "Host names the edge answers for, without ports; another one gets 421. The host of `public_url` \
                  must be among them.",
    },
    Key {
        name: "namespaces",
        store: List(
            &form::NAMESPACE,
            ListOf {
                least: 1,
                clear: |draft| draft.namespaces.clear(),
                push: |draft, text| form::namespace(text).map(|name| draft.namespaces.push(name)),
            },
        ),
        default: Shown::Of(|settings| format!("[\"{}\"]", settings.namespaces.join("\", \""))),
        meaning: "Public names of the API; the first one is used in answers. Add `tribe/events/v1` to keep existing \
                  clients working.",
    },
    Key {
        name: "mode",
        store: Choice(MODE_NAMES, |draft, index| draft.mode = MODES[index].1),
        default: Shown::Of(|settings| name_of(&MODES, &settings.mode)),
        meaning: "What happens to a request that breaks a rule: `enforce` refuses it, `report` logs and counts it and \
                  forwards it in canonical form, `off` does not judge arguments at all.",
    },
    Key {
        name: "profile",
        store: Choice(PROFILE_NAMES, |draft, index| draft.profile = PROFILES[index].1),
        default: Shown::Of(|settings| name_of(&PROFILES, &settings.profile)),
        meaning: "Which rules hold: those of WordPress, or the specification to the letter.",
    },
    Key {
        name: "other",
        store: Choice(OTHER_NAMES, |draft, index| draft.other = OTHERS[index].1),
        default: Shown::Of(|settings| name_of(&OTHERS, &settings.other)),
        meaning: "What happens to requests that are no calendar API calls: 404, or streamed to the site as they are, \
                  for an edge in front of the whole site.",
    },
    Key {
        name: "writes",
        store: Choice(WRITES_NAMES, |draft, index| draft.writes = WRITES[index].1),
        default: Shown::Of(|settings| name_of(&WRITES, &settings.writes)),
        meaning: "What happens to writes without any credentials: WordPress's 401 from the edge (`credentials`), or \
                  the site decides (`forward`).",
    },
    Key {
        name: "read_only",
        store: Flag(|draft, on| draft.read_only = on),
        default: Shown::Of(|settings| settings.read_only.to_string()),
        meaning: "Refuse every write with 403 `edge_read_only`.",
    },
    Key {
        name: "write_addresses",
        store: List(
            &form::NETWORK,
            ListOf {
                least: 0,
                clear: |draft| draft.write_addresses.clear(),
                push: |draft, text| form::network(text).map(|network| draft.write_addresses.push(network)),
            },
        ),
        default: Shown::Words("everyone"),
        meaning: "Client addresses that may write, as networks or addresses; others get 403 `edge_address_denied`, \
                  before a body is read. Clients at a Unix socket have no address.",
    },
    Key {
        name: "writers",
        store: List(
            &protection_form::ACCOUNT,
            ListOf {
                least: 0,
                clear: |draft| draft.writers.clear(),
                push: |draft, text| protection_form::account(text).map(|name| draft.writers.push(name)),
            },
        ),
        default: Shown::Words("whoever the site lets"),
        meaning: "Account names that may write, as Basic credentials name them; others get 403 `edge_writer_denied`. \
                  The plugin itself lets contributors change the events of others.",
    },
    Key {
        name: "authorization_schemes",
        store: List(
            &protection_form::SCHEME,
            ListOf {
                least: 0,
                clear: |draft| draft.authorization_schemes.clear(),
                push: |draft, text| {
                    protection_form::scheme(text).map(|name| draft.authorization_schemes.push(name))
                },
            },
        ),
        default: Shown::Of(|settings| format!("[\"{}\"]", settings.authorization_schemes.join("\", \""))),
        meaning: "Schemes of `Authorization` that the strict profile takes; others get 400 `edge_bad_authorization`. \
                  The compatible profile leaves them to the site, which reads what it does not know as anonymous.",
    },
    Key {
        name: "allow_author",
        store: Flag(|draft, on| draft.allow_author = Some(on)),
        default: Shown::Words("`true`, in the strict profile `false`"),
        meaning: "Whether writes may name the `author` of a record; if not, they get 403 `edge_author_denied`. The \
                  plugin lets everybody who may write name anybody.",
    },
    Key {
        name: "allow_jsonp",
        store: Flag(|draft, on| draft.allow_jsonp = on),
        default: Shown::Of(|settings| settings.allow_jsonp.to_string()),
        meaning: "Let `_jsonp` pass, which turns an answer into a script.",
    },
    Key {
        name: "image_hosts",
        store: List(
            &protection_form::IMAGE_HOST,
            ListOf {
                least: 0,
                clear: |draft| draft.image_hosts = Some(Vec::new()),
                push: |draft, text| {
                    let host = protection_form::image_host(text)?;
                    draft.image_hosts.get_or_insert_default().push(host);
                    Ok(())
                },
            },
        ),
        default: Shown::Words("the hosts of `public_url` and of `origin.advertised_url`, else `origin.url`"),
        meaning: "Hosts that an `image` may be a URL of; the site fetches it. `*.example.org` stands for all names \
                  below a host. Ports other than 80 and 443 must be named.",
    },
    Key {
        name: "trusted_proxies",
        store: List(
            &form::NETWORK,
            ListOf {
                least: 0,
                clear: |draft| draft.trusted_proxies.clear(),
                push: |draft, text| form::network(text).map(|network| draft.trusted_proxies.push(network)),
            },
        ),
        default: Shown::Words("nobody"),
        meaning: "Peers whose `X-Forwarded-*` headers are believed, as networks or addresses.",
    },
    Key {
        name: "proxy_protocol",
        store: Choice(PROXY_PROTOCOL_NAMES, |draft, index| {
            draft.proxy_protocol = PROXY_PROTOCOLS[index].1;
        }),
        default: Shown::Of(|settings| name_of(&PROXY_PROTOCOLS, &settings.proxy_protocol)),
        meaning: "Whether connections begin with a PROXY header (versions 1 and 2), before TLS where that is spoken. \
                  `required`: only `trusted_proxies` may connect, and the header names the client. Unix sockets and \
                  the admin listener take none.",
    },
];

const ORIGIN: &[Key<Draft>] = &[
    Key {
        name: "url",
        store: Text(&form::REST_ROOT, |draft, text| {
            form::rest_root(text).map(|url| draft.origin.url = Some(url))
        }),
        default: Shown::Words("required"),
        meaning: "The REST root of the site. `https://wp.example.org/` names it in the header \
                  `Link: …; rel=\"https://api.w.org/\"`.",
    },
    Key {
        name: "namespace",
        store: Text(&form::NAMESPACE, |draft, text| {
            form::namespace(text).map(|name| draft.origin.namespace = name)
        }),
        default: Shown::Of(|settings| format!("\"{}\"", settings.origin.namespace)),
        meaning: "What the plugin registers there; The Events Calendar registers `tribe/events/v1`.",
    },
    Key {
        name: "advertised_url",
        store: Text(&form::REST_ROOT, |draft, text| {
            form::rest_root(text).map(|url| draft.origin.advertised_url = Some(url))
        }),
        default: Shown::Words("learnt from the site's `Link` header"),
        meaning: "The REST root as the site prints it, where that differs from the address the edge dials.",
    },
    Key {
        name: "tunnel_delete",
        store: Flag(|draft, on| draft.origin.tunnel_delete = on),
        default: Shown::Of(|settings| settings.origin.tunnel_delete.to_string()),
        meaning: "Send DELETE as POST with `X-HTTP-Method-Override`, for hosts that block the verb.",
    },
    Key {
        name: "max_in_flight",
        store: Count(1..=10_000, |draft, count| draft.origin.max_in_flight = count),
        default: Shown::Of(|settings| settings.origin.max_in_flight.to_string()),
        meaning: "Exchanges at once with each origin (scheme, host and port of `origin.url` or `roots.origin_url`); at most \
                  the number of its PHP workers is best.",
    },
    Key {
        name: "max_waiting",
        store: Count(1..=100_000, |draft, count| draft.origin.max_waiting = Some(count)),
        default: Shown::Words("four times `max_in_flight`"),
        meaning: "Calls that wait for one of them, each for at most 0.8 s; further ones get 503 `edge_overloaded`.",
    },
    Key {
        name: "site_in_flight",
        store: Count(1..=100_000, |draft, count| {
            draft.origin.site_in_flight = Some(count);
        }),
        default: Shown::Words("eight times `max_in_flight`"),
        meaning: "Exchanges for the rest of the site at once (`other = \"forward\"`); most of them are files and need \
                  no PHP. Four times as many may wait.",
    },
];

const ROOTS: &[Key<RootDraft>] = &[
    Key {
        name: "path",
        store: Text(&form::PATH, |root, text| {
            form::path(text).map(|path| root.path = Some(path))
        }),
        default: Shown::Words("required"),
        meaning: "The public path of the root.",
    },
    Key {
        name: "language",
        store: Text(&form::LANGUAGE, |root, text| {
            form::language(text).map(|tag| root.language = Some(tag))
        }),
        default: Shown::Words("none"),
        meaning: "Language tag for logs, metrics and descriptions.",
    },
    Key {
        name: "origin_url",
        store: Text(&form::REST_ROOT, |root, text| {
            form::rest_root(text).map(|url| root.origin_url = Some(url))
        }),
        default: Shown::Words("`origin.url` for the root at `/wp-json` and for an only root; else required"),
        meaning: "This root's REST root at the site. It is not guessed for further roots: sites put languages into \
                  the path, the host or a parameter.",
    },
];

const OPERATIONS: &[Key<OperationDraft>] = &[
    Key {
        name: "mode",
        store: Choice(MODE_NAMES, |operation, index| {
            operation.settings.mode = Some(MODES[index].1);
        }),
        default: Shown::Words("the `mode` at the top"),
        meaning: "What happens to a call of this operation that breaks a rule.",
    },
    Key {
        name: "profile",
        store: Choice(PROFILE_NAMES, |operation, index| {
            operation.settings.profile = Some(PROFILES[index].1);
        }),
        default: Shown::Words("the `profile` at the top"),
        meaning: "Which rules hold for this operation.",
    },
    Key {
        name: "allow",
        store: Flag(|operation, on| operation.settings.deny = !on),
        default: Shown::Words("`true`"),
        meaning: "`false` answers every call with 403 `edge_operation_denied`.",
    },
    Key {
        name: "extra_parameters",
        store: List(
            &form::PARAMETER,
            ListOf {
                least: 0,
                clear: |operation| operation.settings.extra_parameters.clear(),
                push: |operation, text| {
                    let name = form::extra_parameter(operation.id, text)?;
                    operation.settings.extra_parameters.push(name);
                    Ok(())
                },
            },
        ),
        default: Shown::Words("none"),
        meaning: "Parameters beyond the API's own that are forwarded as they are, for other plugins.",
    },
];

const ADMIN: &[Key<Draft>] = &[Key {
    name: "listen",
    store: Text(&listening::LISTEN, |draft, text| {
        listening::listen(text).map(|address| draft.admin_listen = Some(address))
    }),
    default: Shown::Words("off"),
    meaning: "Where operators connect. It has no access control: keep it on loopback or a private network.",
}];

const TLS: &[Key<Draft>] = &[
    Key {
        name: "certificate",
        store: Text(&listening::FILE, |draft, text| {
            listening::file(text).map(|file| draft.tls.certificate = Some(file))
        }),
        default: Shown::Words("required by a `tls:` listener"),
        meaning: "PEM: the certificate, then its intermediates.",
    },
    Key {
        name: "key",
        store: Text(&listening::FILE, |draft, text| {
            listening::file(text).map(|file| draft.tls.key = Some(file))
        }),
        default: Shown::Words("required by a `tls:` listener"),
        meaning: "PEM: the private key of the certificate. Only the edge's user should be able to read it.",
    },
];

const LIMITS: &[Key<Draft>] = &[
    Key {
        name: "target_bytes",
        store: Size(256..=64 * KIB, |draft, count| {
            draft.limits.target_bytes = bytes(count);
        }),
        default: Shown::Of(|settings| shown_size(settings.limits.target_bytes)),
        meaning: "The request target, path and query (414).",
    },
    Key {
        name: "headers",
        store: Count(8..=1000, |draft, count| draft.limits.headers = count),
        default: Shown::Of(|settings| settings.limits.headers.to_string()),
        meaning: "Header fields of a request (431).",
    },
    Key {
        name: "header_bytes",
        store: Size(256..=MIB, |draft, count| draft.limits.header_bytes = bytes(count)),
        default: Shown::Of(|settings| shown_size(settings.limits.header_bytes)),
        meaning: "One header value (431).",
    },
    Key {
        name: "header_list_bytes",
        store: Size(KIB..=MIB, |draft, count| {
            draft.limits.header_list_bytes = bytes(count);
        }),
        default: Shown::Of(|settings| shown_size(settings.limits.header_list_bytes)),
        meaning: "All headers of a request together (431).",
    },
    Key {
        name: "query_pairs",
        store: Count(1..=10_000, |draft, count| draft.limits.query_pairs = count),
        default: Shown::Of(|settings| settings.limits.query_pairs.to_string()),
        meaning: "Pairs in a query (400).",
    },
    Key {
        name: "form_fields",
        store: Count(1..=10_000, |draft, count| draft.limits.form_fields = count),
        default: Shown::Of(|settings| settings.limits.form_fields.to_string()),
        meaning: "Fields of a form body (400). PHP cuts forms silently at its own `max_input_vars`.",
    },
    Key {
        name: "body_bytes",
        store: Size(KIB..=GIB, |draft, count| draft.limits.body_bytes = count),
        default: Shown::Of(|settings| show_size(settings.limits.body_bytes)),
        meaning: "A request body (413).",
    },
    Key {
        name: "body_pace",
        store: Size(0..=MIB, |draft, count| draft.limits.body_pace = count),
        default: Shown::Of(|settings| show_size(settings.limits.body_pace)),
        meaning: "What must come of a request body each second on average, after `timeouts.client_body_grace` (408); 0 \
                  for any pace.",
    },
    Key {
        name: "json_depth",
        store: Count(1..=512, |draft, count| draft.limits.json_depth = count),
        default: Shown::Of(|settings| settings.limits.json_depth.to_string()),
        meaning: "Nesting of a JSON body (400). WordPress itself stops at 512.",
    },
    Key {
        name: "answer_bytes",
        store: Size(KIB..=GIB, |draft, count| draft.limits.answer_bytes = count),
        default: Shown::Of(|settings| show_size(settings.limits.answer_bytes)),
        meaning: "An answer of the site (502).",
    },
    Key {
        name: "answer_buffer_bytes",
        store: Size(KIB..=64 * MIB, |draft, count| {
            draft.limits.answer_buffer_bytes = bytes(count);
        }),
        default: Shown::Of(|settings| shown_size(settings.limits.answer_buffer_bytes)),
        meaning: "Answers up to this size are held until complete, so that a broken one becomes a clean 502; larger \
                  ones stream.",
    },
    Key {
        name: "waiting_answer_bytes",
        store: Size(MIB..=64 * GIB, |draft, count| {
            draft.limits.waiting_answer_bytes = bytes(count);
        }),
        default: Shown::Of(|settings| shown_size(settings.limits.waiting_answer_bytes)),
        meaning: "What may wait in memory for slow clients, of all answers together. While it is more, answers above \
                  16 KiB are not held but stream, so that a broken one breaks off.",
    },
    Key {
        name: "answer_pace",
        store: Size(0..=MIB, |draft, count| draft.limits.answer_pace = count),
        default: Shown::Of(|settings| show_size(settings.limits.answer_pace)),
        meaning: "What a client must take of a waiting answer each second, or its connection is closed, its stream \
                  of HTTP/2 reset: so much gives back one second of `timeouts.client_write`. 0: a byte gives all of \
                  it back.",
    },
    Key {
        name: "connections",
        store: Count(1..=1_000_000, |draft, count| draft.limits.connections = count),
        default: Shown::Of(|settings| settings.limits.connections.to_string()),
        meaning: "Client connections at once; fewer where the process may not open that many files, which is then logged.",
    },
    Key {
        name: "connections_per_address",
        store: Count(0..=1_000_000, |draft, count| {
            draft.limits.connections_per_address = count;
        }),
        default: Shown::Of(|settings| settings.limits.connections_per_address.to_string()),
        meaning: "Client connections of one address at once, 0 for any number; further ones are closed unheard. The \
                  addresses of one IPv6 network of 64 bits count together, `trusted_proxies` do not count.",
    },
];

const TIMEOUTS: &[Key<Draft>] = &[
    Key {
        name: "client_head",
        store: Time(seconds(1..=300), |draft, time| draft.timeouts.client_head = time),
        default: Shown::Of(|settings| show_duration(settings.timeouts.client_head)),
        meaning: "The whole head of a request.",
    },
    Key {
        name: "client_body",
        store: Time(seconds(1..=3600), |draft, time| draft.timeouts.client_body = time),
        default: Shown::Of(|settings| show_duration(settings.timeouts.client_body)),
        meaning: "The whole body of a request (408).",
    },
    Key {
        name: "client_body_grace",
        store: Time(seconds(1..=3600), |draft, time| {
            draft.timeouts.client_body_grace = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.client_body_grace)),
        meaning: "How long the body of a request may pause, all pauses together, before `limits.body_pace` counts.",
    },
    Key {
        name: "client_write",
        store: Time(seconds(1..=3600), |draft, time| {
            draft.timeouts.client_write = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.client_write)),
        meaning: "How long a client may let an answer wait; what it takes gives time back, as `limits.answer_pace` says.",
    },
    Key {
        name: "client_idle",
        store: Time(seconds(1..=3600), |draft, time| draft.timeouts.client_idle = time),
        default: Shown::Of(|settings| show_duration(settings.timeouts.client_idle)),
        meaning: "A kept connection without a request.",
    },
    Key {
        name: "origin_connect",
        store: Time(MILLISECONDS_TO_A_MINUTE, |draft, time| {
            draft.timeouts.origin_connect = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.origin_connect)),
        meaning: "Connecting to the site, TLS included.",
    },
    Key {
        name: "origin_first_byte",
        store: Time(MILLISECONDS_TO_AN_HOUR, |draft, time| {
            draft.timeouts.origin_first_byte = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.origin_first_byte)),
        meaning: "From the request to the first byte of the site's answer, for reads.",
    },
    Key {
        name: "origin_read",
        store: Time(MILLISECONDS_TO_AN_HOUR, |draft, time| {
            draft.timeouts.origin_read = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.origin_read)),
        meaning: "A whole exchange with the site for a read.",
    },
    Key {
        name: "origin_write",
        store: Time(MILLISECONDS_TO_AN_HOUR, |draft, time| {
            draft.timeouts.origin_write = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.timeouts.origin_write)),
        meaning: "A whole exchange with the site for a write; it may fetch an image meanwhile.",
    },
    Key {
        name: "site",
        store: Time(MILLISECONDS_TO_AN_HOUR, |draft, time| draft.timeouts.site = time),
        default: Shown::Of(|settings| show_duration(settings.timeouts.site)),
        meaning: "For the rest of the site (`other = \"forward\"`): until its answer begins, an upload included, and as \
                  long again until it ends.",
    },
    Key {
        name: "drain",
        store: Time(seconds(0..=3600), |draft, time| draft.timeouts.drain = time),
        default: Shown::Of(|settings| show_duration(settings.timeouts.drain)),
        meaning: "How long running requests may finish after a stop signal. Idle connections are kept for the first \
                  second of it, so that a request on its way is still answered.",
    },
];

const MILLISECONDS_TO_A_MINUTE: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_mins(1);
const MILLISECONDS_TO_AN_HOUR: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_hours(1);

const RATE_LIMITS: &[Key<Draft>] = &[
    Key {
        name: "failed_logins",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.failed_logins = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "Logins that the site refuses (401), for each address and for each account name of Basic; beyond it \
                  requests with credentials are refused.",
    },
    Key {
        name: "tracked",
        store: Count(100..=10_000_000, |draft, count| draft.rate_limits.tracked = count),
        default: Shown::Of(|settings| settings.rate_limits.tracked.to_string()),
        meaning: "Most budgets that are remembered, some 30 bytes each; visitors beyond them share one.",
    },
];

const ADDRESS_RATES: &[Key<Draft>] = &[
    Key {
        name: "lists",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.address.lists = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "Lists, each a query over many records.",
    },
    Key {
        name: "items",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.address.items = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "Single records, the index, descriptions, and reads that lead nowhere.",
    },
    Key {
        name: "writes",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.address.writes = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "POST, PUT, PATCH and DELETE, wherever they lead.",
    },
];

const CREDENTIALS_RATES: &[Key<Draft>] = &[
    Key {
        name: "lists",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.credentials.lists = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "Lists, each a query over many records.",
    },
    Key {
        name: "items",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.credentials.items = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "Single records, the index, descriptions, and reads that lead nowhere.",
    },
    Key {
        name: "writes",
        store: Text(&protection_form::RATE, |draft, text| {
            protection_form::rate(text).map(|rate| draft.rate_limits.credentials.writes = Some(rate))
        }),
        default: Shown::Words("off"),
        meaning: "POST, PUT, PATCH and DELETE, wherever they lead.",
    },
];

const BREAKER: &[Key<Draft>] = &[
    Key {
        name: "failures",
        store: Count(0..=1000, |draft, count| draft.breaker.failures = count),
        default: Shown::Of(|settings| settings.breaker.failures.to_string()),
        meaning: "Reads in a row that must end in a failed connection, a timeout, a reset, or a page of maintenance or \
                  of a database error. 0 switches the breaker off.",
    },
    Key {
        name: "probe_interval",
        store: Time(MILLISECONDS_TO_A_MINUTE, |draft, time| {
            draft.breaker.probe_interval = time;
        }),
        default: Shown::Of(|settings| show_duration(settings.breaker.probe_interval)),
        meaning: "How often one read may try meanwhile; the first that gets an answer lets all others pass again.",
    },
];

const HTTP2: &[Key<Draft>] = &[
    Key {
        name: "streams",
        store: Count(1..=1000, |draft, count| draft.http2.streams = narrow(count)),
        default: Shown::Of(|settings| settings.http2.streams.to_string()),
        meaning: "Requests at once.",
    },
    Key {
        name: "header_list_bytes",
        store: Size(4 * KIB..=2 * MIB, |draft, count| {
            draft.http2.header_list_bytes = narrow(bytes(count));
        }),
        default: Shown::Of(|settings| show_size(settings.http2.header_list_bytes.into())),
        meaning: "A decoded head with its target, 32 bytes more for each field (431 without a body). Four times as \
                  many end the connection.",
    },
    Key {
        name: "frame_bytes",
        store: Size(16 * KIB..=MIB, |draft, count| {
            draft.http2.frame_bytes = narrow(bytes(count));
        }),
        default: Shown::Of(|settings| show_size(settings.http2.frame_bytes.into())),
        meaning: "One frame.",
    },
    Key {
        name: "stream_window_bytes",
        store: Size(16 * KIB..=64 * MIB, |draft, count| {
            draft.http2.stream_window_bytes = narrow(bytes(count));
        }),
        default: Shown::Of(|settings| show_size(settings.http2.stream_window_bytes.into())),
        meaning: "What may wait unread of one request body.",
    },
    Key {
        name: "connection_window_bytes",
        store: Size(64 * KIB..=256 * MIB, |draft, count| {
            draft.http2.connection_window_bytes = narrow(bytes(count));
        }),
        default: Shown::Of(|settings| show_size(settings.http2.connection_window_bytes.into())),
        meaning: "What may wait unread of all request bodies together.",
    },
    Key {
        name: "send_buffer_bytes",
        store: Size(16 * KIB..=16 * MIB, |draft, count| {
            draft.http2.send_buffer_bytes = bytes(count);
        }),
        default: Shown::Of(|settings| shown_size(settings.http2.send_buffer_bytes)),
        meaning: "What may wait of one answer for a slow client.",
    },
    Key {
        name: "pending_resets",
        store: Count(1..=1000, |draft, count| draft.http2.pending_resets = count),
        default: Shown::Of(|settings| settings.http2.pending_resets.to_string()),
        meaning: "Requests that are taken back before they were begun; more at once end the connection.",
    },
    Key {
        name: "provoked_resets",
        store: Count(1..=10_000, |draft, count| draft.http2.provoked_resets = count),
        default: Shown::Of(|settings| settings.http2.provoked_resets.to_string()),
        meaning: "Requests that break the protocol; more end the connection.",
    },
    Key {
        name: "ping_interval",
        store: Time(seconds(1..=3600), |draft, time| draft.http2.ping_interval = time),
        default: Shown::Of(|settings| show_duration(settings.http2.ping_interval)),
        meaning: "After how much silence the client is asked whether it is still there.",
    },
    Key {
        name: "ping_timeout",
        store: Time(seconds(1..=300), |draft, time| draft.http2.ping_timeout = time),
        default: Shown::Of(|settings| show_duration(settings.http2.ping_timeout)),
        meaning: "How long its reply may take before the connection is closed.",
    },
    Key {
        name: "resets_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.resets = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.resets.to_string()),
        meaning: "Requests taken back each second, ten seconds' worth at once. For this key and those below: every 64 bytes \
                  of answers that the client takes allow one more, and still more end the connection.",
    },
    Key {
        name: "settings_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.settings = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.settings.to_string()),
        meaning: "SETTINGS frames each second, ten seconds' worth at once.",
    },
    Key {
        name: "pings_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.pings = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.pings.to_string()),
        meaning: "PING frames each second, ten seconds' worth at once.",
    },
    Key {
        name: "window_updates_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.window_updates = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.window_updates.to_string()),
        meaning: "WINDOW_UPDATE frames each second, ten seconds' worth at once.",
    },
    Key {
        name: "small_data_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.small_data = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.small_data.to_string()),
        meaning: "DATA frames of less than 64 bytes before the end of a body, each second, ten seconds' worth at once.",
    },
    Key {
        name: "other_frames_per_second",
        store: Count(1..=1_000_000, |draft, count| {
            draft.http2.frames.others = narrow(count);
        }),
        default: Shown::Of(|settings| settings.http2.frames.others.to_string()),
        meaning: "PRIORITY frames and those without a meaning here, each second, ten seconds' worth at once.",
    },
];

/// A number of a protocol field that has 32 bits; the bounds of the keys are lower.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

const CORS: &[Key<Draft>] = &[
    Key {
        name: "credentialed_origins",
        store: List(
            &form::SITE,
            ListOf {
                least: 0,
                clear: |draft| draft.cors.credentialed_origins.clear(),
                push: |draft, text| {
                    form::web_origin(text).map(|origin| draft.cors.credentialed_origins.push(origin))
                },
            },
        ),
        default: Shown::Words("none"),
        meaning: "Web origins that may call with credentials; exact matches.",
    },
    Key {
        name: "max_age",
        store: Time(seconds(0..=86_400), |draft, time| draft.cors.max_age = time),
        default: Shown::Of(|settings| show_duration(settings.cors.max_age)),
        meaning: "How long a browser may keep a preflight answer; whole seconds.",
    },
];

const LOG: &[Key<Draft>] = &[
    Key {
        name: "format",
        store: Choice(FORMAT_NAMES, |draft, index| draft.log.format = FORMATS[index].1),
        default: Shown::Of(|settings| name_of(&FORMATS, &settings.log.format)),
        meaning: "One JSON object a line, or text for people.",
    },
    Key {
        name: "filter",
        store: Text(&form::FILTER, |draft, text| {
            form::filter(text).map(|filter| draft.log.filter = filter)
        }),
        default: Shown::Of(|settings| format!("\"{}\"", settings.log.filter)),
        meaning: "Which events are logged, as `tracing` filters are written.",
    },
];

fn shown_size(count: usize) -> String {
    show_size(u64::try_from(count).unwrap_or(u64::MAX))
}

// === impl Section ===

impl Section {
    /// The section whose table stands in this one's under a name: `[rate_limits.address]`.
    pub(super) fn below(&self, name: &str) -> Option<&'static Section> {
        SECTIONS.iter().find(|other| other.name_below(self) == Some(name))
    }

    /// The name of its table within another's.
    pub(super) fn name_below(&self, parent: &Section) -> Option<&'static str> {
        let name = self.name.strip_prefix(parent.name)?.strip_prefix('.')?;
        (!parent.name.is_empty()).then_some(name)
    }

    /// The names of its keys.
    pub(super) fn names(&self) -> Vec<&'static str> {
        match &self.keys {
            Keys::Once(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Root(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Operation(keys) => keys.iter().map(|key| key.name).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_key_stands_twice_in_a_section() {
        for section in &SECTIONS {
            let names = section.names();
            let distinct: HashSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{}", section.header);
        }
    }
}
