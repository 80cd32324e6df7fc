//! The values that a fleet derives from its secret: its name in the store, the seals of its messages and its hash.

use std::fmt;

use ring::hmac;

use crate::companion::mark::{Seal, SealFault};
use crate::keyed_hash::KeyedHash;
use crate::settings::mark_text::Hex;
use crate::settings::{FleetSettings, MarkKey};
use crate::unix_time::UnixTime;

/// The keys of a fleet; clones share them.
#[derive(Clone)]
pub struct FleetKey {
    /// The name of the fleet in the store.
    pub id: String,
    seals: MarkKey,
    /// The hash of the fleet.
    pub hash: KeyedHash,
    secret: MarkKey,
}

/// A text that an edge has sealed: kind and edge are part of what is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedText {
    /// The kind of the text: `purge`, `seen`, `member`.
    pub kind: String,
    /// The edge that sealed it.
    pub edge: String,
    /// The text.
    pub body: String,
    /// The seal.
    pub seal: String,
}

/// The most letters of a kind or of the name of an edge.
const LONGEST_NAME: usize = 32;

// === impl SealedText ===

impl SealedText {
    /// A text of this kind in the name of an edge, which is not sealed yet.
    pub fn unsealed(kind: &str, edge: &str, body: String) -> Self {
        Self {
            kind: kind.to_owned(),
            edge: edge.to_owned(),
            body,
            seal: String::new(),
        }
    }

    /// Reads a line of an edge as [`Self::line`] writes it, behind so many words. None if it has no second line.
    pub fn of_line(kind: &str, edge: &str, words: usize, line: &str) -> Option<Self> {
        let (head, body) = line.split_once('\n')?;
        let seal = head.splitn(words.saturating_add(1), ' ').nth(words);
        Some(Self {
            seal: seal.unwrap_or_default().to_owned(),
            ..Self::unsealed(kind, edge, body.to_owned())
        })
    }

    /// The seal, and the text behind a line end.
    pub fn line(&self) -> String {
        format!("{}\n{}", self.seal, self.body)
    }
}

// === impl FleetKey ===

impl FleetKey {
    /// The keys of a fleet that is set; none for an edge that is alone.
    pub fn of(settings: &FleetSettings) -> Option<Self> {
        Self::new(settings.secret.as_ref().filter(|_| settings.is_set())?)
    }

    /// The keys that the secret makes: always some, because what is derived is long enough.
    fn new(secret: &MarkKey) -> Option<Self> {
        let seals = Hex(derived(secret, "seal", "")).to_string();
        let id = Hex(derived(secret, "id", "")).to_string();
        let hash = derived(secret, "hash", "");
        Some(Self {
            id: id.chars().take(16).collect(),
            seals: MarkKey::new(seals.as_bytes()).ok()?,
            hash: KeyedHash::new(*hash.as_ref().first_chunk()?),
            secret: secret.clone(),
        })
    }

    /// The key of the store for one of the fleet's own.
    pub fn store_key(&self, name: &str) -> String {
        format!("ce:{{{}}}:{name}", self.id)
    }

    /// 32 bytes that all edges of the fleet derive alike for a purpose, such as the shares of clients.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let tag = derived(&self.secret, purpose, &self.id);
        tag.as_ref().first_chunk().copied().unwrap_or([0; 32])
    }

    /// Seals a text. `nonce` is a random number that no other text has.
    pub fn seal(&self, text: SealedText, now: UnixTime, nonce: [u8; 16]) -> SealedText {
        let subject = subject(&text.kind, &text.edge);
        SealedText {
            seal: self
                .seals
                .seal_about(&subject, text.body.as_bytes(), now.as_secs(), nonce),
            ..text
        }
    }

    /// Opens the seal of a text, whatever its age.
    ///
    /// # Errors
    ///
    /// When it is not made with the secret of this fleet, or for another text, kind or edge.
    pub fn open(&self, text: &SealedText) -> Result<Seal, SealFault> {
        if !is_name(&text.kind) || !is_name(&text.edge) {
            return Err(SealFault::Malformed);
        }
        let subject = subject(&text.kind, &text.edge);
        let seal = self.seals.open_about(&subject, text.seal.as_bytes())?;
        if !seal.covers(text.body.as_bytes()) {
            return Err(SealFault::Forged);
        }
        Ok(seal)
    }
}

impl fmt::Debug for FleetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

fn derived(secret: &MarkKey, purpose: &str, name: &str) -> hmac::Tag {
    let text = format!("calendar-edge fleet v1 {purpose}\n{name}");
    hmac::sign(secret.hmac(), text.as_bytes())
}

/// Kinds and names of edges hold no blanks, so that no two pairs have one subject.
fn subject(kind: &str, edge: &str) -> String {
    format!("fleet {kind} {edge}")
}

fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixTime = UnixTime::from_secs(1_763_769_600);

    fn key(secret: &[u8]) -> FleetKey {
        FleetKey::new(&MarkKey::new(secret).unwrap()).unwrap()
    }

    fn ours() -> FleetKey {
        key(b"a secret of thirty-two characters")
    }

    #[test]
    fn a_fleet_has_its_own_name_seals_and_hash() {
        let other = key(b"another secret with 32 characters");
        let sealed = ours().seal(SealedText::unsealed("purge", "aa", "{}".to_owned()), NOW, [7; 16]);
        assert_ne!(other.id, ours().id);
        assert_ne!(other.hash.of(b"x"), ours().hash.of(b"x"));
        assert_ne!(other.derive("share"), ours().derive("share"));
        assert_eq!(other.open(&sealed), Err(SealFault::Forged));
        assert_eq!(ours().open(&sealed).unwrap().time, NOW.as_secs());
        assert_eq!(ours().id.len(), 16);
        assert_eq!(other.store_key("log"), format!("ce:{{{}}}:log", other.id));
        assert_ne!(ours().derive("share"), ours().derive("seal"));
    }

    #[test]
    fn a_line_is_read_behind_the_words_before_it() {
        let sealed = ours().seal(
            SealedText::unsealed("rule", "aa", "{\n}".to_owned()),
            NOW,
            [7; 16],
        );
        for (words, before) in ["", "7 ", "7 aa "].into_iter().enumerate() {
            let line = format!("{before}{}", sealed.line());
            assert_eq!(
                SealedText::of_line("rule", "aa", words, &line),
                Some(sealed.clone())
            );
        }
        assert_eq!(SealedText::of_line("rule", "aa", 0, "{}"), None);
        let short = SealedText::of_line("rule", "aa", 2, "7\n{}").unwrap();
        assert_eq!(ours().open(&short), Err(SealFault::Malformed));
    }

    #[test]
    fn whatever_is_sealed_belongs_to_the_seal() {
        let sealed = ours().seal(SealedText::unsealed("purge", "aa", "{}".to_owned()), NOW, [7; 16]);
        let other = |change: fn(&mut SealedText)| {
            let mut text = sealed.clone();
            change(&mut text);
            ours().open(&text)
        };
        assert_eq!(
            other(|text| text.kind = "seen".to_owned()),
            Err(SealFault::Forged)
        );
        assert_eq!(other(|text| text.edge = "ab".to_owned()), Err(SealFault::Forged));
        assert_eq!(other(|text| text.body = "[]".to_owned()), Err(SealFault::Forged));
        assert_eq!(other(|text| text.seal.clear()), Err(SealFault::Malformed));
        for kind in ["", "a b", "a\nb", "Purge"] {
            let text = ours().seal(SealedText::unsealed(kind, "aa", String::new()), NOW, [7; 16]);
            assert_eq!(ours().open(&text), Err(SealFault::Malformed), "{kind}");
        }
    }
}
