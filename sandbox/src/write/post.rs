//! The part of a write that events, venues and organizers share.

use jiff::civil::DateTime;

use crate::moment;
use crate::rest_error::RestError;
use crate::site_call::Call;
use crate::slug;
use crate::store::{Post, PostBody, PostStatus, Store};
use crate::zone::Zone;
use calendar_edge_judge::contract::Kind;

/// The end of a trashed post's slug.
const TRASHED: &str = "__trashed";

/// Sets the publication that a call asks for; the clock that is not sent follows from the other one.
pub(super) fn publish_at(call: &Call, post: &mut Post) {
    let read = |text: Option<String>| moment::read(&text?, call.wall());
    let (date, utc) = (read(call.filled("date")), read(call.text("date_utc")));
    let site = Zone::site();
    if let Some(date) = date.or_else(|| utc.map(|utc| site.wall_of_utc(utc))) {
        post.date = date;
        post.date_utc = Some(utc.unwrap_or_else(|| site.to_utc(date)));
    }
}

/// A new post of the user.
pub(super) fn fresh(call: &Call, id: u64, body: PostBody) -> Post {
    Post {
        id,
        author: call.number("author").unwrap_or_else(|| call.user.id()),
        status: PostStatus::Publish,
        date: call.wall(),
        date_utc: Some(call.utc()),
        modified: call.wall(),
        modified_utc: Some(call.utc()),
        title: String::new(),
        description: String::new(),
        excerpt: String::new(),
        slug: String::new(),
        password: String::new(),
        image: None,
        body,
    }
}

/// Sets status, dates and slug of a post that is about to be stored.
pub(super) fn settle(call: &Call, store: &Store, post: &mut Post, wanted_slug: Option<&str>) {
    if let Some(plain) = post.slug.strip_suffix(TRASHED) {
        post.slug = plain.to_owned();
    }
    let is_new = store.post(post.kind(), post.id).is_none();
    post.status = status(call, post.date);
    if post.status.is_undated() {
        post.date = call.wall();
        post.date_utc = None;
    } else if post.date_utc.is_none() {
        post.date_utc = Some(Zone::site().to_utc(post.date));
    }
    post.modified = if is_new { post.date } else { call.wall() };
    post.modified_utc = if is_new { post.date_utc } else { Some(call.utc()) };
    // Contributors name nothing that waits for an editor.
    let wanted_slug = wanted_slug.filter(|_| call.user.may_publish() || !post.status.is_undated());
    settle_slug(store, post, wanted_slug);
    if post.status == PostStatus::Trash {
        post.slug.push_str(TRASHED);
    }
}

/// The status that a call asks for, or the default. A post is not published before its date, and never by a
/// contributor.
fn status(call: &Call, date: DateTime) -> PostStatus {
    let asked = call.text("status").and_then(|name| PostStatus::named(&name));
    let status = match asked {
        Some(PostStatus::Publish | PostStatus::Future) if !call.user.may_publish() => PostStatus::Pending,
        Some(status) => status,
        None if call.user.may_publish() => PostStatus::Publish,
        None => PostStatus::Draft,
    };
    match status {
        PostStatus::Publish | PostStatus::Future if date > call.wall() => PostStatus::Future,
        PostStatus::Future => PostStatus::Publish,
        status => status,
    }
}

/// A slug that was asked for, or one of the title once the post is dated; unique among its kind.
fn settle_slug(store: &Store, post: &mut Post, wanted: Option<&str>) {
    let from_title = || slug::from_title(&post.title);
    let slug = match wanted.map(slug::from_title).filter(|slug| !slug.is_empty()) {
        Some(slug) => slug,
        None if !post.slug.is_empty() => return,
        None if post.status.is_undated() => return,
        None => Some(from_title())
            .filter(|slug| !slug.is_empty())
            .unwrap_or_else(|| post.id.to_string()),
    };
    post.slug = store.free_post_slug(post.kind(), &slug, post.id);
}

/// `DELETE` of a post: to the trash, once.
pub(crate) fn trash(call: &Call, store: &mut Store, kind: Kind, id: u64) -> Result<(), RestError> {
    let Some(known) = store.post(kind, id) else {
        return Err(RestError::NotAccessible(kind));
    };
    if known.status == PostStatus::Trash {
        return Err(RestError::InTrash(kind));
    }
    let mut post = known.clone();
    post.status = PostStatus::Trash;
    post.slug.push_str(TRASHED);
    post.modified = call.wall();
    post.modified_utc = Some(call.utc());
    store.put_post(post)?;
    Ok(())
}

/// The text members that every kind may set; contributors can't bring scripts in.
pub(super) fn set_texts(call: &Call, post: &mut Post) {
    if let Some(text) = call.text("description") {
        post.description = if call.user.may_publish() {
            text
        } else {
            crate::markup::without_scripts(&text)
        };
    }
    if let Some(author) = call.number("author") {
        post.author = author;
    }
}
