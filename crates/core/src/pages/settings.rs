//! Settings of calendar pages that the edge responds to without WordPress.

use crate::settings::keys::MODES;
use crate::settings::keys::group::settings_group;
use crate::settings::rate::Rate;
use calendar_edge_judge::policy::Mode;

settings_group! {
    /// Calendar pages that can have no events. Needs the companion plugin 0.8, see
    /// [calendar-pages.md](../guides/calendar-pages.md).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarPageSettings {
        /// `enforce` sends pages that can have no events itself, `report` counts and forwards them, `off` forwards
        /// them. Needs `other = "forward"`, `origin.secret_file`, and one root.
        pub mode: Mode = Mode::Off => choice(MODES);
        /// The rate of dated pages, calendar files and views for all clients together, of which one address gets a
        /// quarter. Requests with a cookie or credentials have a second budget of this rate.
        pub robots: Option<Rate> = None => rate(), "off";
    }
}
