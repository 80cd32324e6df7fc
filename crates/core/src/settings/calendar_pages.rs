//! Settings of calendar pages that are answered without WordPress.

use super::keys::MODES;
use super::keys::group::settings_group;
use super::{Mode, Rate};

settings_group! {
    /// Calendar pages that can have no events. Needs the companion plugin 0.8, which tells when each event is shown.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarPageSettings {
        /// Whether the edge answers pages that can have no events: `enforce` answers them, `report` counts them and
        /// forwards, `off` forwards. Needs `other = "forward"`, `origin.secret_file`, and one root.
        pub mode: Mode = Mode::Off => choice(MODES);
        /// The rate of dated pages, calendar files and views for all clients together, of which one address gets a
        /// quarter. Requests with a cookie or credentials have a second budget of this rate.
        pub robots: Option<Rate> = None => rate(), "off";
        /// Whether the edge gives calendars of its own in place of the files that the plugin's links download. Needs
        /// `forms.calendar`.
        pub downloads: bool = false => flag();
    }
}
