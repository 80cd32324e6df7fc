//! The handlers of the operations, for calls that passed validation and permission.

use serde_json::{Value as Json, json};

use super::address::Address;
use super::render::{self, Detail, View};
use super::rest_error::RestError;
use super::site_call::{Call, text_of};
use super::site_response::{SiteResponse, map_or_list};
use super::store::{Post, Store, Term, Usage};
use super::{doc, index, list, slug, write};
use calendar_edge_judge::contract::{Action, Kind, PLUGIN_NAMESPACE, Route, Taxonomy};
use calendar_edge_judge::problem::Problem;
use calendar_edge_judge::wordpress::value::Value;

/// Runs a call.
pub(super) fn run(call: &Call, store: &mut Store, address: &Address) -> Result<SiteResponse, RestError> {
    let id = call.operation.id;
    match id.route {
        Route::Index => describe(call, address),
        Route::Doc => Ok(SiteResponse::ok(doc::document(address))),
        Route::Collection(kind) | Route::Item(kind) | Route::BySlug(kind) => {
            let handler = Handler { call, address };
            match taxonomy(kind) {
                Some(taxonomy) => handler.term(store, taxonomy),
                None => handler.post(store, kind),
            }
        }
    }
}

fn taxonomy(kind: Kind) -> Option<Taxonomy> {
    match kind {
        Kind::Category => Some(Taxonomy::Category),
        Kind::Tag => Some(Taxonomy::Tag),
        Kind::Event | Kind::Venue | Kind::Organizer => None,
    }
}

/// The index of the namespace; other namespaces have none.
fn describe(call: &Call, address: &Address) -> Result<SiteResponse, RestError> {
    let asked = call.value("namespace").map(text_of);
    if asked.is_some_and(|name| name.as_deref() != Some(PLUGIN_NAMESPACE)) {
        return Err(Problem::InvalidNamespace.into());
    }
    Ok(SiteResponse::ok(index::index(address, call.now)))
}

struct Handler<'a> {
    call: &'a Call,
    address: &'a Address,
}

// === impl Handler ===

impl Handler<'_> {
    fn post(&self, store: &mut Store, kind: Kind) -> Result<SiteResponse, RestError> {
        match self.call.operation.id.action {
            Action::Describe | Action::List => self.list(store, kind),
            Action::Create => {
                let id = self.create(store, kind)?;
                Ok(SiteResponse::created(self.written(store, kind, id)))
            }
            Action::Read => self.read(store, kind),
            Action::Update => {
                let Some(id) = self.target(store, kind) else {
                    return Ok(SiteResponse::ok(nothing_to_update()));
                };
                self.refuse_broken_text()?;
                match kind {
                    Kind::Event => write::update_event(self.call, store, id)?,
                    _ => write::update_linked_post(self.call, store, kind, id)?,
                }
                Ok(SiteResponse::ok(self.written(store, kind, id)))
            }
            Action::Delete => {
                let id = self.target(store, kind).ok_or(RestError::NotAccessible(kind))?;
                write::trash(self.call, store, kind, id)?;
                Ok(SiteResponse::ok(self.written(store, kind, id)))
            }
        }
    }

    fn create(&self, store: &mut Store, kind: Kind) -> Result<u64, RestError> {
        self.refuse_broken_text()?;
        match kind {
            Kind::Event => write::create_event(self.call, store),
            _ => write::create_linked_post(self.call, store, kind),
        }
    }

    fn refuse_broken_text(&self) -> Result<(), RestError> {
        let mut arguments = self.call.operation.arguments.iter();
        let is_broken = |text: &[u8]| std::str::from_utf8(text).is_err();
        let found = arguments.any(|argument| {
            let sent = self.call.value(argument.name).and_then(Value::as_text);
            sent.is_some_and(is_broken)
        });
        if found { Err(RestError::NotUtf8) } else { Ok(()) }
    }

    fn list(&self, store: &Store, kind: Kind) -> Result<SiteResponse, RestError> {
        let usage = store.usage();
        let password = self.password();
        let view = self.view(store, &usage, password.as_deref());
        match kind {
            Kind::Event => list::events(self.call, &view),
            _ => list::linked_posts(self.call, &view, kind),
        }
    }

    fn read(&self, store: &Store, kind: Kind) -> Result<SiteResponse, RestError> {
        let usage = store.usage();
        let password = self.password();
        let view = self.view(store, &usage, password.as_deref());
        let post = self.target(store, kind).and_then(|id| store.post(kind, id));
        let post = post
            .filter(|post| view.may_read(post))
            .ok_or(RestError::NotAccessible(kind))?;
        if kind == Kind::Event && view.is_locked(post) && !self.may_edit() {
            return Err(RestError::PasswordNeeded);
        }
        Ok(SiteResponse::ok(render::post(&view, post, Detail::Read)))
    }

    /// Whether the user reads a record in order to edit it, which needs no password.
    fn may_edit(&self) -> bool {
        self.call.user.reads_all() && self.call.text("context").as_deref() == Some("edit")
    }

    fn written(&self, store: &Store, kind: Kind, id: u64) -> Json {
        let usage = store.usage();
        // The response to a write shows the whole record to every writer.
        let view = self.view(store, &usage, None);
        let post = store.post(kind, id);
        post.map_or(Json::Null, |post| render::post(&view, post, Detail::Written))
    }

    /// The post that the winning `id` or `slug` names.
    fn target(&self, store: &Store, kind: Kind) -> Option<u64> {
        if self.call.operation.id.route.path_parameter() == Some("id") {
            return self
                .call
                .number("id")
                .filter(|id| store.post(kind, *id).is_some());
        }
        let asked = self.call.text("slug").filter(|asked| !slug::is_nested(asked))?;
        store
            .post_by_slug(kind, &slug::from_request(&asked))
            .map(|post: &Post| post.id)
    }

    fn term(&self, store: &mut Store, taxonomy: Taxonomy) -> Result<SiteResponse, RestError> {
        let id = self.call.number("id").unwrap_or(0);
        match self.call.operation.id.action {
            Action::Describe | Action::List => {
                let usage = store.usage();
                Ok(list::terms(self.call, &self.view(store, &usage, None), taxonomy))
            }
            Action::Create => {
                let id = write::create_term(self.call, store, taxonomy)?;
                let base = match taxonomy {
                    Taxonomy::Category => "tribe_events_cat",
                    Taxonomy::Tag => "tags",
                };
                let location = self.address.core(&format!("{base}/{id}"));
                Ok(SiteResponse::created(self.own_term(store, taxonomy, id)).with("Location", location))
            }
            Action::Read => Ok(SiteResponse::ok(self.own_term(store, taxonomy, id))),
            Action::Update => {
                write::update_term(self.call, store, taxonomy, id)?;
                Ok(SiteResponse::ok(self.own_term(store, taxonomy, id)))
            }
            Action::Delete => {
                let usage = store.usage();
                let shown = |term: &Term| render::in_list(&self.view(store, &usage, None), term);
                let body = store.term(taxonomy, id).map(shown).unwrap_or_default();
                write::delete_term(store, taxonomy, id);
                Ok(SiteResponse::ok(map_or_list(body)))
            }
        }
    }

    fn own_term(&self, store: &Store, taxonomy: Taxonomy, id: u64) -> Json {
        let usage = store.usage();
        let view = self.view(store, &usage, None);
        let Some(term) = store.term(taxonomy, id) else {
            return json!([]);
        };
        let context = self.call.text("context").unwrap_or_default();
        let mut members = render::trimmed(render::own(&view, term), &context);
        if self.call.query("_embed").is_some()
            && let Some(parent) = render::parent_of(&view, term)
        {
            members.insert("_embedded".to_owned(), json!({"up": [parent]}));
        }
        map_or_list(members)
    }

    /// The event password, which lists and reads by slug take without validation.
    fn password(&self) -> Option<String> {
        self.call
            .value("password")
            .and_then(Value::as_text)
            .map(|text| String::from_utf8_lossy(text).into_owned())
    }

    fn view<'v>(&self, store: &'v Store, usage: &'v Usage, password: Option<&'v str>) -> View<'v>
    where
        Self: 'v,
    {
        View {
            store,
            usage,
            address: self.address,
            user: self.call.user,
            password,
        }
    }
}

/// The plugin's response to an update of an unknown slug: a success without a change.
fn nothing_to_update() -> Json {
    json!({
        "errors": {"event-not-found": ["The requested post ID does not exist or is not an event"]},
        "error_data": [],
    })
}
