//! The records of the recorded site that requests of the corpus name, without their contents.

use jiff::civil::DateTime;

use crate::store::{Event, Organizer, Post, PostBody, PostStatus, Store, Term};
use crate::{cost::Cost, store::Flags};
use calendar_edge_judge::contract::Taxonomy;

const VENUES: &[(u64, &str)] = &[
    (7, "grand-hall"),
    (8, "cafe-muller-son"),
    (9, "%e6%9d%b1%e4%ba%ac%e3%83%89%e3%83%bc%e3%83%a0"),
    (10, "riverside-park"),
    (11, "library"),
    (12, "warehouse-9"),
    (13, "draft-venue"),
    (14, "private-venue"),
    (23, "scratch-venue-1"),
    (25, "scratch-venue-2"),
    (27, "scratch-venue-3"),
];

const ORGANIZERS: &[(u64, &str)] = &[
    (15, "acme-concerts"),
    (16, "jorg-sonner"),
    (
        17,
        "%e6%9d%b1%e4%ba%ac%e3%82%a4%e3%83%99%e3%83%b3%e3%83%88%e6%a0%aa%e5%bc%8f%e4%bc%9a%e7%a4%be",
    ),
    (18, "city-council"),
    (19, "obrien-the-host"),
    (20, "book-club"),
    (21, "draft-organizer"),
    (22, "private-organizer"),
    (24, "scratch-organizer-1"),
    (26, "scratch-organizer-2"),
    (28, "scratch-organizer-3"),
];

const EVENTS: &[(u64, &str)] = &[
    (29, "past-concert-1"),
    (30, "past-concert-2"),
    (31, "past-concert-3"),
    (37, "long-past-festival"),
    (50, "new-year-brunch"),
    (51, "camping-week"),
    (52, "muller-son-jubilaum"),
    (
        53,
        "%e6%9d%b1%e4%ba%ac%e3%82%b8%e3%83%a3%e3%82%ba%e3%83%8a%e3%82%a4%e3%83%88",
    ),
    (56, "new-york-gala"),
    (59, "workshop-html-bold"),
    (60, "slug-with-dots"),
    (62, "emoji-%f0%9f%8e%89-party"),
    (64, "multi-year"),
    (68, "draft-event"),
    (69, "pending-event"),
    (70, "private-event"),
    (71, "scheduled-event"),
    (72, "password-event"),
    (73, "trashed-event__trashed"),
    (74, "event-with-draft-venue"),
    (75, "scratch-event-1"),
    (76, "scratch-event-2"),
    (77, "scratch-event-3"),
    (78, "scratch-event-4"),
    (79, "scratch-event-5"),
    (83, ""),
];

const CATEGORIES: &[(u64, &str, &str)] = &[
    (2, "music", "Music"),
    (3, "jazz", "Jazz"),
    (4, "bebop", "Bebop"),
    (5, "workshops", "Workshops"),
    (6, "online-workshops", "Online Workshops"),
    (7, "kuche-garten", "Küche &amp; Gärten"),
    (8, "%e9%9f%b3%e6%a5%bd", "音楽"),
    (9, "empty-category", "Empty Category"),
    (17, "scratch-cat-1", "Scratch Cat 1"),
    (19, "scratch-cat-2", "Scratch Cat 2"),
    (21, "scratch-cat-3", "Scratch Cat 3"),
];

const TAGS: &[(u64, &str, &str)] = &[
    (10, "free", "free"),
    (11, "family-friendly", "family friendly"),
    (12, "21-plus", "21+"),
    (13, "strasenfest", "Straßenfest"),
    (14, "%e7%84%a1%e6%96%99", "無料"),
    (15, "unused", "unused"),
    (16, "2027", "2027"),
    (18, "scratch-tag-1", "Scratch Tag 1"),
    (20, "scratch-tag-2", "Scratch Tag 2"),
    (22, "scratch-tag-3", "Scratch Tag 3"),
];

/// A store with these records.
pub(super) fn store() -> Store {
    let mut store = Store::default();
    let venues = VENUES.iter().map(|row| (row, PostBody::Venue(Box::default())));
    let organizers = ORGANIZERS
        .iter()
        .map(|row| (row, PostBody::Organizer(Organizer::default())));
    let events = EVENTS.iter().map(|row| (row, PostBody::Event(Box::new(event()))));
    for ((id, slug), body) in venues.chain(organizers).chain(events) {
        store.put_post(post(*id, slug, body)).expect("room");
    }
    let categories = CATEGORIES.iter().map(|row| (row, Taxonomy::Category));
    for ((id, slug, name), taxonomy) in categories.chain(TAGS.iter().map(|row| (row, Taxonomy::Tag))) {
        let term = Term {
            id: *id,
            taxonomy,
            name: (*name).to_owned(),
            slug: (*slug).to_owned(),
            description: String::new(),
            parent: 0,
        };
        store.put_term(term).expect("room");
    }
    store
}

fn post(id: u64, slug: &str, body: PostBody) -> Post {
    Post {
        id,
        author: 1,
        status: PostStatus::Publish,
        date: DateTime::ZERO,
        date_utc: None,
        modified: DateTime::ZERO,
        modified_utc: None,
        title: String::new(),
        description: String::new(),
        excerpt: String::new(),
        slug: slug.to_owned(),
        password: String::new(),
        image: None,
        body,
    }
}

fn event() -> Event {
    Event {
        start: DateTime::ZERO,
        end: DateTime::ZERO,
        utc_start: DateTime::ZERO,
        utc_end: DateTime::ZERO,
        timezone: "UTC".to_owned(),
        flags: Flags::default(),
        cost: Cost::default(),
        website: None,
        categories: Vec::new(),
        tags: Vec::new(),
        venue: None,
        organizers: Vec::new(),
    }
}
