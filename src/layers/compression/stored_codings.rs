//! The compressed codings of a stored response: each is made once, behind the first client that likes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::encoder::{THOROUGH, compressed};
use super::shared_bodies::SharedCodings;
use calendar_edge_core::cache::compression::Coding;

/// A response's body and its compressed codings.
#[derive(Debug)]
pub(crate) struct StoredCodings {
    plain: Bytes,
    owner: SharedCodings,
    made: [StoredCoding; Coding::ALL.len()],
}

#[derive(Debug, Default)]
struct StoredCoding {
    is_begun: AtomicBool,
    bytes: OnceLock<Bytes>,
}

// === impl StoredCodings ===

impl StoredCodings {
    /// The codings of a body, none of them made.
    pub(crate) fn new(plain: Bytes, owner: SharedCodings) -> Arc<Self> {
        Arc::new(Self {
            plain,
            owner,
            made: Default::default(),
        })
    }

    /// The length of the body as it is, in bytes.
    pub(crate) fn plain_length(&self) -> u64 {
        self.plain.len() as u64
    }

    /// The body in a coding, if it is made. Otherwise it is made on a thread of its own, once, for the clients to come.
    pub(crate) fn coded(self: &Arc<Self>, coding: Coding) -> Option<Bytes> {
        let coded = self.place(coding)?;
        if let Some(bytes) = coded.bytes.get() {
            return Some(bytes.clone());
        }
        if !coded.is_begun.swap(true, Ordering::Relaxed) {
            let codings = Arc::clone(self);
            tokio::task::spawn_blocking(move || codings.make(coding));
        }
        None
    }

    fn place(&self, coding: Coding) -> Option<&StoredCoding> {
        let place = Coding::ALL.iter().position(|known| *known == coding)?;
        self.made.get(place)
    }

    fn make(&self, coding: Coding) {
        match compressed(coding, &THOROUGH, &self.plain) {
            Ok(bytes) => {
                if let Some(coded) = self.place(coding) {
                    // The exact size: a stored coding must not keep spare room.
                    let _ = coded.bytes.set(self.owner.own(Bytes::copy_from_slice(&bytes)));
                }
            }
            Err(error) => {
                tracing::warn!(%error, coding = coding.name(), "a stored response is not compressed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::encoder::tests::plain;
    use super::super::shared_bodies::SharedBodies;
    use super::*;
    use calendar_edge_core::relay::BufferBudget;

    #[tokio::test]
    async fn a_coding_is_made_behind_the_first_client_and_then_kept() {
        let text = Bytes::from("calendar ".repeat(2000));
        let bodies = SharedBodies::new(&BufferBudget::new(usize::MAX));
        let codings = StoredCodings::new(text.clone(), bodies.of_codings());
        for coding in Coding::ALL {
            assert_eq!(codings.coded(coding), None);
            while codings.coded(coding).is_none() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let made = codings.coded(coding).unwrap();
            assert_eq!(plain(coding, &made), text);
            assert_eq!(codings.clone().coded(coding).unwrap().as_ptr(), made.as_ptr());
        }
    }
}
