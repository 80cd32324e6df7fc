//! A term: a category or a tag.

use calendar_edge_judge::contract::Taxonomy;

/// A record of one of the two kinds that WordPress stores as taxonomy terms.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    /// The number; terms of both taxonomies share one sequence.
    pub(crate) id: u64,
    /// Category or tag.
    pub(crate) taxonomy: Taxonomy,
    /// The name, cleaned on its way in.
    pub(crate) name: String,
    /// The slug, unique in its taxonomy.
    pub(crate) slug: String,
    /// The description.
    pub(crate) description: String,
    /// The parent category; 0: none, and always 0 for tags.
    pub(crate) parent: u64,
}

/// WordPress's name of a taxonomy.
pub(crate) const fn taxonomy_name(taxonomy: Taxonomy) -> &'static str {
    match taxonomy {
        Taxonomy::Category => "tribe_events_cat",
        Taxonomy::Tag => "post_tag",
    }
}
