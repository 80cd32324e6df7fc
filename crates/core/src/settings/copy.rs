//! Settings of the copy: reads that the edge answers without the site.

use super::Rate;
use super::keys::group::settings_group;

settings_group! {
    /// Anonymous reads that the edge answers from facts about all records, once comparisons with the site have proven that
    /// it can. Needs the companion plugin 0.9, `origin.secret_file`, and one root.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CopySettings {
        /// Whether the edge keeps facts about all records, compares, and answers.
        pub enabled: bool = false => flag();
        /// Which reads it answers while the site fails: those of shapes that are proven, or all that it can.
        pub when_away: WhenAway = WhenAway::Proven => choice(AWAY);
        /// The rate at which the edge itself asks the site for reads that clients asked of late, to compare shapes that are
        /// not proven yet. Nothing is asked while requests wait for the site.
        pub probe: Option<Rate> = None => rate(), "off";
    }
}

/// The reads that are answered while the site fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAway {
    /// Those of proven shapes.
    Proven,
    /// All that can be answered; they may be different from the site's responses.
    All,
}

const AWAY: [(&str, WhenAway); 2] = [("proven", WhenAway::Proven), ("all", WhenAway::All)];
