//! How much the sandbox keeps: it is a demonstration, not a database.

use super::post::{Post, PostBody};
use super::term::Term;

/// Records of all kinds at once.
pub(super) const RECORDS: usize = 10_000;

/// Bytes of text in all records at once.
pub(super) const TEXT_BYTES: usize = 32 * 1024 * 1024;

/// The store has no room for another record or for more text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// Bytes of text in a post.
pub(super) fn weight_of_post(post: &Post) -> usize {
    let own = [
        &post.title,
        &post.description,
        &post.excerpt,
        &post.slug,
        &post.password,
    ];
    let own: usize = own.into_iter().map(String::len).sum();
    let body = match &post.body {
        PostBody::Event(event) => {
            let links = event.categories.len() + event.tags.len() + event.organizers.len();
            let values: usize = event.cost.values.iter().map(String::len).sum();
            let website = event.website.as_ref().map_or(0, String::len);
            event.timezone.len() + event.cost.shown.len() + values + website + links * size_of::<u64>()
        }
        PostBody::Venue(venue) => {
            let texts = [
                &venue.address,
                &venue.city,
                &venue.country,
                &venue.province,
                &venue.state,
                &venue.zip,
                &venue.phone,
                &venue.website,
                &venue.stateprovince,
            ];
            texts.into_iter().map(String::len).sum()
        }
        PostBody::Organizer(organizer) => {
            organizer.phone.len() + organizer.website.len() + organizer.email.len()
        }
    };
    own + body
}

/// Bytes of text in a term.
pub(super) fn weight_of_term(term: &Term) -> usize {
    term.name.len() + term.slug.len() + term.description.len()
}
