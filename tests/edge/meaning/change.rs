//! The intended differences between a client's request and the forwarded one (decision 0017).

use std::collections::BTreeSet;

use calendar_edge_judge::call::CanonicalRequest;
use calendar_edge_judge::contract::{Action, Kind, Operation, OperationId, Route};

use super::php::{Array, Php, urldecoded};
use super::reading::{Nonce, Parameters, Place, Reading};
use super::wire;
use crate::judging::{NAMESPACE, Request};

/// An intended difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// PUT and PATCH of an item are forwarded as POST.
    UpdateAsPost,
    /// `_method` and `X-HTTP-Method-Override` of a read are gone, and the method on the wire counts.
    OverrideIgnored,
    /// The route was in `rest_route`; it is forwarded in the path.
    RouteIntoPath,
    /// The id lost its leading zeros, or the slug is spelt in another way.
    PathNormalised,
    /// A slug that normalises to nothing is forwarded as a dash.
    EmptySlugSpelt,
    /// The body of a GET or HEAD is gone.
    ReadBodyDropped,
    /// Parameters that WordPress reads from the body of a DELETE are in the query.
    BodyIntoQuery,
    /// The path's parameter is removed from query and body.
    PathParameterDropped,
    /// A parameter without effect is gone.
    UndeclaredDropped,
    /// An empty list of a body is gone from the query, which cannot hold one.
    EmptyListDropped,
    /// The index is requested for the origin's namespace.
    NamespaceMapped,
    /// A `venue` list of one became its element.
    VenueUnwrapped,
    /// A comma list of organizers became a list.
    OrganizerSplit,
    /// An organizer record became a list of one.
    OrganizerWrapped,
    /// `_wpnonce` became a header.
    NonceIntoHeader,
    /// Query or form parameters of a write became members of its JSON body.
    ParametersIntoJson,
}

/// Parameters WordPress takes from any sent, on every route.
const ANYWHERE: [&str; 3] = ["_fields", "context", "_pretty"];

/// Parameters whose meaning depends on their place.
const IN_PLACE: [&str; 1] = ["lang"];

/// Parameters WordPress takes from the query, on every route.
const IN_QUERY: [&str; 4] = ["_embed", "_locale", "_envelope", "_jsonp"];

/// Undeclared parameters that the plugin reads on some operations.
fn obeyed(id: OperationId) -> &'static [&'static str] {
    match (id.route, id.action) {
        (Route::Collection(Kind::Event), Action::List) | (Route::BySlug(Kind::Event), Action::Read) => {
            &["password"]
        }
        (Route::Collection(Kind::Tag), Action::List) => &["offset"],
        (Route::Collection(Kind::Tag), Action::Create) | (Route::Item(Kind::Tag), Action::Update) => {
            &["parent"]
        }
        _ => &[],
    }
}

/// The changes between a client's request and the canonical one.
///
/// # Errors
/// The differences without a name.
pub(super) fn changes(
    request: &Request,
    operation: &Operation,
    canonical: &CanonicalRequest,
) -> Result<BTreeSet<Change>, String> {
    let sent = if request.method.is_safe() {
        Reading::without_override(request)
    } else {
        Reading::of(request)
    };
    let wire = wire::forwarded(canonical, &request.headers);
    let got = Reading::of(&wire);
    let mut comparison = Comparison {
        operation,
        sent,
        got,
        drops_body: request.method.is_safe(),
        changes: BTreeSet::new(),
    };
    if request.method.is_safe() && Reading::of(request).method.as_deref() != Some(request.method.as_str()) {
        comparison.note(Change::OverrideIgnored);
    }
    comparison.method()?;
    comparison.bodies();
    comparison.place()?;
    comparison.arguments()?;
    comparison.globals()?;
    comparison.nonce()?;
    comparison.leftovers()?;
    Ok(comparison.changes)
}

struct Comparison<'a> {
    operation: &'a Operation,
    sent: Reading,
    got: Reading,
    /// True for a read on the wire.
    drops_body: bool,
    changes: BTreeSet<Change>,
}

// === impl Comparison ===

impl Comparison<'_> {
    fn note(&mut self, change: Change) {
        self.changes.insert(change);
    }

    fn method(&mut self) -> Result<(), String> {
        let sent = self.sent.method.clone().unwrap_or_default();
        let got = self.got.method.clone().unwrap_or_default();
        let is_update = self.operation.id.action == Action::Update;
        match (sent.as_str(), got.as_str()) {
            (sent, got) if sent == got => Ok(()),
            ("PUT" | "PATCH", "POST") if is_update => {
                self.note(Change::UpdateAsPost);
                Ok(())
            }
            other => Err(format!("the method: {other:?}")),
        }
    }

    /// Removes the bodies that are not forwarded.
    fn bodies(&mut self) {
        if self.drops_body && self.sent.has_body_parameters() {
            self.sent = self.sent.without_body();
            self.note(Change::ReadBodyDropped);
        }
        if self.operation.is_write() && self.operation.id.action != Action::Delete {
            let parameters = &self.sent.parameters.0;
            let outside_json = parameters.iter().take(parameters.len() - 1).any(|sent| {
                let mut declared = self.operation.arguments.iter();
                declared.any(|argument| sent.get(argument.name).is_some())
            });
            let is_json = parameters.len() > 2 && self.got.parameters.0.first() == parameters.first();
            if outside_json && !is_json {
                self.note(Change::ParametersIntoJson);
            }
        }
    }

    fn place(&mut self) -> Result<(), String> {
        let (Some(sent), Some(got)) = (self.sent.place.clone(), self.got.place.clone()) else {
            return Err(format!("the route: {:?}, {:?}", self.sent.place, self.got.place));
        };
        if (&self.sent.language, sent.route) != (&self.got.language, got.route)
            || got.route != self.operation.id.route
        {
            return Err(format!("the route: {sent:?}, {got:?}"));
        }
        if self.sent.query.get("rest_route").is_some() {
            self.note(Change::RouteIntoPath);
        }
        if sent.parameter != got.parameter {
            self.note(Change::PathNormalised);
        }
        match sent.route {
            Route::BySlug(_) => self.slug(&sent, &got),
            _ => same_number(&sent.parameter, &got.parameter),
        }?;
        self.repeated(&sent)
    }

    /// The plugin decodes a slug once more before it looks it up.
    fn slug(&mut self, sent: &Place, got: &Place) -> Result<(), String> {
        let looked_up = |place: &Place| urldecoded(&place.parameter);
        match (looked_up(sent).as_slice(), looked_up(got).as_slice()) {
            (sent, got) if sent == got => Ok(()),
            (b"." | b"..", b"-") => {
                self.note(Change::EmptySlugSpelt);
                Ok(())
            }
            other => Err(format!("the slug: {other:?}")),
        }
    }

    /// A repeated path parameter must have the same value.
    fn repeated(&mut self, place: &Place) -> Result<(), String> {
        let Some(name) = place.route.path_parameter() else {
            return Ok(());
        };
        let parameters = &self.sent.parameters.0;
        let values: Vec<Php> = parameters[..parameters.len() - 1]
            .iter()
            .filter_map(|sent| sent.get(name))
            .cloned()
            .collect();
        for value in values {
            let same = match (&value, place.route) {
                (Php::Text(slug), Route::BySlug(_)) => urldecoded(slug) == urldecoded(&place.parameter),
                (Php::Text(id), _) => same_number(&place.parameter, id).is_ok(),
                (Php::Number(id), Route::Item(_)) => same_number(&place.parameter, id.as_bytes()).is_ok(),
                _ => false,
            };
            if !same {
                return Err(format!("another {name} was sent: {value:?}"));
            }
            self.note(Change::PathParameterDropped);
        }
        Ok(())
    }

    fn arguments(&mut self) -> Result<(), String> {
        let in_path = self.operation.id.route.path_parameter();
        let declared = self.operation.arguments.iter().map(|argument| argument.name);
        let declared = declared.filter(|name| Some(*name) != in_path);
        let names: Vec<&str> = declared
            .chain(obeyed(self.operation.id).iter().copied())
            .collect();
        for name in names {
            let sent = match self.operation.id.action {
                Action::Create | Action::Update => self.sent.parameters.get(name).cloned(),
                _ => self.sent_as_query(name),
            };
            let got = self.got.parameters.get(name).cloned();
            let changed = self.named_difference(name, sent.as_ref());
            if let Some((change, expected)) = changed.filter(|(_, expected)| Some(expected) == got.as_ref()) {
                assert_ne!(Some(&expected), sent.as_ref());
                self.note(change);
                continue;
            }
            if sent != got {
                return Err(format!("{name}: {sent:?} became {got:?}"));
            }
            // Handlers read a declared null from a JSON body.
            let both = (self.sent.parameters.has(name), self.got.parameters.has(name));
            let is_declared = self.operation.argument(name.as_bytes()).is_some();
            if is_declared
                && matches!(self.operation.id.action, Action::Create | Action::Update)
                && both.0 != both.1
            {
                return Err(format!("{name}: presence {both:?}"));
            }
        }
        Ok(())
    }

    /// The intended change of a value.
    fn named_difference(&self, name: &str, sent: Option<&Php>) -> Option<(Change, Php)> {
        let is_event = self.operation.is_write() && self.operation.id.kind() == Some(Kind::Event);
        match (name, sent?) {
            ("namespace", _) => Some((Change::NamespaceMapped, Php::Text(NAMESPACE.as_bytes().to_vec()))),
            ("venue", Php::Array(list)) if is_event && list.is_list() && list.entries().len() == 1 => {
                let element = list.entries()[0].1.clone();
                let nests = matches!(&element, Php::Array(inner) if inner.is_list());
                (!nests).then_some((Change::VenueUnwrapped, element))
            }
            ("organizer", Php::Text(text)) if is_event && text.contains(&b',') => {
                let ids = text
                    .split(|&byte| byte == b',')
                    .map(|id| Php::Text(id.trim_ascii().to_vec()));
                Some((Change::OrganizerSplit, Php::Array(Array::of(ids))))
            }
            ("organizer", Php::Array(record)) if is_event && !record.is_list() => {
                let by_id = record.get("id").is_some_and(|id| !id.is_empty());
                let by_id = by_id || record.entries().iter().all(|(_, value)| value.is_empty());
                let wrapped = Php::Array(Array::of([Php::Array(record.clone())]));
                (!by_id).then_some((Change::OrganizerWrapped, wrapped))
            }
            _ => None,
        }
        .filter(|(_, expected)| Some(expected) != sent)
    }

    /// The value WordPress reads, as a query must write it.
    fn sent_as_query(&mut self, name: &str) -> Option<Php> {
        let value = self.sent.parameters.get(name).cloned();
        if value.as_ref() != self.sent.without_body().parameters.get(name) {
            self.note(Change::BodyIntoQuery);
        }
        let text = value.as_ref().and_then(as_query_text);
        if value.is_some() && text.is_none() {
            self.note(Change::EmptyListDropped);
        }
        text
    }

    fn globals(&mut self) -> Result<(), String> {
        let keeps_body = matches!(self.operation.id.action, Action::Create | Action::Update);
        for name in ANYWHERE {
            let sent = if keeps_body {
                self.sent.parameters.get(name).cloned()
            } else {
                self.sent_as_query(name)
            };
            let got = self.got.parameters.get(name).cloned();
            if sent != got {
                return Err(format!("{name}: {sent:?} became {got:?}"));
            }
            let both = (self.sent.parameters.has(name), self.got.parameters.has(name));
            if keeps_body && both.0 != both.1 {
                return Err(format!("{name}: presence {both:?}"));
            }
        }
        for name in IN_PLACE {
            let (sent, got) = (self.sent.query.get(name), self.got.query.get(name));
            let in_body = keeps_body.then(|| self.sent.in_body(name)).flatten();
            if sent != got || in_body != self.got.in_body(name) {
                return Err(format!("{name}: {sent:?} and {in_body:?} moved"));
            }
        }
        for name in IN_QUERY {
            let (sent, got) = (self.sent.query.get(name), self.got.query.get(name));
            if sent != got {
                return Err(format!("{name}: {sent:?} became {got:?}"));
            }
        }
        Ok(())
    }

    fn nonce(&mut self) -> Result<(), String> {
        let carries = |text: &[u8], header: &[u8]| text.trim_ascii() == header.trim_ascii();
        match (&self.sent.nonce, &self.got.nonce) {
            (sent, got) if sent == got => Ok(()),
            (Some(Nonce::Parameter(Php::Text(text))), Some(Nonce::Header(header)))
                if carries(text, header.as_bytes()) || header == "0" =>
            {
                self.note(Change::NonceIntoHeader);
                Ok(())
            }
            // No array is a nonce.
            (Some(Nonce::Parameter(Php::Array(_))), Some(Nonce::Header(header))) if header == "0" => {
                self.note(Change::NonceIntoHeader);
                Ok(())
            }
            other => Err(format!("the nonce: {other:?}")),
        }
    }

    /// No parameter is forwarded without a comparison.
    fn leftovers(&mut self) -> Result<(), String> {
        let in_path = self.operation.id.route.path_parameter();
        let compared = |name: &[u8]| {
            let is = |known: &str| known.as_bytes() == name;
            let declared = self.operation.arguments.iter().any(|argument| is(argument.name));
            let mut globals = ANYWHERE.iter().chain(&IN_PLACE).chain(&IN_QUERY);
            let global = globals.any(|known| is(known));
            declared || global || obeyed(self.operation.id).iter().any(|known| is(known))
        };
        let travelled = Parameters(self.got.parameters.0[..self.got.parameters.0.len() - 1].to_vec());
        if let Some(name) = travelled
            .names()
            .find(|name| !compared(name) || in_path.is_some_and(|path| path.as_bytes() == *name))
        {
            return Err(format!("{} travels", String::from_utf8_lossy(&name)));
        }
        let dropped = self
            .sent
            .parameters
            .names()
            .any(|name| !compared(&name) && !is_override(&name));
        if dropped {
            self.note(Change::UndeclaredDropped);
        }
        Ok(())
    }
}

/// A value of a body as text of a query, for handlers that read a text or a list of texts; none if a query
/// cannot express it.
fn as_query_text(value: &Php) -> Option<Php> {
    match value {
        Php::Null => None,
        Php::Bool(false) => Some(Php::Text(Vec::new())),
        Php::Bool(true) => Some(Php::Text(b"1".to_vec())),
        Php::Number(number) => Some(Php::Text(number.as_bytes().to_vec())),
        Php::Text(_) => Some(value.clone()),
        Php::Array(array) => {
            let mut texts = Array::default();
            for (key, inner) in array.entries() {
                if let Some(inner) = as_query_text(inner) {
                    texts.set(key.clone(), inner);
                }
            }
            (!texts.entries().is_empty()).then_some(Php::Array(texts))
        }
    }
}

fn is_override(name: &[u8]) -> bool {
    [b"_method".as_slice(), b"rest_route", b"_wpnonce"].contains(&name)
}

/// Digits with the same value, leading zeros aside; the index and the like have none.
fn same_number(sent: &[u8], got: &[u8]) -> Result<(), String> {
    let significant = |digits: &[u8]| {
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits[zeros..].to_vec()
    };
    let are_digits = sent.iter().chain(got).all(u8::is_ascii_digit);
    if are_digits && significant(sent) == significant(got) && sent.is_empty() == got.is_empty() {
        Ok(())
    } else {
        Err(format!("the id: {sent:?}, {got:?}"))
    }
}
