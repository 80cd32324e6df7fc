//! The records themselves, and the questions that concern more than one of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bounds::{Full, RECORDS, TEXT_BYTES, weight_of_post, weight_of_term};
use super::post::{Event, Post, PostStatus};
use super::term::Term;
use calendar_edge_judge::contract::{Kind, Taxonomy};

/// All records of the sandbox.
///
/// Posts are never removed, only trashed, so their numbers never come back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Store {
    posts: BTreeMap<u64, Post>,
    terms: BTreeMap<u64, Term>,
    last_post: u64,
    last_term: u64,
    text_bytes: usize,
}

/// How many published events have each term.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    counts: HashMap<u64, usize>,
}

// === impl Usage ===

impl Usage {
    /// The events of one term.
    pub(crate) fn of(&self, term: &Term) -> usize {
        self.counts.get(&term.id).copied().unwrap_or(0)
    }
}

// === impl Store ===

impl Store {
    /// The number the next post gets.
    pub(crate) fn next_post(&self) -> u64 {
        self.last_post + 1
    }

    /// The number the next term gets.
    pub(crate) fn next_term(&self) -> u64 {
        self.last_term + 1
    }

    /// Keeps numbers up to this one for other things, such as images.
    pub(crate) fn reserve_posts(&mut self, up_to: u64) {
        self.last_post = self.last_post.max(up_to);
    }

    /// Adds or replaces a post.
    pub(crate) fn put_post(&mut self, post: Post) -> Result<(), Full> {
        let known = self.posts.get(&post.id).map(weight_of_post);
        self.text_bytes = self.room(known, weight_of_post(&post))?;
        self.last_post = self.last_post.max(post.id);
        self.posts.insert(post.id, post);
        Ok(())
    }

    /// Adds or replaces a term.
    pub(crate) fn put_term(&mut self, term: Term) -> Result<(), Full> {
        let known = self.terms.get(&term.id).map(weight_of_term);
        self.text_bytes = self.room(known, weight_of_term(&term))?;
        self.last_term = self.last_term.max(term.id);
        self.terms.insert(term.id, term);
        Ok(())
    }

    /// Removes a term for good: its children move up, its events lose it.
    pub(crate) fn remove_term(&mut self, id: u64) -> Option<Term> {
        let removed = self.terms.remove(&id)?;
        self.text_bytes = self.text_bytes.saturating_sub(weight_of_term(&removed));
        for term in self.terms.values_mut().filter(|term| term.parent == id) {
            term.parent = removed.parent;
        }
        for post in self.posts.values_mut() {
            if let super::post::PostBody::Event(event) = &mut post.body {
                event.categories.retain(|term| *term != id);
                event.tags.retain(|term| *term != id);
            }
        }
        Some(removed)
    }

    /// The bytes of text after a change, where they fit.
    fn room(&self, known: Option<usize>, wanted: usize) -> Result<usize, Full> {
        let bytes = self.text_bytes - known.unwrap_or(0) + wanted;
        let records = self.posts.len() + self.terms.len() + usize::from(known.is_none());
        if records > RECORDS || bytes > TEXT_BYTES {
            return Err(Full);
        }
        Ok(bytes)
    }

    /// The post of this kind and number.
    pub(crate) fn post(&self, kind: Kind, id: u64) -> Option<&Post> {
        self.posts.get(&id).filter(|post| post.kind() == kind)
    }

    /// Posts of a kind, by number.
    pub(crate) fn posts(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &Post> {
        self.posts.values().filter(move |post| post.kind() == kind)
    }

    /// The post of this kind and stored slug; the oldest one where several have none.
    pub(crate) fn post_by_slug(&self, kind: Kind, slug: &str) -> Option<&Post> {
        self.posts(kind).find(|post| post.slug == slug)
    }

    /// Events with their own part.
    pub(crate) fn events(&self) -> impl DoubleEndedIterator<Item = (&Post, &Event)> {
        self.posts.values().filter_map(|post| Some((post, post.event()?)))
    }

    /// The term of this taxonomy and number.
    pub(crate) fn term(&self, taxonomy: Taxonomy, id: u64) -> Option<&Term> {
        self.terms.get(&id).filter(|term| term.taxonomy == taxonomy)
    }

    /// Terms of a taxonomy, by number.
    pub(crate) fn terms(&self, taxonomy: Taxonomy) -> impl DoubleEndedIterator<Item = &Term> {
        self.terms.values().filter(move |term| term.taxonomy == taxonomy)
    }

    /// The term a request means by a slug or a name.
    pub(crate) fn term_called(&self, taxonomy: Taxonomy, text: &str) -> Option<&Term> {
        let wanted = text.to_lowercase();
        let slug = crate::slug::from_title(text);
        self.terms(taxonomy)
            .find(|term| term.slug == slug || term.slug == wanted || term.name.to_lowercase() == wanted)
    }

    /// A term and everything below it.
    pub(crate) fn branch(&self, taxonomy: Taxonomy, id: u64) -> Vec<u64> {
        let mut branch = vec![id];
        let mut next = 0;
        while let Some(&parent) = branch.get(next) {
            let children = self
                .terms(taxonomy)
                .filter(|term| term.parent == parent)
                .map(|term| term.id);
            let new: Vec<u64> = children.filter(|child| !branch.contains(child)).collect();
            branch.extend(new);
            next += 1;
        }
        branch
    }

    /// How many published events have each term.
    pub(crate) fn usage(&self) -> Usage {
        let mut counts = HashMap::new();
        let published = self
            .events()
            .filter(|(post, _)| post.status == PostStatus::Publish);
        for id in published.flat_map(|(_, event)| event.categories.iter().chain(&event.tags)) {
            *counts.entry(*id).or_insert(0) += 1;
        }
        Usage { counts }
    }

    /// The wanted slug, or the next free one after it, among posts of a kind.
    pub(crate) fn free_post_slug(&self, kind: Kind, wanted: &str, own: u64) -> String {
        let others = self.posts(kind).filter(|post| post.id != own);
        next_free(wanted, &others.map(|post| post.slug.as_str()).collect())
    }

    /// The wanted slug, or the next free one after it, among the terms of a taxonomy.
    pub(crate) fn free_term_slug(&self, taxonomy: Taxonomy, wanted: &str, own: u64) -> String {
        let others = self.terms(taxonomy).filter(|term| term.id != own);
        next_free(wanted, &others.map(|term| term.slug.as_str()).collect())
    }
}

fn next_free(wanted: &str, taken: &HashSet<&str>) -> String {
    let candidates = (2u64..).map(|number| format!("{wanted}-{number}"));
    std::iter::once(wanted.to_owned())
        .chain(candidates)
        .find(|slug| !taken.contains(slug.as_str()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(id: u64, parent: u64) -> Term {
        Term {
            id,
            taxonomy: Taxonomy::Category,
            name: format!("Term {id}"),
            slug: format!("term-{id}"),
            description: String::new(),
            parent,
        }
    }

    #[test]
    fn a_branch_ends_even_in_a_loop() {
        let mut store = Store::default();
        for (id, parent) in [(1, 3), (2, 1), (3, 2), (4, 0)] {
            store.put_term(term(id, parent)).expect("room");
        }
        assert_eq!(store.branch(Taxonomy::Category, 1), [1, 2, 3]);
    }

    #[test]
    fn children_move_up_when_their_parent_goes() {
        let mut store = Store::default();
        for (id, parent) in [(1, 0), (2, 1), (3, 2)] {
            store.put_term(term(id, parent)).expect("room");
        }
        store.remove_term(2);
        assert_eq!(store.term(Taxonomy::Category, 3).map(|term| term.parent), Some(1));
    }

    #[test]
    fn refuses_more_text_than_it_keeps_and_stays_usable() {
        let mut store = Store::default();
        let mut large = term(1, 0);
        large.description = "x".repeat(TEXT_BYTES);
        assert_eq!(store.put_term(large), Err(Full));
        assert_eq!(store.put_term(term(1, 0)), Ok(()));
    }

    #[test]
    fn refuses_more_records_than_it_keeps() {
        let mut store = Store::default();
        for id in 1..=RECORDS as u64 {
            store.put_term(term(id, 0)).expect("room");
        }
        assert_eq!(store.put_term(term(RECORDS as u64 + 1, 0)), Err(Full));
        assert_eq!(store.put_term(term(1, 0)), Ok(()));
    }
}
