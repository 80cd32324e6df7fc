//! A page of the calendar, as its address names it.

use jiff::civil::Date;

/// A calendar page. Two addresses of one page give one value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CalendarPage {
    /// The way in which the events are shown.
    pub view: PageView,
    /// The day that it shows or begins with; the first of a month. None: today.
    pub date: Option<Date>,
    /// Only events of these terms and kinds.
    pub filters: PageFilters,
    /// The page of a list, from 1.
    pub number: u32,
    /// The events as a calendar file.
    pub is_ical: bool,
}

/// The way in which a page shows events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageView {
    /// The view that the site has chosen.
    Default,
    /// From a day on.
    List,
    /// The weeks of a month.
    Month,
    /// One day.
    Day,
}

/// The events that a page shows: those that satisfy each of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PageFilters {
    /// The slug of a category; its descendants count.
    pub category: Option<Box<[u8]>>,
    /// The slug of a tag.
    pub tag: Option<Box<[u8]>>,
    /// Featured events only.
    pub is_featured: bool,
}

/// The meaning of an address of the site for the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageAddress {
    /// A page of the calendar.
    Page(CalendarPage),
    /// It may be a page of the calendar, which cannot be decided surely.
    Unknown(UnknownAddress),
    /// Another address of the site.
    Elsewhere,
}

/// The reason for which the page of an address cannot be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum UnknownAddress {
    /// A parameter whose effect is not known.
    Parameter,
    /// A date that is not written as a day or a month.
    Date,
    /// Two parts of the address contradict each other.
    Contradiction,
    /// Events backwards from a date, which may be all.
    Past,
    /// Several terms, or a term that the site does not have.
    Term,
    /// Bytes that servers in front of WordPress read differently.
    Bytes,
}

// === impl PageView ===

impl PageView {
    /// The view of this name in addresses and options; none if it is not one of the plugin's own.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"default" => Self::Default,
            b"list" => Self::List,
            b"month" => Self::Month,
            b"day" => Self::Day,
            _ => return None,
        })
    }
}

// === impl CalendarPage ===

impl CalendarPage {
    /// A name for all pages of one kind, for logs and counts.
    pub const fn kind(&self) -> &'static str {
        if self.is_ical {
            return "ical";
        }
        match (self.view, self.date.is_some()) {
            (PageView::Month, _) => "month",
            (PageView::Day, _) => "day",
            (PageView::List, true) => "dated_list",
            (PageView::Default, true) => "dated",
            (PageView::List | PageView::Default, false) => "list",
        }
    }
}
