//! One request in, one response out: the judge, the caller, the records.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use calendar_edge_judge::call::{ForwardableCall, Judge, Outcome, RawCall};
use calendar_edge_judge::contract::{
    Action, Kind, Operation, PLUGIN_NAMESPACE, PublishedIndex, Route, TableInForce, TablesInForce, table,
};
use calendar_edge_judge::policy::{Policy, ServedRoot, Writes};
use calendar_edge_judge::problem::{Problem, to_php_json};
use calendar_edge_judge::routing::{CallTarget, Roots, Target};
use calendar_edge_judge::wordpress::payload::{ContentHeaders, SentMethod};
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode, header};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde_json::{Value, json};
use url::Url;

use crate::announce::{Announcement, Announcer, CHANGES};
use crate::call::Call;
use crate::caller::{Caller, Callers};
use crate::list::list;
use crate::print::{Detail, Printer};
use crate::refused::Refused;
use crate::reply::{Encoding, Reply};
use crate::seal::{Message, Opener, SEAL};
use crate::secret::{Secret, unix_time};
use crate::settings::CalendarSettings;
use crate::store::Store;
use crate::{doc, index, sample, slug, write};

/// A calendar.
#[derive(Debug)]
pub struct Calendar {
    settings: CalendarSettings,
    /// The calendar's API as it is printed.
    api: String,
    judge: Judge,
    roots: Roots,
    store: Arc<Mutex<Store>>,
    messages: Option<(Opener, tokio::sync::mpsc::Sender<Message>)>,
    announcer: Option<Announcer>,
}

// === impl Calendar ===

impl Calendar {
    /// A calendar of these records.
    pub fn new(settings: CalendarSettings, store: Arc<Mutex<Store>>) -> Self {
        let policy = Policy {
            // Identities are no credentials for the judge.
            writes: Writes::Forward,
            roots: vec![ServedRoot::at(settings.root.path().trim_end_matches('/'))],
            namespaces: vec![PLUGIN_NAMESPACE.to_owned()],
            ..Policy::default()
        };
        let root = settings.root.as_str().trim_end_matches('/');
        let api = format!("{root}/{PLUGIN_NAMESPACE}");
        Self {
            roots: Roots::new(&policy),
            judge: Judge::before(policy, tables(&settings, &api)),
            api,
            settings,
            store,
            messages: None,
            announcer: None,
        }
    }

    /// The sample calendar in memory, as a server with this address prints it; `now` holds its clock still.
    ///
    /// # Errors
    /// When the address is none of a site.
    pub fn sample(printed: SocketAddr, now: Option<Timestamp>) -> io::Result<Self> {
        let pages = format!("http://{printed}");
        let store = sample::store(now.unwrap_or_else(Timestamp::now), &pages);
        let settings = CalendarSettings {
            root: rest_root(printed)?,
            pages,
            zone: TimeZone::get(sample::ZONE).map_err(io::Error::other)?,
            callers: Callers::Sample,
            is_copied: false,
            now,
        };
        Ok(Self::new(settings, Arc::new(Mutex::new(store))))
    }

    /// The same, which takes messages of the companion plugin into a queue, at `/purge`.
    #[must_use]
    pub fn taking(self, secret: Secret, queue: tokio::sync::mpsc::Sender<Message>) -> Self {
        Self {
            messages: Some((Opener::new(secret), queue)),
            ..self
        }
    }

    /// The same, which announces each change to an edge by a queue of messages, to be posted to it.
    #[must_use]
    pub fn announcing(self, secret: Secret, queue: tokio::sync::mpsc::UnboundedSender<Announcement>) -> Self {
        Self {
            announcer: Some(Announcer::new(secret, queue)),
            ..self
        }
    }

    /// Responds to one request.
    pub fn respond(&self, parts: &Parts, body: &[u8]) -> Response<Bytes> {
        let (path, query) = (parts.uri.path(), parts.uri.query());
        if path == "/purge" && self.messages.is_some() {
            return empty(self.take_message(parts, body));
        }
        let named = parts.headers.get("x-http-method-override");
        let sent = SentMethod {
            wire: &parts.method,
            named: named.map(HeaderValue::as_bytes),
        };
        match self.roots.locate(sent, path, query) {
            Target::Calendar(target) => self.call(parts, &target, body),
            Target::Invalid(problem) => self.encode(parts, Err(problem.into()), None),
            Target::Site { .. } if path.trim_end_matches('/') == self.settings.root.path() => {
                let root = index::root(&self.settings, &self.api);
                self.encode(parts, Ok(Reply::ok(root)), None)
            }
            Target::Site { .. } => {
                let told = self.told(path).map(Reply::ok);
                self.encode(parts, told.ok_or_else(|| Problem::NoRoute.into()), None)
            }
        }
    }

    /// The documents for the edge and its operators beside the calendar's API.
    fn told(&self, path: &str) -> Option<Value> {
        let (_, asked) = path.split_once("/calendar-edge/v1/")?;
        match asked {
            "changes" => Some(json!({"changes": self.announcer.as_ref()?.count()})),
            "outbox" => {
                let store = self.store.lock();
                let mut outbox = store.outbox.as_ref()?.to_json(self.settings.is_copied);
                outbox["followed"] = store.followed().into();
                Some(outbox)
            }
            _ => None,
        }
    }

    /// Takes a message into the queue. One that finds no room is refused, and the plugin keeps it.
    fn take_message(&self, parts: &Parts, body: &[u8]) -> StatusCode {
        let Some((opener, queue)) = &self.messages else {
            return StatusCode::NOT_FOUND;
        };
        let Ok(room) = queue.try_reserve() else {
            return StatusCode::SERVICE_UNAVAILABLE;
        };
        let seal = parts.headers.get(SEAL).and_then(|value| value.to_str().ok());
        match opener.open(seal.unwrap_or_default(), body, unix_time()) {
            Ok(message) => room.send(message),
            Err(refused) => return refused,
        }
        StatusCode::OK
    }

    fn call(&self, parts: &Parts, target: &CallTarget, body: &[u8]) -> Response<Bytes> {
        let route = target.matched.as_ref().map(|matched| matched.route);
        let caller = match self.settings.callers.caller(&parts.headers) {
            Ok(caller) => caller,
            Err(refused) => return self.encode(parts, Err(refused), None),
        };
        let credentials = caller.credentials();
        let raw = RawCall {
            method: &parts.method,
            target,
            credentials: &credentials,
            content: ContentHeaders::of(&parts.headers),
            body,
        };
        let allowed = route.map(|route| allow(route, &caller));
        let answer = match self.judge.judge(&raw).outcome {
            Outcome::Refuse(refusal) => Err(refusal.problem().clone().into()),
            Outcome::Forward(call) => self.admitted(&call, route, caller),
        };
        self.encode(parts, answer, allowed)
    }

    fn admitted(
        &self,
        call: &ForwardableCall,
        route: Option<Route>,
        caller: Caller,
    ) -> Result<Reply, Refused> {
        let Some(operation) = call.operation() else {
            let described = route.map(|route| index::describe(route, &self.settings, &self.api));
            return Ok(Reply::ok(described.unwrap_or_default()));
        };
        let now = self.settings.now.unwrap_or_else(Timestamp::now);
        let site = (self.settings.zone.clone(), self.settings.pages.clone());
        let call = Call::new(operation, call.request(), caller, now, site);
        match operation.id.route {
            Route::Index => Ok(Reply::ok(index::index(&self.settings, &self.api))),
            Route::Doc => Ok(Reply::ok(doc::document(&self.api))),
            Route::Collection(kind) | Route::Item(kind) | Route::BySlug(kind) => {
                let answer = self.run(&call, kind)?;
                if let (Some(announcer), Some(id)) = (&self.announcer, answer.body["id"].as_u64())
                    && operation.is_write()
                {
                    announcer.announce(kind, id);
                }
                Ok(answer)
            }
        }
    }

    fn run(&self, call: &Call, kind: Kind) -> Result<Reply, Refused> {
        let mut store = self.store.lock();
        let target = call
            .target
            .as_ref()
            .map(|target| found(&store, call.operation, kind, target));
        let target = target.transpose()?;
        if call.operation.is_write() && !call.caller.may_write() {
            return Err(Refused::forbidden(call.caller.id.is_some()));
        }
        let printed = |store: &Store, id| self.printer(store, call).record(kind, id, Detail::Alone);
        match (call.operation.id.action, target) {
            (Action::Create | Action::Update, known) => {
                let id = write::write(call, &mut store, kind, known)?;
                Ok(Reply {
                    status: known.map_or(StatusCode::CREATED, |_| StatusCode::OK),
                    ..Reply::ok(printed(&store, id))
                })
            }
            (Action::Delete, Some(id)) => {
                let before = printed(&store, id);
                write::delete(call, &mut store, kind, id)?;
                let is_gone = kind.is_term();
                Ok(Reply::ok(if is_gone { before } else { printed(&store, id) }))
            }
            (_, Some(id)) => self.read(&store, call, kind, id),
            (_, None) => list(call, kind, &self.printer(&store, call)),
        }
    }

    fn read(&self, store: &Store, call: &Call, kind: Kind, id: u64) -> Result<Reply, Refused> {
        let by = self.printer(store, call);
        let record = store.get(kind, id).ok_or_else(|| Refused::invalid("id"))?;
        if !kind.is_term() && !by.may_read(record) {
            return Err(Refused::not_accessible(kind));
        }
        // A caller that reads a record in order to edit it needs no password.
        let edits = call.caller.reads_all() && call.text("context").as_deref() == Some("edit");
        if kind == Kind::Event && by.is_locked(record) && !edits {
            return Err(Refused::new(
                StatusCode::FORBIDDEN,
                "event-password-protected",
                "The requested event is not accessible without a password",
            ));
        }
        Ok(Reply::ok(by.record(kind, id, Detail::Alone)))
    }

    fn printer<'a>(&'a self, store: &'a Store, call: &'a Call) -> Printer<'a> {
        Printer {
            store,
            usage: store.usage(),
            caller: &call.caller,
            password: call.text("password"),
            api: &self.api,
            pages: &self.settings.pages,
        }
    }

    fn encode(
        &self,
        parts: &Parts,
        answer: Result<Reply, Refused>,
        allowed: Option<String>,
    ) -> Response<Bytes> {
        let options = Encoding::of(parts.uri.query());
        let (status, body, counts) = match answer {
            Ok(answer) => (answer.status, options.selected(answer.body), answer.counts),
            Err(refused) => (refused.status, refused.body, None),
        };
        let body = to_php_json(&body, options.is_pretty);
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/json; charset=UTF-8");
        headers.insert(header::CONTENT_TYPE, json);
        // Clients discover the API by this header.
        let root = self.settings.root.as_str().trim_end_matches('/');
        let link = HeaderValue::from_str(&format!("<{root}/>; rel=\"https://api.w.org/\""));
        headers.extend(link.ok().map(|link| (header::LINK, link)));
        if let Some(announcer) = &self.announcer {
            headers.insert(CHANGES, announcer.count().into());
        }
        let allowed = allowed.and_then(|allowed| HeaderValue::from_str(&allowed).ok());
        headers.extend(allowed.map(|allowed| (header::ALLOW, allowed)));
        if let Some((total, pages)) = counts {
            headers.insert("x-tec-total", total.into());
            headers.insert("x-tec-totalpages", pages.into());
        }
        response
    }
}

/// The REST root of a server on a socket.
pub(crate) fn rest_root(socket: SocketAddr) -> io::Result<Url> {
    Url::parse(&format!("http://{socket}/wp-json")).map_err(io::Error::other)
}

/// The whole table: the calendar has every argument that its index publishes.
fn tables(settings: &CalendarSettings, api: &str) -> TablesInForce {
    let index = PublishedIndex::of_document(&index::index(settings, api), PLUGIN_NAMESPACE);
    let tables = index.map(|index| vec![Arc::new(TableInForce::over(&index))]);
    tables.map_or_else(|_| TablesInForce::default(), TablesInForce::new)
}

/// The record that a path names by number or slug.
fn found(store: &Store, operation: &Operation, kind: Kind, target: &str) -> Result<u64, Refused> {
    if operation.id.route.path_parameter() == Some("slug") {
        let slug = slug::requested(target);
        return store.by_slug(kind, &slug).ok_or_else(|| Refused::invalid("slug"));
    }
    let id = target.parse().ok().filter(|id| store.get(kind, *id).is_some());
    id.ok_or_else(|| Refused::invalid("id"))
}

/// The methods of a route that the caller may use.
fn allow(route: Route, caller: &Caller) -> String {
    let methods = table()
        .on_route(route)
        .flat_map(|operation| operation.id.action.methods());
    let methods = methods.map(ToString::to_string);
    let methods = methods.filter(|method| method == "GET" || caller.may_write());
    methods.collect::<Vec<_>>().join(", ")
}

fn empty(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
