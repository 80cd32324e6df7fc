//! The key of a kept response: everything that the response depends on.

use super::bypass::CacheableCall;
use super::forms::CALENDAR;
use crate::settings::{BackendSettings, PRIMARY, Root};
use calendar_edge_judge::contract::{Argument, DefaultValue, Operation, Schema};

/// The part of keys that depends on the settings.
#[derive(Debug, Clone)]
pub struct KeySpace {
    /// Site and public address of each root, in the order of the settings.
    roots: Vec<String>,
    /// The namespace of clients that name none.
    namespace: String,
    /// True if responses name the address that the client used. Else the key of a call depends on nothing but the call
    /// and its namespace.
    pub by_public_base: bool,
}

/// The names by which a client reached the edge, which stand in the response.
#[derive(Debug, Clone, Copy)]
pub struct ReachedBy<'a> {
    /// Scheme and authority.
    pub public_base: &'a str,
    /// The public namespace; none: the first of the settings.
    pub namespace: Option<&'a str>,
}

/// The argument whose default is a setting of the site, not the table's.
const PER_PAGE: &str = "per_page";

/// The only status that anonymous callers may name, which is also the one that they get by default.
const PUBLISHED: &str = "status=publish";

// === impl KeySpace ===

impl KeySpace {
    /// The keys of responses of a backend; another one, or settings that lead elsewhere, give other keys.
    pub fn new(backend: &BackendSettings) -> Self {
        let roots = backend.roots.iter();
        Self {
            roots: roots.map(|root| root_prefix(backend, root)).collect(),
            namespace: backend.public_namespace.clone(),
            by_public_base: backend.public_url.is_none(),
        }
    }

    /// The key of a call from a client that reached the edge by these names. It holds the forwarded request, so that
    /// calls share a key only if the site cannot distinguish them. A GET and a HEAD share it too. Arguments with their
    /// default value are left out where the response is the same: backends repeat the effective arguments in
    /// `rest_url`, whether they were sent or not.
    pub fn key(&self, call: CacheableCall<'_>, reached: ReachedBy<'_>) -> String {
        let call = call.call();
        let request = call.request();
        let mut key = String::with_capacity(160);
        key.push_str(self.roots.get(request.root).map_or("", String::as_str));
        key.push_str(&request.path(reached.namespace.unwrap_or(&self.namespace)));
        if let Some(name) = request.namespace_argument {
            separate(&mut key);
            key.push_str(name);
        }
        for pair in request.pairs.split('&') {
            if !pair.is_empty() && !is_default(call.operation(), pair) {
                separate(&mut key);
                key.push_str(pair);
            }
        }
        if self.by_public_base {
            key.push(' ');
            key.push_str(reached.public_base);
        }
        key
    }

    /// The key of the response to a call as a calendar.
    pub fn key_of_calendar(&self, call: CacheableCall<'_>, reached: ReachedBy<'_>) -> String {
        [&self.key(call, reached), " ", CALENDAR].concat()
    }
}

/// Site and public address of a root. No part contains a blank.
fn root_prefix(backend: &BackendSettings, root: &Root) -> String {
    let origin = &backend.origin;
    let mut prefix = format!("{} {}", root.origin_url, origin.namespace);
    let host = origin.host.as_ref().map(|host| format!(" host={host}"));
    let connect = origin
        .connect
        .as_ref()
        .map(|address| format!(" connect={address}"));
    let advertised = origin.advertised_url.as_ref().map(|url| format!(" as={url}"));
    let public = backend.public_url.as_ref().map(|url| format!(" {url}"));
    let answers = root.wanted.map(|wanted| format!(" answers={wanted}"));
    for part in [host, connect, advertised, public, answers].into_iter().flatten() {
        prefix.push_str(&part);
    }
    prefix = prefix + " " + &root.path;
    if backend.name != PRIMARY {
        prefix = format!("{prefix} backend={} ", backend.name);
    }
    prefix
}

fn separate(key: &mut String) {
    let is_first = !key.rsplit(' ').next().unwrap_or_default().contains('?');
    key.push(if is_first { '?' } else { '&' });
}

/// Returns true if the pair changes nothing: the site assumes the same without it.
fn is_default(operation: &Operation, pair: &str) -> bool {
    if pair == PUBLISHED {
        return true;
    }
    let Some((name, value)) = pair.split_once('=') else {
        return false;
    };
    name != PER_PAGE
        && operation
            .argument(name.as_bytes())
            .is_some_and(|argument| is_default_value(argument, value))
}

fn is_default_value(argument: &Argument, value: &str) -> bool {
    match argument.default {
        DefaultValue::Int(1) if argument.schema == Some(Schema::Boolean) => matches!(value, "1" | "true"),
        DefaultValue::Int(number) => value == number.to_string(),
        DefaultValue::Bool(flag) => value == if flag { "true" } else { "false" },
        DefaultValue::None | DefaultValue::Null | DefaultValue::Text(_) | DefaultValue::Generated => false,
    }
}
