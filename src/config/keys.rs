//! Every known key: the one table behind reading, the unknown-key check and the reference.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::backend_keys::{BACKENDS, IGNORE};
use super::feed_keys::{FEED, WEBHOOKS};
use super::fleet_keys::FLEET;
use super::form;
use super::key::NumberField::{OptionalUsize, U64, Usize};
use super::key::ValueKind::{Choice, Count, Flag, List, OneOrList, OptionalFlag, Rate, Size, Text, Time};
use super::key::{KeyRow, ListStore};
use super::listening;
use super::message_keys::ROOT_MESSAGES;
use super::migration_keys::{self, CUTOVER, GUARD, SHADOW};
use super::protection_form;
use super::surface_keys::{SURFACE, SURFACE_DEFAULT};
use calendar_edge_core::settings::{
    AccessFormat, AdminSettings, CandidateSettings, CutoverRule, IgnoreRule, LogFormat, Mode,
    OperationSettings, OriginNamespace, OtherTraffic, PatchPolicy, Profile, ProxyProtocol, Root, Settings,
    ShadowRule, SurfaceRule, TlsSettings, UndeclaredParameters, WebhookSettings, Writes,
};

/// A group of keys.
#[derive(Debug)]
pub(super) struct Section {
    /// The table's name; empty at the top of the file.
    pub(super) name: &'static str,
    /// The heading of its table: `[origin]`, `[[roots]]`.
    pub(super) header: &'static str,
    /// The subject of the group.
    pub(super) meaning: &'static str,
    /// Its keys.
    pub(super) keys: Keys,
}

/// A key that writes to the settings.
pub(super) type SettingKey = KeyRow<Settings>;

/// A key that writes to a root.
type RootKey = KeyRow<Root>;

/// A key that writes to the settings of an operation.
type OperationKey = KeyRow<OperationSettings>;

/// The keys of a section, by the values that they write to.
#[derive(Debug)]
pub(super) enum Keys {
    /// A table that occurs once.
    Once(&'static [SettingKey]),
    /// One table per root.
    Root(&'static [RootKey]),
    /// One table per operation.
    Operation(&'static [OperationKey]),
    /// One table per backend, by its name.
    Backend(&'static [KeyRow<CandidateSettings>]),
    /// One table per rule.
    Ignore(&'static [KeyRow<IgnoreRule>]),
    /// One table per rule.
    Shadow(&'static [KeyRow<ShadowRule>]),
    /// One table per rule.
    Cutover(&'static [KeyRow<CutoverRule>]),
    /// One table per rule.
    Surface(&'static [KeyRow<SurfaceRule>]),
    /// One table per receiver.
    Webhook(&'static [KeyRow<WebhookSettings>]),
}

/// Every section in the order of the reference.
pub(super) static SECTIONS: [Section; 30] = [
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
        meaning: "One table per REST root, usually one per language. Without any table there is one root at \
                  `/wp-json`, which maps to `origin.url`.",
        keys: Keys::Root(ROOTS),
    },
    Section {
        name: "roots.messages",
        header: "[roots.messages]",
        meaning: "Error messages of the site behind the `[[roots]]` table above. The edge uses them when it \
                  refuses a request itself, so that its refusals read like those of the site. Copy each \
                  message from the site's language pack, including `%s` and `%1$s`. Messages that are not \
                  set are English.",
        keys: Keys::Root(ROOT_MESSAGES),
    },
    Section {
        name: "operations",
        header: "[operations.\"events.update\"]",
        meaning: "Settings that differ for one operation; `calendar-edge routes` prints the names.",
        keys: Keys::Operation(OPERATIONS),
    },
    Section {
        name: "backends",
        header: "[backends.next]",
        meaning: "A backend beside the site, by a name of up to 32 letters, digits, `-` and `_` other than \
                  `origin`. Each has its own connections, limits and breaker. Calls of clients reach it by \
                  `[[shadow]]` and `[[cutover]]`; `compare` asks it as well.",
        keys: Keys::Backend(BACKENDS),
    },
    Section {
        name: "compare",
        header: "[compare]",
        meaning: "Comparison of the answers of two backends, see [comparison.md](comparison.md).",
        keys: Keys::Once(&[]),
    },
    Section {
        name: "compare.ignore",
        header: "[[compare.ignore]]",
        meaning: "One table per difference that does not count.",
        keys: Keys::Ignore(IGNORE),
    },
    Section {
        name: "shadow",
        header: "[[shadow]]",
        meaning: "One table per rule that copies reads to a backend after the client's answer is on its way, and \
                  compares the two answers, see [migration.md](../guides/migration.md). Of several rules for one backend the first \
                  that is about an operation counts. Writes are never copied.",
        keys: Keys::Shadow(SHADOW),
    },
    Section {
        name: "cutover",
        header: "[[cutover]]",
        meaning: "One table per rule that lets a backend answer calls instead of the site, see \
                  [migration.md](../guides/migration.md). The first rule that is about a call and whose share has its client counts. \
                  Rules that would split the records of one kind between two stores are refused.",
        keys: Keys::Cutover(CUTOVER),
    },
    Section {
        name: "cutover.guard",
        header: "[cutover.guard]",
        meaning: "The guard of the `[[cutover]]` table above, also written `guard = { calls = 200 }`. When a limit is \
         exceeded, the site answers all calls at once, until `calendar-edge migration resume RULE`. Without this \
         table there is no guard.",
        keys: Keys::Cutover(GUARD),
    },
    Section {
        name: "admin",
        header: "[admin]",
        meaning: "The listener for operators: `/livez`, `/readyz`, `/metrics`, `/cache`, `/migration`, \
                  `/migration/report`, `/status`, `/readings`, `/runbook`, `/openapi.json`, `/routes`; for this machine and \
                  with the token only `/config`, `/indexes`, `/log`, `/record`, `/schemas`, and `/clients`, `/refusals` and `/findings`, which tell \
                  of clients.",
        keys: Keys::Once(ADMIN),
    },
    Section {
        name: "tls",
        header: "[tls]",
        meaning: "Certificate and key of `tls:` listeners, which accept TLS 1.2 or newer with HTTP/2 or \
                  HTTP/1.1. The edge checks both files every second and reloads them after a change. If \
                  certificate and key do not match, it keeps the old pair.",
        keys: Keys::Once(TLS),
    },
    Section {
        name: "limits",
        header: "[limits]",
        meaning: "Limits on sizes, counts and rates. A request that violates one is refused with the status \
                  in brackets.",
        keys: Keys::Once(LIMITS),
    },
    Section {
        name: "timeouts",
        header: "[timeouts]",
        meaning: "Each timeout covers a whole phase, not the gap between two bytes.",
        keys: Keys::Once(TIMEOUTS),
    },
    Section {
        name: "rate_limits",
        header: "[rate_limits]",
        meaning: "Maximum request rates per client; a request above the rate gets 429 `edge_rate_limited` \
                  with `Retry-After`. All rates are off unless set. A rate of `60/1m` admits a burst of 60 \
                  requests, then one request per second. Every request to the calendar counts, including \
                  refused ones; CORS preflights do not count. The edges of a `[fleet]` have one rate together: \
                  `RateLimit` shows what this one knows, so that the number may jump by calls at others.",
        keys: Keys::Once(RATE_LIMITS),
    },
    Section {
        name: "rate_limits.address",
        header: "[rate_limits.address]",
        meaning: "Rates per client address. All addresses of an IPv6 /64 network share one rate. Clients of \
                  a Unix socket have no address and are not limited here.",
        keys: Keys::Once(ADDRESS_RATES),
    },
    Section {
        name: "rate_limits.credentials",
        header: "[rate_limits.credentials]",
        meaning: "Rates per account, in addition to the rates of the address. The account is the name in Basic \
                  credentials and in login cookies, whatever the case and the password; a request is charged \
                  to each account that it names. All names with characters other than ASCII letters, digits, \
                  `.`, `_`, `@`, `-` and blanks share one rate, and so do requests with more than four \
                  accounts. A name and the e-mail address of its account count as two. Other tokens, such as \
                  Bearer, have a rate per token and client address. As with `failed_logins`, Basic \
                  credentials must be exact.",
        keys: Keys::Once(CREDENTIALS_RATES),
    },
    Section {
        name: "breaker",
        header: "[breaker]",
        meaning: "The circuit breaker. While the site fails, reads get 503 `edge_origin_unavailable` at \
                  once, so that the site can recover. Writes always pass. Each origin has its own breaker.",
        keys: Keys::Once(BREAKER),
    },
    Section {
        name: "cache",
        header: "[cache]",
        meaning: "The cache of answers to anonymous reads. Calls with credentials, cookies of a login, a nonce or a \
                  password pass it by, and so does every call that was not judged (`mode`). A write through the edge \
                  removes what it may have changed before its answer leaves.",
        keys: Keys::Once(CACHE),
    },
    Section {
        name: "feed",
        header: "[feed]",
        meaning: "The feed of changes: what became of records since a token, see [feed.md](../guides/feed.md).",
        keys: Keys::Once(FEED),
    },
    Section {
        name: "webhooks",
        header: "[[webhooks]]",
        meaning: "One table per receiver that the changes of the feed are posted to, see [feed.md](../guides/feed.md). Each \
                  edge with this table posts: in a `[fleet]` give it to one of them.",
        keys: Keys::Webhook(WEBHOOKS),
    },
    Section {
        name: "fleet",
        header: "[fleet]",
        meaning: "Several edges that act as one through a store, see [decision 0057](../decisions/0057-fleet.md). Without this table there is one edge. No request fails because of the store: while an edge cannot reach it, that edge acts alone.",
        keys: Keys::Once(FLEET),
    },
    Section {
        name: "cors",
        header: "[cors]",
        meaning: "Cross-origin rules. Every web origin may read public data without credentials, except in \
                  the strict profile.",
        keys: Keys::Once(CORS),
    },
    Section {
        name: "compression",
        header: "[compression]",
        meaning: "Compressed responses: gzip, brotli and zstd by `Accept-Encoding`, for JSON, JavaScript and text of \
                  1 KiB or more. Responses of the rest of the site leave as the site sent them.",
        keys: Keys::Once(COMPRESSION),
    },
    Section {
        name: "forms",
        header: "[forms]",
        meaning: "Forms of events beside JSON, for clients that name them in `Accept`. WordPress knows none of them: it \
                  answers in JSON whatever a client accepts, and so does the edge unless a form is switched on.",
        keys: Keys::Once(FORMS),
    },
    Section {
        name: "surface",
        header: "[[surface]]",
        meaning: "One table per rule about the rest of the site: who may call routes, scripts and pages, and how often. \
                  Only with `other = \"forward\"`. The first rule that takes a request counts; a request that no rule takes passes. A rule \
                  does not apply to the calendar API.",
        keys: Keys::Surface(SURFACE),
    },
    Section {
        name: "surface_default",
        header: "[surface_default]",
        meaning: "The rule for REST namespaces that nothing else names, such as those of plugins that are installed later.",
        keys: Keys::Once(SURFACE_DEFAULT),
    },
    Section {
        name: "log",
        header: "[log]",
        meaning: "Logging, to standard error.",
        keys: Keys::Once(LOG),
    },
    Section {
        name: "traces",
        header: "[traces]",
        meaning: "Spans of requests, sent to a collector of OpenTelemetry as OTLP over HTTP. Off without `endpoint`; then requests \
                  still carry their trace to the site. Changes need no restart.",
        keys: Keys::Once(TRACES),
    },
];

pub(super) const MODES: [(&str, Mode); 3] = [
    ("enforce", Mode::Enforce),
    ("report", Mode::Report),
    ("off", Mode::Off),
];
pub(super) const MODE_NAMES: &[&str] = &names(MODES);
const PROFILES: [(&str, Profile); 2] = [("compatible", Profile::Compatible), ("strict", Profile::Strict)];
const PROFILE_NAMES: &[&str] = &names(PROFILES);
const OTHERS: [(&str, OtherTraffic); 2] = [
    ("refuse", OtherTraffic::Refuse),
    ("forward", OtherTraffic::Forward),
];
const OTHER_NAMES: &[&str] = &names(OTHERS);
const UNDECLARED: [(&str, UndeclaredParameters); 3] = [
    ("forward", UndeclaredParameters::Forward),
    ("drop", UndeclaredParameters::Drop),
    ("refuse", UndeclaredParameters::Refuse),
];
const UNDECLARED_NAMES: &[&str] = &names(UNDECLARED);
const WRITES: [(&str, Writes); 2] = [("credentials", Writes::Credentials), ("forward", Writes::Forward)];
const WRITES_NAMES: &[&str] = &names(WRITES);
const PROXY_PROTOCOLS: [(&str, ProxyProtocol); 2] =
    [("off", ProxyProtocol::Off), ("required", ProxyProtocol::Required)];
const PROXY_PROTOCOL_NAMES: &[&str] = &names(PROXY_PROTOCOLS);
const FORMATS: [(&str, LogFormat); 3] = [
    ("auto", LogFormat::Auto),
    ("json", LogFormat::Json),
    ("text", LogFormat::Text),
];
const FORMAT_NAMES: &[&str] = &names(FORMATS);
const ACCESS: [(&str, AccessFormat); 2] = [("log", AccessFormat::Log), ("combined", AccessFormat::Combined)];
const ACCESS_NAMES: &[&str] = &names(ACCESS);

pub(super) const fn names<T: Copy, const N: usize>(choices: [(&'static str, T); N]) -> [&'static str; N] {
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
pub(super) const GIB: u64 = 1 << 30;

const fn seconds(range: RangeInclusive<u64>) -> RangeInclusive<Duration> {
    Duration::from_secs(*range.start())..=Duration::from_secs(*range.end())
}

const TEN_MILLIS_TO_AN_HOUR: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_hours(1);

const TOP: &[SettingKey] = &[
    SettingKey::new(
        "listen",
        OneOrList(
            &listening::LISTEN,
            ListStore::not_empty(
                |settings| settings.listen.clear(),
                |settings, text| listening::listen(text).map(|item| settings.listen.push(item)),
            ),
        ),
        "Address or addresses that clients connect to. Port 0 selects a free port. A listener with `tls:` \
         before its address terminates TLS; other listeners expect plain HTTP, for example from a proxy that \
         terminates TLS. `systemd:NAME` takes all sockets that systemd passes under this name: \
         `FileDescriptorName=` in the socket unit, or else the name of that unit.",
    )
    .shown(|settings| {
        let shown = settings.listen.iter().map(|address| format!("\"{address}\""));
        shown.collect::<Vec<_>>().join(", ")
    }),
    SettingKey::new(
        "state_dir",
        Text(&listening::DIRECTORY, |settings, text| {
            listening::file(text).map(|value| settings.state_dir = Some(value))
        }),
        "The directory of what must outlive a restart: which rules of `[[cutover]]` a guard has stopped, the steps \
         that they are on, the key by which clients belong to shares, the differences that were found, and what the indexes of the site said. The edge \
         creates it.",
    )
    .unset("nothing outlives a restart"),
    SettingKey::new(
        "public_url",
        Text(&form::SITE, |settings, text| {
            form::site(text).map(|value| settings.public_url = Some(value))
        }),
        "Scheme and host that clients use. URLs in responses begin with it. Set it in production: without \
         it, the edge uses the `Host` header if that is a loopback name or an IP address, else its local \
         address.",
    )
    .unset("none"),
    SettingKey::new(
        "hosts",
        List(
            &form::HOST,
            ListStore::new(
                |settings| settings.hosts.clear(),
                |settings, text| form::host(text).map(|item| settings.hosts.push(item)),
            ),
        ),
        "Host names that the edge serves, without ports. A request for another host gets 421. The list must \
         contain the host of `public_url`.",
    )
    .unset("any host"),
    SettingKey::new(
        "namespaces",
        OneOrList(
            &form::NAMESPACE,
            ListStore::not_empty(
                |settings| settings.namespaces.clear(),
                |settings, text| form::namespace(text).map(|item| settings.namespaces.push(item)),
            ),
        ),
        "Public namespaces of the API. URLs in a response use the namespace of the request, headers of pages the \
         first one here. `origin.namespace` is public as well, unless `origin.publish_namespace` is false.",
    )
    .shown(|settings| format!("[\"{}\"]", settings.namespaces.join("\", \""))),
    SettingKey::new(
        "mode",
        Choice(MODE_NAMES, |settings, index| settings.mode = MODES[index].1),
        "How the edge treats a request that breaks a rule: `enforce` refuses it, `report` logs it, counts it \
         and forwards it in canonical form, `off` forwards it in canonical form without checking its \
         arguments.",
    )
    .shown(|settings| name_of(&MODES, &settings.mode)),
    SettingKey::new(
        "profile",
        Choice(PROFILE_NAMES, |settings, index| {
            settings.profile = PROFILES[index].1;
        }),
        "The rules that apply: `compatible` accepts what WordPress accepts, `strict` only what the \
         specification allows.",
    )
    .shown(|settings| name_of(&PROFILES, &settings.profile)),
    SettingKey::new(
        "undeclared",
        Choice(UNDECLARED_NAMES, |settings, index| {
            settings.undeclared = Some(UNDECLARED[index].1);
        }),
        "How the edge treats parameters that neither the API nor the site's index declares: `forward` sends them \
         to the site as they came, `drop` leaves them out, `refuse` answers 400. In mode `report` they are \
         forwarded, counted, and logged by name.",
    )
    .unset("`drop` in the compatible profile, `refuse` in the strict one"),
    SettingKey::new(
        "extra_parameters",
        List(
            &form::PARAMETER,
            ListStore::new(
                |settings| settings.extra_parameters.clear(),
                |settings, text| {
                    form::extra_parameter(text).map(|item| settings.extra_parameters.push(item))
                },
            ),
        ),
        "Parameters outside of the API, for example of other plugins, that are forwarded unchanged with every \
         operation.",
    )
    .unset("none"),
    SettingKey::new(
        "repair",
        Flag(|settings| &mut settings.repair),
        "Convert venues and organizers of an event that the plugin refuses to a form that it accepts: a venue \
         list with one element, an organizer record outside of a list, a text list of organizers. With `false` \
         the site answers such events as it does without the edge.",
    ),
    SettingKey::new(
        "other",
        Choice(OTHER_NAMES, |settings, index| settings.other = OTHERS[index].1),
        "How the edge treats requests outside of the calendar API: `refuse` answers 404, `forward` streams \
         them to the site unchanged, for an edge in front of the whole site.",
    )
    .shown(|settings| name_of(&OTHERS, &settings.other)),
    SettingKey::new(
        "writes",
        Choice(WRITES_NAMES, |settings, index| settings.writes = WRITES[index].1),
        "How the edge treats writes without credentials: `credentials` answers WordPress's 401, `forward` \
         leaves the refusal to the site.",
    )
    .shown(|settings| name_of(&WRITES, &settings.writes)),
    SettingKey::new(
        "read_only",
        Flag(|settings| &mut settings.read_only),
        "Refuse every write with 403 `edge_read_only`.",
    ),
    SettingKey::new(
        "write_addresses",
        List(
            &form::NETWORK,
            ListStore::new(
                |settings| settings.write_addresses.clear(),
                |settings, text| form::network(text).map(|item| settings.write_addresses.push(item)),
            ),
        ),
        "Client networks or addresses that may write. Others get 403 `edge_address_denied` before the edge \
         reads a body. Clients of a Unix socket have no address and may not write if this list is set.",
    )
    .unset("any address"),
    SettingKey::new(
        "writers",
        List(
            &protection_form::ACCOUNT,
            ListStore::new(
                |settings| settings.writers.clear(),
                |settings, text| protection_form::account(text).map(|item| settings.writers.push(item)),
            ),
        ),
        "Accounts that may write, by the user name in their Basic credentials. Others get 403 \
         `edge_writer_denied`, and Basic credentials that are not exactly one blank and the base64 of \
         `name:password` 400 `edge_bad_authorization`. Without this list the plugin lets even contributors change the events of \
         others.",
    )
    .unset("every account that the site allows"),
    SettingKey::new(
        "allow_author",
        OptionalFlag(|settings| &mut settings.allow_author),
        "Whether writes may set the `author` of a record; if not, they get 403 `edge_author_denied`. The \
         plugin lets every account that may write name any author.",
    )
    .unset("`true`; in the strict profile `false`"),
    SettingKey::new(
        "allow_jsonp",
        Flag(|settings| &mut settings.allow_jsonp),
        "Forward `_jsonp`, which turns a response into a script.",
    ),
    SettingKey::new(
        "image_hosts",
        List(
            &protection_form::IMAGE_HOST,
            ListStore::new(
                |settings| settings.image_hosts = Some(Vec::new()),
                |settings, text| {
                    let host = protection_form::image_host(text)?;
                    settings.image_hosts.get_or_insert_default().push(host);
                    Ok(())
                },
            ),
        ),
        "Hosts that the URL of an `image` may name; the site fetches that URL. `*.example.org` matches every \
         name below `example.org`. A port other than 80 or 443 must be listed.",
    )
    .unset("the hosts of `public_url` and of `origin.advertised_url`, else `origin.url`"),
    SettingKey::new(
        "trusted_proxies",
        List(
            &form::NETWORK,
            ListStore::new(
                |settings| settings.trusted_proxies.clear(),
                |settings, text| form::network(text).map(|item| settings.trusted_proxies.push(item)),
            ),
        ),
        "Networks or addresses of proxies whose `X-Forwarded-*` headers are trusted.",
    )
    .unset("none"),
    SettingKey::new(
        "proxy_protocol",
        Choice(PROXY_PROTOCOL_NAMES, |settings, index| {
            settings.proxy_protocol = PROXY_PROTOCOLS[index].1;
        }),
        "Whether TCP connections begin with a PROXY protocol header (version 1 or 2), before TLS. \
         `required`: only `trusted_proxies` may connect, and the header names the client. Unix sockets and \
         the admin listener never expect the header.",
    )
    .shown(|settings| name_of(&PROXY_PROTOCOLS, &settings.proxy_protocol)),
];

const ORIGIN: &[SettingKey] = &[
    SettingKey::new(
        "url",
        Text(&form::REST_ROOT, |settings, text| {
            form::rest_root(text).map(|value| settings.origin.url = value)
        }),
        "The REST root of the site. The site prints it in the `Link` header of its pages, with \
         `rel=\"https://api.w.org/\"`.",
    )
    .unset("required"),
    SettingKey::new(
        "host",
        Text(&form::ORIGIN_HOST, |settings, text| {
            form::origin_host(text).map(|value| settings.origin.host = Some(value))
        }),
        "The `Host` header of requests to `origin.url`. With https it is also the name in SNI and in the \
         certificate.",
    )
    .unset(
        "the host of `origin.url`; for requests outside of the calendar (`other = \"forward\"`) the host of \
         `public_url`, if it is set",
    ),
    SettingKey::new(
        "connect",
        Text(&form::DIAL_ADDRESS, |settings, text| {
            form::dial_address(text).map(|value| settings.origin.connect = Some(value))
        }),
        "The address that connections for `origin.url` are opened to. Only the connection changes: the URL, the \
         `Host` header and the name in the certificate stay.",
    )
    .unset("host and port of `origin.url`"),
    SettingKey::new(
        "ca_file",
        Text(&listening::CA_FILE, |settings, text| {
            listening::file(text).map(|value| settings.origin.ca_file = Some(value))
        }),
        "A file with certificates of authorities (PEM), which are trusted for the site besides those of the system. A reload \
         reads the file again.",
    )
    .unset("those of the system alone"),
    SettingKey::new(
        "basic_auth_file",
        Text(&listening::BASIC_AUTH_FILE, |settings, text| {
            listening::file(text).map(|value| settings.origin.basic_auth_file = Some(value))
        }),
        "A file with one line, `name:password`: Basic credentials that the web server of the site asks everybody for, as \
         before a staging site. They are sent to the host of `origin.url` with the edge's own questions, and with each request \
         that has no `Authorization` of its own; then whoever reaches the edge passes the web server. A request keeps its own \
         `Authorization`, because a request has only one: with application passwords of WordPress, exempt the edge's address \
         at the web server instead. The name must be no account of WordPress, or every visitor would be that account; \
         `check` asks. A reload reads the file again.",
    )
    .unset("no credentials"),
    SettingKey::new(
        "secret_file",
        Text(&listening::SECRET_FILE, |settings, text| {
            listening::file(text).map(|value| settings.origin.secret_file = Some(value))
        }),
        "A file with the secret that the companion plugin of the site shares, of at least 32 bytes. With it every \
         calendar request carries a mark, without which the plugin refuses the request. A reload reads the file again.",
    )
    .unset("no marks"),
    SettingKey::new(
        "namespace",
        Text(&form::NAMESPACE, |settings, text| {
            form::namespace(text).map(|value| settings.origin.namespace = OriginNamespace::set(value))
        }),
        "The namespace that the plugin registers at the site; The Events Calendar registers \
         `tribe/events/v1`.",
    )
    .unset("what the site lists; calls wait for it, and if it lists none, `tribe/events/v1`"),
    SettingKey::new(
        "publish_namespace",
        Flag(|settings| &mut settings.origin.publish_namespace),
        "Clients may use `namespace` as well as the top-level `namespaces`. A request is answered in the namespace \
         that it names.",
    ),
    SettingKey::new(
        "advertised_url",
        Text(&form::REST_ROOT, |settings, text| {
            form::rest_root(text).map(|value| settings.origin.advertised_url = Some(value))
        }),
        "The REST root that the site prints in its responses, if it differs from `url`.",
    )
    .unset("learnt from the site's `Link` header"),
    SettingKey::new(
        "read_index",
        Flag(|settings| &mut settings.origin.read_index),
        "Read the index of each root at start, on reload and at intervals, without credentials. Arguments that the \
         site does not publish are not judged; those that only the site has are forwarded. Until the site answers, what \
         its index may contradict is left to it. With `false` the edge judges by its own table and by `index_file`.",
    ),
    SettingKey::new(
        "tunnel_delete",
        Flag(|settings| &mut settings.origin.tunnel_delete),
        "Send DELETE as POST with `X-HTTP-Method-Override: DELETE`, for hosts that block the method.",
    ),
    SettingKey::new(
        "reuse_for_writes",
        Time(seconds(0..=60), |settings| &mut settings.origin.reuse_for_writes),
        "A write may use a connection that another write has left no longer ago than this. With `\"0s\"` each write \
         opens one, so that none is lost because the site closes its connection at the same moment, as when its web \
         server is reloaded. A lost write is answered with 502 and never sent again. Choose less than the site's \
         keep-alive time, where many writes follow each other and connections are expensive.",
    ),
    SettingKey::new(
        "max_in_flight",
        Count(1..=10_000, |settings| Usize(&mut settings.origin.max_in_flight)),
        "Maximum number of concurrent calls to each origin (scheme, host and port of `origin.url` or \
         `roots.origin_url`). Use at most the number of its PHP workers. The edges of a `[fleet]` divide it by \
         demand, and together exceed it by one call each at most.",
    ),
    SettingKey::new(
        "max_pending",
        Count(1..=100_000, |settings| Usize(&mut settings.origin.max_pending)),
        "Maximum number of calls that wait for one of these, each for at most 5 s. Further calls get \
         503 `edge_overloaded`, reads without credentials first: in a full queue, writes and calls with credentials \
         take their places, and while overload lasts no further ones may wait. Choose the number that the site answers \
         in that time: 8 workers answer 267 calls of 0.15 s in 5 s. For a faster site it may be as many as \
         clients ask at once: of 1000 different reads at one moment, 256 places refuse some 700, however fast the site \
         is, and 1000 places none.",
    ),
    SettingKey::new(
        "site_in_flight",
        Count(1..=100_000, |settings| {
            OptionalUsize(&mut settings.origin.site_in_flight)
        }),
        "Maximum number of concurrent requests for the rest of the site (`other = \"forward\"`). Most of \
         them are files and need no PHP worker. Four times as many may wait. As many uploads may run beside \
         them; while others wait, slow ones give way.",
    )
    .unset("eight times `max_in_flight`"),
];

const ROOTS: &[RootKey] = &[
    RootKey::new(
        "path",
        Text(&form::PATH, |root, text| {
            form::path(text).map(|value| root.path = value)
        }),
        "The public path of the root.",
    )
    .unset("required"),
    RootKey::new(
        "language",
        Text(&form::LANGUAGE, |root, text| {
            form::language(text).map(|value| root.language = Some(value))
        }),
        "Language tag for logs, metrics and descriptions.",
    )
    .unset("none"),
    RootKey::new(
        "origin_url",
        Text(&form::REST_ROOT, |root, text| {
            form::rest_root(text).map(|value| root.origin_url = value)
        }),
        "The REST root at the site that this root maps to. The edge cannot derive it for further roots: \
         sites put the language into the path, the host or a parameter.",
    )
    .unset("`origin.url` for the root at `/wp-json` and for an only root; else required"),
];

const OPERATIONS: &[OperationKey] = &[
    OperationKey::new(
        "mode",
        Choice(MODE_NAMES, |operation, index| {
            operation.mode = Some(MODES[index].1);
        }),
        "How the edge treats a call of this operation that breaks a rule.",
    )
    .unset("the `mode` at the top"),
    OperationKey::new(
        "profile",
        Choice(PROFILE_NAMES, |operation, index| {
            operation.profile = Some(PROFILES[index].1);
        }),
        "The rules that apply to this operation.",
    )
    .unset("the `profile` at the top"),
    OperationKey::new(
        "allow",
        Flag(|operation| &mut operation.allow),
        "`false` refuses every call with 403 `edge_operation_denied`.",
    ),
    OperationKey::new(
        "cache",
        Flag(|operation| &mut operation.cache),
        "`false` keeps no answer of this operation.",
    ),
    OperationKey::new(
        "patch",
        Choice(&["forward", "merge"], |operation, index| {
            operation.patch = match index {
                0 => PatchPolicy::Forward,
                _ => PatchPolicy::Merge,
            };
        }),
        "For updates: `forward` makes PATCH an update of WordPress, which resets much of what is not sent. `merge` keeps \
         it: the edge reads the record, adds what would be reset, and writes if the record has not changed, see \
         [patch.md](patch.md).",
    )
    .value("\"forward\""),
    OperationKey::new(
        "extra_parameters",
        List(
            &form::PARAMETER,
            ListStore::new(
                |operation| operation.extra_parameters.clear(),
                |operation, text| {
                    form::extra_parameter(text).map(|item| operation.extra_parameters.push(item))
                },
            ),
        ),
        "Parameters outside of the API, for example of other plugins, that are forwarded unchanged.",
    )
    .unset("none"),
];

const ADMIN: &[SettingKey] = &[
    SettingKey::new(
        "listen",
        Text(&listening::LISTEN, |settings, text| {
            listening::listen(text).map(|listen| settings.admin = Some(AdminSettings { listen }))
        }),
        "Address that operators connect to. Bind it to loopback or to a private network.",
    )
    .unset("off"),
    SettingKey::new(
        "token_file",
        Text(&listening::TOKEN_FILE, |settings, text| {
            listening::file(text).map(|file| settings.admin_access.token_file = Some(file))
        }),
        "File with a token of at least 32 bytes. Operators on other machines then need `Authorization: Bearer …` for \
         everything but `/livez` and `/readyz`, and may do with it what operators on this machine may. Without it they \
         see nothing of the configuration and of single requests, and change nothing.",
    )
    .unset("none"),
];

const TLS: &[SettingKey] = &[
    SettingKey::new(
        "certificate",
        Text(&listening::FILE, |settings, text| {
            listening::file(text).map(|file| tls(settings).certificate = file)
        }),
        "PEM file with the certificate, then its intermediates.",
    )
    .unset("required by a `tls:` listener"),
    SettingKey::new(
        "key",
        Text(&listening::FILE, |settings, text| {
            listening::file(text).map(|file| tls(settings).key = file)
        }),
        "PEM file with the private key of the certificate. Only the user of the edge should be able to read \
         it.",
    )
    .unset("required by a `tls:` listener"),
];

/// Certificate and key; a check makes sure that both are set or neither.
fn tls(settings: &mut Settings) -> &mut TlsSettings {
    settings.tls.get_or_insert_with(|| TlsSettings {
        certificate: PathBuf::new(),
        key: PathBuf::new(),
    })
}

const LIMITS: &[SettingKey] = &[
    SettingKey::new(
        "target_bytes",
        Size(256..=64 * KIB, |settings| {
            Usize(&mut settings.limits.target_bytes)
        }),
        "Maximum size of the request target, path and query (414).",
    ),
    SettingKey::new(
        "body_bytes",
        Size(KIB..=GIB, |settings| U64(&mut settings.limits.body_bytes)),
        "Maximum size of a request body (413).",
    ),
    SettingKey::new(
        "response_bytes",
        Size(KIB..=GIB, |settings| U64(&mut settings.limits.response_bytes)),
        "Maximum size of a response of the site (502).",
    ),
    SettingKey::new(
        "connections",
        Count(1..=1_000_000, |settings| Usize(&mut settings.limits.connections)),
        "Maximum number of client connections. If the process may not open that many files, the edge lowers \
         the maximum and logs it.",
    ),
    SettingKey::new(
        "connections_per_address",
        Count(0..=1_000_000, |settings| {
            Usize(&mut settings.limits.connections_per_address)
        }),
        "Maximum number of connections from one client address; further ones are closed at once. All \
         addresses of an IPv6 /64 network count as one; `trusted_proxies` are exempt. 0: no maximum.",
    ),
];

const TIMEOUTS: &[SettingKey] = &[
    SettingKey::new(
        "client_head",
        Time(seconds(1..=300), |settings| &mut settings.timeouts.client_head),
        "Time to receive the head of a request.",
    ),
    SettingKey::new(
        "client_body",
        Time(seconds(1..=3600), |settings| &mut settings.timeouts.client_body),
        "Time to receive the body of a request (408).",
    ),
    SettingKey::new(
        "client_idle",
        Time(seconds(1..=3600), |settings| &mut settings.timeouts.client_idle),
        "Time that a keep-alive connection may stay open without a request.",
    ),
    SettingKey::new(
        "origin_read",
        Time(TEN_MILLIS_TO_AN_HOUR, |settings| {
            &mut settings.timeouts.origin_read
        }),
        "Time for a whole read at the site.",
    ),
    SettingKey::new(
        "origin_write",
        Time(TEN_MILLIS_TO_AN_HOUR, |settings| {
            &mut settings.timeouts.origin_write
        }),
        "Time for a whole write at the site, which may fetch an image meanwhile.",
    ),
    SettingKey::new(
        "site",
        Time(TEN_MILLIS_TO_AN_HOUR, |settings| &mut settings.timeouts.site),
        "Time for a request to the rest of the site (`other = \"forward\"`) until its response begins, \
         including an upload, and the same time again until the response ends.",
    ),
    SettingKey::new(
        "drain",
        Time(seconds(0..=3600), |settings| &mut settings.timeouts.drain),
        "Time that running requests have to finish after a stop signal. Idle connections stay open for the \
         first second, so that requests in transit are still answered.",
    ),
];

const RATE_LIMITS: &[SettingKey] = &[
    SettingKey::new(
        "failed_logins",
        Rate(|settings| &mut settings.rate_limits.failed_logins),
        "Failed logins (401 from the site), per client address and per account that Basic credentials or login \
         cookies name. Above the rate, requests with credentials are refused. A login counts as failed unless \
         the response proves otherwise: one that hides its status (`_envelope`) must be read whole, and a HEAD \
         of it proves nothing. So the rate also limits how many requests with credentials may wait for \
         the site at once; a client that disconnects before the response has spent its attempt. Basic \
         credentials that are not exactly one blank and the base64 of `name:password` get 400 \
         `edge_bad_authorization`. With `other = \"forward\"` the same budgets count requests beside the \
         calendar: those with `Authorization` that get 401, logins at `wp-login.php` that set no login cookie, \
         and calls to `xmlrpc.php` that get fault 403, each as one try of its address. Where the status of a \
         response does not tell, more than 64 KiB of it prove nothing. An account is read from forms of at most \
         64 KiB; larger ones count per address.",
    )
    .unset("off"),
];

const LISTS: &str = "Lists; each is a query over many records.";
const ITEMS: &str = "Single records, the index, descriptions, and reads without a route.";
const WRITES_MEANING: &str = "POST, PUT, PATCH and DELETE, with or without a route.";

const ADDRESS_RATES: &[SettingKey] = &[
    SettingKey::new(
        "lists",
        Rate(|settings| &mut settings.rate_limits.address.lists),
        LISTS,
    )
    .unset("off"),
    SettingKey::new(
        "items",
        Rate(|settings| &mut settings.rate_limits.address.items),
        ITEMS,
    )
    .unset("off"),
    SettingKey::new(
        "writes",
        Rate(|settings| &mut settings.rate_limits.address.writes),
        WRITES_MEANING,
    )
    .unset("off"),
];

const CREDENTIALS_RATES: &[SettingKey] = &[
    SettingKey::new(
        "lists",
        Rate(|settings| &mut settings.rate_limits.credentials.lists),
        LISTS,
    )
    .unset("off"),
    SettingKey::new(
        "items",
        Rate(|settings| &mut settings.rate_limits.credentials.items),
        ITEMS,
    )
    .unset("off"),
    SettingKey::new(
        "writes",
        Rate(|settings| &mut settings.rate_limits.credentials.writes),
        WRITES_MEANING,
    )
    .unset("off"),
];

const BREAKER: &[SettingKey] = &[SettingKey::new(
    "failures",
    Count(0..=1000, |settings| Usize(&mut settings.breaker.failures)),
    "Number of consecutive failed reads that open the breaker. A read fails if the connection fails, \
         times out or is reset, or if the site answers with a maintenance or database error page. 0 disables \
         the breaker.",
)];

const CACHE: &[SettingKey] = &[
    SettingKey::new(
        "enabled",
        Flag(|settings| &mut settings.cache.enabled),
        "Store responses to anonymous reads.",
    ),
    SettingKey::new(
        "memory",
        Size(MIB..=64 * GIB, |settings| U64(&mut settings.cache.memory)),
        "Maximum memory of all stored responses. Frequently requested ones stay. A body larger than a sixteenth of \
         this is not stored.",
    ),
    SettingKey::new(
        "fresh",
        Time(seconds(0..=86_400), |settings| &mut settings.cache.fresh),
        "Time that a stored response is fresh, while no companion plugin is heard. The same time applies to 404 and \
         410, and to responses that depend on the moment.",
    ),
    SettingKey::new(
        "fresh_with_purge",
        Time(seconds(0..=30 * 86_400), |settings| {
            &mut settings.cache.fresh_with_purge
        }),
        "The same while the companion plugin is heard, which reports changes to the edge. Responses that depend on \
         the day end with the site's day.",
    ),
    SettingKey::new(
        "stale_while_revalidate",
        Time(seconds(0..=86_400), |settings| {
            &mut settings.cache.stale_while_revalidate
        }),
        "Time after that in which a stale response is served at once, while the site is asked for a new one.",
    ),
    SettingKey::new(
        "stale_on_error",
        Time(seconds(0..=30 * 86_400), |settings| {
            &mut settings.cache.stale_on_error
        }),
        "Time after it went stale in which a response is served if the site fails, times out or is overloaded.",
    ),
    SettingKey::new(
        "reconcile",
        Time(seconds(1..=3600), |settings| &mut settings.cache.reconcile),
        "Time after which a silent companion plugin counts as gone.",
    ),
    SettingKey::new(
        "client_max_age",
        Time(seconds(0..=86_400), |settings| &mut settings.cache.client_max_age),
        "Time that clients may store a response without asking, in whole seconds. `0s`: they ask each time, and get \
         304 if nothing has changed.",
    ),
];

const CORS: &[SettingKey] = &[SettingKey::new(
    "credentialed_origins",
    List(
        &form::SITE,
        ListStore::new(
            |settings| settings.cors.credentialed_origins.clear(),
            |settings, text| form::web_origin(text).map(|item| settings.cors.credentialed_origins.push(item)),
        ),
    ),
    "Web origins that may send credentials, matched exactly.",
)
.unset("none")];

const COMPRESSION: &[SettingKey] = &[SettingKey::new(
    "enabled",
    Flag(|settings| &mut settings.compression.enabled),
    "Whether responses of the calendar are compressed for clients that accept it.",
)];

const FORMS: &[SettingKey] = &[
    SettingKey::new(
        "calendar",
        Flag(|settings| &mut settings.forms.calendar),
        "Whether events are given as iCalendar, `text/calendar`: lists with all their pages, up to 500 events and 2 MiB. \
         Programs that send no headers read `events.ics` and `events/{id}.ics`.",
    ),
    SettingKey::new(
        "calendar_name",
        Text(&form::SENTENCE, |settings, text| {
            form::sentence(text).map(|name| settings.forms.calendar_name = Some(name))
        }),
        "The name of the calendar in programs that subscribe to it.",
    )
    .unset("the host of the events"),
];

const LOG: &[SettingKey] = &[
    SettingKey::new(
        "format",
        Choice(FORMAT_NAMES, |settings, index| {
            settings.log.format = FORMATS[index].1;
        }),
        "Format of log lines: one JSON object per line, or text for people; `auto` is text on a terminal, and JSON \
         elsewhere.",
    )
    .shown(|settings| name_of(&FORMATS, &settings.log.format)),
    SettingKey::new(
        "access",
        Choice(ACCESS_NAMES, |settings, index| {
            settings.log.access = ACCESS[index].1;
        }),
        "Format of the line of a request: `log` is that of all lines; `combined` is the combined format of Apache and \
         nginx, which goes to standard output, without account, query and referring page.",
    )
    .shown(|settings| name_of(&ACCESS, &settings.log.access)),
    SettingKey::new(
        "filter",
        Text(&form::FILTER, |settings, text| {
            form::filter(text).map(|value| settings.log.filter = value)
        }),
        "Events that are logged, as a `tracing` filter.",
    )
    .shown(|settings| format!("\"{}\"", settings.log.filter)),
    SettingKey::new(
        "refusals",
        Count(0..=100_000, |settings| Usize(&mut settings.log.refusals)),
        "Requests that are refused, or that break rules and are forwarded, and that are kept in memory, so that \
         `calendar-edge explain ID` can explain them. Passwords, sessions, nonces and tokens in them are replaced first. They take at most 4 KiB each on average. 0 keeps none. \
         Without an admin listener none are kept.",
    ),
];

const TRACES: &[SettingKey] = &[
    SettingKey::new(
        "endpoint",
        Text(&form::COLLECTOR, |settings, text| {
            form::rest_root(text).map(|url| settings.traces.endpoint = Some(url))
        }),
        "Base URL of the collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`: spans are sent to `/v1/traces` below it, as binary \
         protobuf. Collectors listen for this at port 4318.",
    )
    .unset("no spans are made"),
    SettingKey::new(
        "headers_file",
        Text(&form::HEADERS_FILE, |settings, text| {
            listening::file(text).map(|file| settings.traces.headers_file = Some(file))
        }),
        "File that holds headers for the collector, one a line: `Authorization: Bearer TOKEN`. Lines that begin with `#` do \
         not count. The values are never shown. A changed file is read again.",
    )
    .unset("no further headers"),
    SettingKey::new(
        "service_name",
        Text(&form::SERVICE_NAME, |settings, text| {
            form::service_name(text).map(|name| settings.traces.service_name = name)
        }),
        "Name of this service in the collector (`service.name`).",
    )
    .shown(|settings| format!("\"{}\"", settings.traces.service_name)),
    SettingKey::new(
        "sample",
        Text(&migration_keys::SHARE, |settings, text| {
            migration_keys::share(text).map(|share| settings.traces.sample = share)
        }),
        "Share of the traces that begin at the edge which are recorded. A request that names its parent follows the parent's \
         decision. `traceparent` passes the same decision to the site.",
    )
    .shown(|settings| format!("\"{}\"", settings.traces.sample)),
];

// === impl Section ===

impl Section {
    /// The section whose table is nested in this one's under a name: `[rate_limits.address]`.
    pub(super) fn below(&self, name: &str) -> Option<&'static Section> {
        SECTIONS.iter().find(|other| other.name_below(self) == Some(name))
    }

    /// The name of its table within another table.
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
            Keys::Backend(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Ignore(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Shadow(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Cutover(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Surface(keys) => keys.iter().map(|key| key.name).collect(),
            Keys::Webhook(keys) => keys.iter().map(|key| key.name).collect(),
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
