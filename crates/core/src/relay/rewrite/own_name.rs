//! The public name of a root, kept for the responses that follow.

use std::sync::{Arc, OnceLock};

use super::spelling::{PerSpelling, Spelling};

/// The public name of one root at one address of the edge, as far as it was written.
#[derive(Debug)]
pub(super) struct OwnName {
    pub(super) root: usize,
    pub(super) public_base: Arc<str>,
    pub(super) namespace: Arc<str>,
    spelt: PerSpelling<OnceLock<Vec<u8>>>,
}

// === impl OwnName ===

impl OwnName {
    /// A name that was not written yet.
    pub(super) fn new(root: usize, public_base: &Arc<str>, namespace: &Arc<str>) -> Self {
        Self {
            root,
            public_base: Arc::clone(public_base),
            namespace: Arc::clone(namespace),
            spelt: PerSpelling::new(|_| OnceLock::new()),
        }
    }

    /// Returns true if it is the name of this root at this address.
    pub(super) fn is_of(&self, root: usize, public_base: &str, namespace: &str) -> bool {
        self.root == root && *self.public_base == *public_base && *self.namespace == *namespace
    }

    /// The name in one spelling; `public_path` is the root's.
    pub(super) fn spelt(&self, spelling: Spelling, public_path: &str) -> &[u8] {
        let name = self.spelt.get(spelling);
        name.get_or_init(|| spell(&self.public_base, public_path, &self.namespace, spelling))
    }
}

/// The public name of a root in a spelling.
pub(super) fn spell(public_base: &str, public_path: &str, namespace: &str, spelling: Spelling) -> Vec<u8> {
    let mut name = Vec::with_capacity(2 * public_base.len() + 64);
    for piece in [public_base, public_path, "/", namespace] {
        spelling.write(piece, &mut name);
    }
    name
}
