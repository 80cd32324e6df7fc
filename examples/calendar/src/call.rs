//! A call of a known route: what it reads, or which venue it writes.

use axum::http::StatusCode;
use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::api::Service;
use crate::assembled::{Assembled, Detail};
use crate::caller::Caller;
use crate::error::CallError;
use crate::kind::Kind;
use crate::lists::{self, Listed};
use crate::query::{Arguments, LARGEST_NUMBER, OF_EVENTS, OF_LINKED, OF_TERMS};
use crate::records::{Event, Organizer, Record, Term, Venue};
use crate::store::{by_id, select};
use crate::texts::asked_slug;
use crate::venue_writes::Writer;

/// What a path below the namespace names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    All,
    Number(u64),
    Slug(String),
}

/// Status and body, and for lists how many records and pages there are.
pub(crate) type Answered = (StatusCode, Value, Option<(usize, usize)>);

/// A call of a known route.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) service: &'a Service,
    pub(crate) caller: Caller,
    pub(crate) kind: Kind,
    pub(crate) target: Target,
}

// === impl Target ===

impl Target {
    /// Kind and target of a path below the namespace: `venues/7`; none if it is no route.
    pub(crate) fn read(path: &str) -> Option<(Kind, Self)> {
        let mut segments = path.trim_end_matches('/').split('/');
        let kind = Kind::of_collection(segments.next()?)?;
        let target = match (segments.next(), segments.next(), segments.next()) {
            (None, ..) => Self::All,
            (Some(id), None, _) if id.bytes().all(|digit| digit.is_ascii_digit()) => Self::Number(
                id.parse()
                    .map_or(LARGEST_NUMBER, |id: u64| id.min(LARGEST_NUMBER)),
            ),
            (Some("by-slug"), Some(slug), None) if kind.has_slugs() => Self::Slug(asked_slug(slug)),
            _ => return None,
        };
        Some((kind, target))
    }
}

// === impl Call ===

impl Call<'_> {
    pub(crate) fn read(&self, query: Option<&str>) -> Result<Answered, CallError> {
        // Of the other kinds, what is not published stays in WordPress.
        if self.caller.may_write() && !self.is_written_here() {
            return Err(CallError::NotClaimed("writers about this kind".to_owned()));
        }
        let connection = self.service.store.reader();
        if self.target == Target::All {
            let Listed {
                document,
                total,
                pages,
            } = self.list(&connection, query)?;
            return Ok((StatusCode::OK, document.into(), Some((total, pages))));
        }
        Arguments::read(query, &[])?;
        let printed = match self.kind {
            Kind::Event => self.one::<Event>(&connection),
            Kind::Venue => self.one::<Venue>(&connection),
            Kind::Organizer => self.one::<Organizer>(&connection),
            Kind::Category | Kind::Tag => self.one::<Term>(&connection),
        }?;
        Ok((StatusCode::OK, printed.into(), None))
    }

    fn list(&self, connection: &Connection, query: Option<&str>) -> Result<Listed, CallError> {
        let (by, names) = (self.service.assembler(connection), self.kind.names());
        let read = |claimed| {
            let arguments = Arguments::read(query, claimed)?;
            let page = arguments.page()?;
            Ok::<_, CallError>((arguments, page))
        };
        match self.kind {
            Kind::Event => {
                let (arguments, page) = read(&OF_EVENTS)?;
                let zone = &self.service.settings.zone;
                lists::events(connection, &arguments, zone)?.posts(&by, page, names)
            }
            Kind::Venue => {
                let (arguments, page) = read(&OF_LINKED)?;
                let whole = lists::linked::<Venue>(connection, &arguments, self.caller.may_write())?;
                whole.posts(&by, page, names)
            }
            Kind::Organizer => {
                let (arguments, page) = read(&OF_LINKED)?;
                lists::linked::<Organizer>(connection, &arguments, false)?.posts(&by, page, names)
            }
            Kind::Category | Kind::Tag => {
                let (arguments, page) = read(&OF_TERMS)?;
                lists::terms(connection, &arguments, self.kind.taxonomy())?.terms(&by, page, names)
            }
        }
    }

    /// The record that the path names, as the caller may read it.
    fn one<R: Assembled>(&self, connection: &Connection) -> Result<Map<String, Value>, CallError> {
        let record: R = self.found(connection)?;
        let members = record.members()?;
        let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_term = members.contains_key("taxonomy");
        if is_term && text("taxonomy") != self.kind.taxonomy() {
            return Err(CallError::Invalid("id"));
        }
        if !is_term && !self.caller.may_read(text("status"), text("author")) {
            return Err(CallError::NotAccessible(self.kind.names().singular));
        }
        // An event behind a password has neither true nor false for its switches.
        if members.get("all_day") == Some(&Value::Null) {
            return Err(CallError::PasswordNeeded);
        }
        record.print(&self.service.assembler(connection), Detail::Alone)
    }

    fn found<R: Record>(&self, connection: &Connection) -> Result<R, CallError> {
        match &self.target {
            Target::Number(id) => by_id(connection, *id)?.ok_or(CallError::Invalid("id")),
            Target::Slug(slug) => {
                let mut found: Vec<R> = select(connection, "WHERE slug = ? ORDER BY id LIMIT 1", [slug])?;
                found.pop().ok_or(CallError::Invalid("slug"))
            }
            Target::All => Err(CallError::NoRoute),
        }
    }

    pub(crate) fn write(&self, body: &[u8]) -> Result<Answered, CallError> {
        let sent = serde_json::from_slice(body);
        let sent = sent.map_err(|_| CallError::NotClaimed("bodies that are no JSON object".to_owned()))?;
        self.written(|writer, known| match known {
            None => writer.create(&sent),
            Some(venue) => writer.update(venue, &sent),
        })
    }

    pub(crate) fn delete(&self) -> Result<Answered, CallError> {
        self.written(|writer, known| writer.delete(known.ok_or(CallError::NoRoute)?))
    }

    /// Writes a venue, if the caller may.
    fn written(
        &self,
        write: impl FnOnce(&Writer<'_>, Option<Venue>) -> Result<Venue, CallError>,
    ) -> Result<Answered, CallError> {
        let Some(numbers) = self
            .service
            .settings
            .venue_numbers
            .as_ref()
            .filter(|_| self.is_written_here())
        else {
            return Err(CallError::NotClaimed("writes of this kind".to_owned()));
        };
        self.service.store.change(|transaction| {
            let known = match self.target {
                Target::All => None,
                _ => Some(self.found::<Venue>(transaction)?),
            };
            if !self.caller.may_write() {
                let is_known = self.caller.id.is_some();
                let status = if is_known {
                    StatusCode::FORBIDDEN
                } else {
                    StatusCode::UNAUTHORIZED
                };
                return Err(CallError::Forbidden(status));
            }
            let is_new = known.is_none();
            let writer = Writer::new(transaction, &self.service.settings, &self.caller, numbers);
            let venue = write(&writer, known)?;
            let printed = venue.print(&self.service.assembler(transaction), Detail::Listed)?;
            let status = if is_new {
                StatusCode::CREATED
            } else {
                StatusCode::OK
            };
            Ok((status, printed.into(), None))
        })
    }

    fn is_written_here(&self) -> bool {
        self.kind == Kind::Venue && self.service.settings.venue_numbers.is_some()
    }

    /// The methods that the caller may use there.
    pub(crate) fn allowed(&self) -> &'static str {
        match (&self.target, self.caller.may_write()) {
            (_, false) => "GET",
            (Target::All, true) => "GET, POST",
            (_, true) => "GET, DELETE, POST, PUT, PATCH",
        }
    }
}
