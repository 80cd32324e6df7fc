//! The compressed forms of a response that is stored: each is made once, behind the first client that likes it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::encoder::{Effort, compressed};
use calendar_edge_core::cache::compression::Coding;

/// A response's body and its compressed forms.
#[derive(Debug, Clone)]
pub(crate) struct StoredForms(Arc<Forms>);

/// Owns the forms of a body that is stored.
pub(crate) trait FormOwner: fmt::Debug + Send + Sync {
    /// The same bytes, counted by their owner.
    fn own(&self, form: Bytes) -> Bytes;
}

#[derive(Debug)]
struct Forms {
    plain: Bytes,
    owner: Box<dyn FormOwner>,
    made: [StoredForm; Coding::ALL.len()],
}

#[derive(Debug, Default)]
struct StoredForm {
    is_begun: AtomicBool,
    bytes: OnceLock<Bytes>,
}

// === impl StoredForms ===

impl StoredForms {
    /// The forms of a body, none of them made.
    pub(crate) fn new(plain: Bytes, owner: impl FormOwner + 'static) -> Self {
        Self(Arc::new(Forms {
            plain,
            owner: Box::new(owner),
            made: Default::default(),
        }))
    }

    /// The length of the body as it is, in bytes.
    pub(crate) fn plain_length(&self) -> u64 {
        self.0.plain.len() as u64
    }

    /// A compressed form, if it is made. Otherwise it is made on a thread of its own, once, for the clients to come.
    pub(crate) fn form(&self, coding: Coding) -> Option<Bytes> {
        let form = self.0.form(coding)?;
        if let Some(bytes) = form.bytes.get() {
            return Some(bytes.clone());
        }
        if !form.is_begun.swap(true, Ordering::Relaxed) {
            let forms = Arc::clone(&self.0);
            tokio::task::spawn_blocking(move || forms.make(coding));
        }
        None
    }
}

// === impl Forms ===

impl Forms {
    fn form(&self, coding: Coding) -> Option<&StoredForm> {
        let place = Coding::ALL.iter().position(|known| *known == coding)?;
        self.made.get(place)
    }

    fn make(&self, coding: Coding) {
        match (
            self.form(coding),
            compressed(coding, Effort::Thorough, &self.plain),
        ) {
            (Some(form), Ok(bytes)) => {
                // The exact size: a stored form must not keep spare room.
                let _ = form.bytes.set(self.owner.own(Bytes::copy_from_slice(&bytes)));
            }
            (_, Err(error)) => {
                tracing::warn!(%error, coding = coding.name(), "a kept answer is not compressed");
            }
            (None, Ok(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::encoder::tests::plain;
    use super::*;

    #[derive(Debug)]
    struct Nobody;

    impl FormOwner for Nobody {
        fn own(&self, form: Bytes) -> Bytes {
            form
        }
    }

    #[tokio::test]
    async fn a_form_is_made_behind_the_first_client_and_then_kept() {
        let text = Bytes::from("calendar ".repeat(2000));
        let forms = StoredForms::new(text.clone(), Nobody);
        for coding in Coding::ALL {
            assert_eq!(forms.form(coding), None);
            while forms.form(coding).is_none() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let made = forms.form(coding).unwrap();
            assert_eq!(plain(coding, &made), text);
            assert_eq!(forms.clone().form(coding).unwrap().as_ptr(), made.as_ptr());
        }
    }
}
