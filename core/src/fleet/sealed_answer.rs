//! An answer in the store of a fleet: sealed for its cache key, with the removals that end it, and the place in the log up to
//! which none of them came.

use ring::digest::{Context, SHA256};
use ring::hmac;

use super::cursor::Cursor;
use super::fleet_key::FleetKey;
use crate::cache::{Dependencies, Removal, Tag};
use crate::companion::mark::SealFault;

/// An answer whose seal is intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedAnswer<'v> {
    place: &'v str,
    /// The answer, as it was sealed.
    pub answer: &'v [u8],
}

/// The places of the store's table of removals. Tags that share one end each other's answers, which removes too much and
/// never too little.
const PLACES: u64 = 4096;

/// The place that every removal marks.
const ANY: &str = "any";

/// The place of removals of everything, which every answer has.
const ALL: &str = "all";

/// The most places of one answer; more count as any.
const MOST_PLACES: usize = 1024;

/// The bytes of a seal.
const SEAL: usize = 32;

// === impl FleetKey ===

impl FleetKey {
    /// The name of an answer in the store.
    pub fn answer_name(&self, cache_key: &str) -> String {
        format!("{:016x}", self.hash().of(cache_key.as_bytes()))
    }

    /// The places of the removals that end an answer.
    pub fn places_of_answer(&self, dependencies: &Dependencies) -> String {
        match dependencies {
            Dependencies::On(tags) if tags.len() <= MOST_PLACES => self.places(tags),
            Dependencies::On(_) | Dependencies::OnEverything => ANY.to_owned(),
        }
    }

    /// The places that a removal marks.
    pub fn places_of_removal(&self, removal: &Removal) -> String {
        match removal.with_collections() {
            Removal::Tags(tags) => format!("{ANY} {}", self.places(&tags)),
            Removal::All => ALL.to_owned(),
        }
    }

    fn places(&self, tags: &[Tag]) -> String {
        let place = |tag: &Tag| self.hash().of(tag.to_string().as_bytes()) % PLACES;
        let mut places: Vec<u64> = tags.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        let names: Vec<String> = places.iter().map(|place| format!("{place:x}")).collect();
        names.join(" ")
    }

    /// Seals an answer that nothing has removed up to this place in the log. It begins with a line of its places.
    pub fn seal_answer(&self, cache_key: &str, places: &str, at: &Cursor, answer: &[u8]) -> Vec<u8> {
        let sealed = [at.place().as_bytes(), b"\n", answer].concat();
        let digest = digest([cache_key.as_bytes(), places.as_bytes(), &sealed]);
        let seal = hmac::sign(&self.answer_key(), &digest);
        [places.as_bytes(), b"\n", seal.as_ref(), &sealed].concat()
    }

    /// Opens what the store has for a cache key.
    ///
    /// # Errors
    ///
    /// When it is not made with the secret of this fleet, or for another key or other places.
    pub fn open_answer<'v>(&self, cache_key: &str, value: &'v [u8]) -> Result<SealedAnswer<'v>, SealFault> {
        let (places, rest) = line(value).ok_or(SealFault::Malformed)?;
        let (seal, sealed) = rest.split_at_checked(SEAL).ok_or(SealFault::Malformed)?;
        let digest = digest([cache_key.as_bytes(), places, sealed]);
        hmac::verify(&self.answer_key(), &digest, seal).map_err(|_| SealFault::Forged)?;
        let (place, answer) = line(sealed).ok_or(SealFault::Malformed)?;
        let place = str::from_utf8(place).map_err(|_| SealFault::Malformed)?;
        Ok(SealedAnswer { place, answer })
    }

    fn answer_key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.derive("answer"))
    }
}

// === impl SealedAnswer ===

impl SealedAnswer<'_> {
    /// Whether nothing has removed the answer: the last removal that would have is message `removed` of the log in which
    /// `now` is a place.
    pub fn is_current(&self, now: &Cursor, removed: u64) -> bool {
        now.vouches_for(self.place, removed)
    }
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at(end);
    Some((line, rest.get(1..)?))
}

/// The digest of parts, each behind its length, so that no two lists of parts have the same.
fn digest(parts: [&[u8]; 3]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        context.update(part);
    }
    let mut digest = [0; 32];
    for (place, byte) in digest.iter_mut().zip(context.finish().as_ref()) {
        *place = *byte;
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::LogEnd;
    use crate::settings::MarkKey;

    fn key(secret: &[u8]) -> FleetKey {
        FleetKey::new(&MarkKey::new(secret).unwrap(), None).unwrap()
    }

    fn ours() -> FleetKey {
        key(b"a secret of thirty-two characters")
    }

    fn at(server: &str, boot: &str, number: u64) -> Cursor {
        Cursor::at(&LogEnd {
            server: server.to_owned(),
            boot: Some(boot.to_owned()),
            number,
            ..LogEnd::default()
        })
        .unwrap()
    }

    #[test]
    fn an_answer_is_opened_for_its_own_key_only() {
        let value = ours().seal_answer("k", "1 2", &at("s", "b", 7), b"an\nanswer");
        assert_eq!(ours().open_answer("k", &value).unwrap().answer, b"an\nanswer");
        assert_eq!(ours().open_answer("j", &value), Err(SealFault::Forged));
        let stranger = key(b"another secret with 32 characters");
        assert_eq!(stranger.open_answer("k", &value), Err(SealFault::Forged));
        for index in 0..value.len() {
            let mut other = value.clone();
            other[index] ^= 1;
            assert!(ours().open_answer("k", &other).is_err(), "{index}");
            assert!(ours().open_answer("k", &value[..index]).is_err(), "{index}");
        }
    }

    #[test]
    fn a_later_removal_ends_an_answer_and_so_does_another_log() {
        let value = ours().seal_answer("k", "", &at("s", "b", 7), b"");
        let opened = ours().open_answer("k", &value).unwrap();
        assert!(opened.is_current(&at("s", "b", 9), 7));
        assert!(!opened.is_current(&at("s", "b", 9), 8));
        assert!(!opened.is_current(&at("t", "b", 9), 7));
        assert!(!opened.is_current(&at("s", "c", 9), 7));
    }

    #[test]
    fn a_removal_marks_a_place_of_each_answer_that_it_ends() {
        let tag = |text: &str| -> Tag { text.parse().unwrap() };
        let tags = [tag("event:5"), tag("venues")];
        let answer = ours().places_of_answer(&Dependencies::On(Box::new(tags)));
        let marks = |text: &str| {
            let marked = ours().places_of_removal(&Removal::Tags(vec![tag(text)]));
            marked
                .split(' ')
                .any(|place| answer.split(' ').any(|own| own == place))
        };
        assert!(marks("event:5"));
        // A list of venues changes with each of them.
        assert!(marks("venue:9"));
        assert!(!marks("event:6"));
        assert_eq!(ours().places_of_answer(&Dependencies::OnEverything), "any");
        assert!(
            ours()
                .places_of_removal(&Removal::Tags(Vec::new()))
                .starts_with("any")
        );
        assert_eq!(ours().places_of_removal(&Removal::All), "all");
    }
}
