//! The sample calendar: the events of a small town from last month into next year.

use jiff::civil::{DateTime, Time};
use jiff::{Span, Timestamp};

use super::post::{Event, Flags, Organizer, Post, PostBody, PostStatus, Venue};
use super::records::Store;
use super::sample::{CATEGORIES, EVENTS, EventRow, Hours, ORGANIZERS, Shown, TAGS, VENUES};
use super::term::Term;
use crate::cost::Cost;
use crate::image;
use crate::markup;
use crate::slug;
use crate::zone::Zone;
use calendar_edge_judge::contract::Taxonomy;

/// The number of the account that owns the sample calendar.
const PRIMARY: u64 = 1;

/// How long ago the calendar was typed in.
const AGE: i64 = 30;

/// The sample calendar, dated around this moment.
pub(crate) fn seed(now: Timestamp) -> Store {
    let mut planting = Planting {
        store: Store::default(),
        today: Zone::site().wall(now).date().to_datetime(Time::midnight()),
    };
    planting.store.reserve_posts(image::LAST_ID);
    let categories: Vec<u64> = CATEGORIES
        .iter()
        .map(|(name, parent)| planting.category(name, *parent))
        .collect();
    let tags: Vec<u64> = TAGS
        .iter()
        .map(|name| planting.term(Taxonomy::Tag, name, 0))
        .collect();
    let venues: Vec<u64> = VENUES.iter().map(|row| planting.venue(row)).collect();
    let organizers: Vec<u64> = ORGANIZERS.iter().map(|row| planting.organizer(row)).collect();
    let pick = |all: &[u64], places: &[usize]| {
        places
            .iter()
            .filter_map(|place| all.get(*place).copied())
            .collect()
    };
    for row in EVENTS {
        let links = Links {
            venue: row.venue.and_then(|place| venues.get(place).copied()),
            organizers: pick(&organizers, row.organizers),
            categories: pick(&categories, row.categories),
            tags: pick(&tags, row.tags),
        };
        planting.event(row, links);
    }
    planting.store
}

/// The numbers of an event's linked records.
struct Links {
    venue: Option<u64>,
    organizers: Vec<u64>,
    categories: Vec<u64>,
    tags: Vec<u64>,
}

struct Planting {
    store: Store,
    today: DateTime,
}

// === impl Planting ===

impl Planting {
    fn category(&mut self, name: &str, parent: Option<&str>) -> u64 {
        let parent = parent.and_then(|name| self.store.term_called(Taxonomy::Category, name));
        let parent = parent.map_or(0, |term| term.id);
        self.term(Taxonomy::Category, name, parent)
    }

    fn term(&mut self, taxonomy: Taxonomy, name: &str, parent: u64) -> u64 {
        let id = self.store.next_term();
        let term = Term {
            id,
            taxonomy,
            name: markup::term_name(name),
            slug: slug::from_title(name),
            description: String::new(),
            parent,
        };
        self.store
            .put_term(term)
            .expect("the sample calendar is smaller than the store");
        id
    }

    fn venue(&mut self, row: &[&str; 8]) -> u64 {
        let [name, address, city, country, zip, phone, website, description] = row.map(str::to_owned);
        let body = PostBody::Venue(Box::new(Venue {
            address,
            city,
            country,
            zip,
            phone,
            website,
            show_map: true,
            show_map_link: true,
            ..Venue::default()
        }));
        self.post(&name, description, body)
    }

    fn organizer(&mut self, row: &[&str; 5]) -> u64 {
        let [name, phone, website, email, description] = row.map(str::to_owned);
        let body = PostBody::Organizer(Organizer {
            phone,
            website,
            email,
        });
        self.post(&name, description, body)
    }

    fn event(&mut self, row: &EventRow, links: Links) {
        let zone = Zone::named(row.timezone).unwrap_or_else(Zone::site);
        let (start, end) = self.dates(row.day, row.hours);
        let event = Event {
            start,
            end,
            utc_start: zone.to_utc(start),
            utc_end: zone.to_utc(end),
            timezone: zone.name().to_owned(),
            flags: Flags {
                all_day: matches!(row.hours, Hours::WholeDays(_)),
                featured: row.image.is_some(),
                show_map: true,
                show_map_link: true,
                ..Flags::default()
            },
            cost: Cost::read(row.cost),
            website: None,
            categories: links.categories,
            tags: links.tags,
            venue: links.venue,
            organizers: links.organizers,
        };
        let id = self.post(
            row.title,
            row.description.to_owned(),
            PostBody::Event(Box::new(event)),
        );
        let Some(mut post) = self
            .store
            .post(calendar_edge_judge::contract::Kind::Event, id)
            .cloned()
        else {
            return;
        };
        post.image = row.image;
        match row.shown {
            Shown::Openly => {}
            Shown::As(status) => {
                post.status = status;
                if status.is_undated() {
                    post.date_utc = None;
                    post.modified_utc = None;
                }
            }
            Shown::Behind(password) => password.clone_into(&mut post.password),
        }
        self.put(post);
    }

    fn dates(&self, day: i64, hours: Hours) -> (DateTime, DateTime) {
        let date = self.today.saturating_add(Span::new().days(day)).date();
        match hours {
            Hours::From(hour, length) => {
                let start = date.at(hour, 0, 0, 0);
                (start, start.saturating_add(Span::new().hours(length)))
            }
            Hours::WholeDays(count) => {
                let last = date
                    .to_datetime(Time::midnight())
                    .saturating_add(Span::new().days(count - 1));
                (date.to_datetime(Time::midnight()), last.date().at(23, 59, 59, 0))
            }
        }
    }

    /// A published post; each a minute younger than the one before.
    fn post(&mut self, title: &str, description: String, body: PostBody) -> u64 {
        let id = self.store.next_post();
        let minutes = i64::try_from(id).unwrap_or(0);
        let typed = Span::new().days(-AGE).hours(9).minutes(minutes);
        let date = self.today.saturating_add(typed);
        let utc = Some(Zone::site().to_utc(date));
        let mut post = Post {
            id,
            author: PRIMARY,
            status: PostStatus::Publish,
            date,
            date_utc: utc,
            modified: date,
            modified_utc: utc,
            title: title.to_owned(),
            description,
            excerpt: String::new(),
            slug: String::new(),
            password: String::new(),
            image: None,
            body,
        };
        post.slug = self
            .store
            .free_post_slug(post.kind(), &slug::from_title(title), id);
        self.put(post);
        id
    }

    fn put(&mut self, post: Post) {
        self.store
            .put_post(post)
            .expect("the sample calendar is smaller than the store");
    }
}
