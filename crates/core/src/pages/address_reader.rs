//! The calendar page that an address names (backend.md section 16): the path by the site's rules, then the parameters.

use jiff::civil::Date;

use super::calendar_page::{CalendarPage, PageAddress, PageFilters, PageView, UnknownAddress};
use super::endless::is_date;
use super::rewrite_rules::RewriteRules;
use calendar_edge_judge::wordpress::payload::{Plus, decode, parse_form};
use calendar_edge_judge::wordpress::value::{KeyRef, PhpArray, Value, split_while, trim_end};

/// Reads the addresses of one site.
#[derive(Debug, Clone)]
pub(super) struct AddressReader {
    rules: RewriteRules,
    /// The path of the home page, without slashes around it.
    home: Vec<u8>,
}

/// The parts of a page that path and parameters name, each at most once.
#[derive(Debug, Default)]
struct PageParts {
    view: Option<PageView>,
    date: Option<Vec<u8>>,
    category: Option<Vec<u8>>,
    tag: Option<Vec<u8>>,
    is_featured: Option<bool>,
    number: Option<u32>,
    is_ical: bool,
}

/// Parameters that readers of newsletters and advertisements carry; no view reads them.
const IGNORED: [&[u8]; 4] = [b"fbclid", b"gclid", b"msclkid", b"mc_cid"];

/// Slugs of terms with these bytes name several terms, or are read as text.
const NO_SLUG: &[u8] = b",+ /'\"\\";

// === impl AddressReader ===

impl AddressReader {
    pub(super) fn new(rules: &[(String, String)], home: &str) -> Self {
        let path = url::Url::parse(home).map(|home| home.path().trim_matches('/').as_bytes().to_vec());
        Self {
            rules: RewriteRules::new(rules),
            home: path.unwrap_or_default(),
        }
    }

    /// Reads the path and the query of a target, as they were sent.
    pub(super) fn read(&self, path: &[u8], query: &[u8]) -> PageAddress {
        let parameters = parse_form(query);
        let is_ical = ["ical", "outlook-ical"]
            .iter()
            .any(|name| parameters.get(name).is_some());
        let Some(path) = self.below_home(path) else {
            return PageAddress::Elsewhere;
        };
        let is_plain = path.is_empty() && parameters.get("post_type").is_some_and(is_events);
        let found = if is_plain {
            Some(Vec::new())
        } else {
            self.rules.find(path)
        };
        let Some(found) = found else {
            return PageAddress::Elsewhere;
        };
        let mut parts = PageParts {
            is_ical,
            ..PageParts::default()
        };
        let read = found
            .iter()
            .try_for_each(|(name, value)| parts.take_from_rule(name, value));
        let page = match read {
            // A page of one event, a feed, and what else the calendar has beside its pages.
            Err(None) => return PageAddress::Elsewhere,
            _ if has_odd_bytes(path) => Err(UnknownAddress::Bytes),
            Err(Some(reason)) => Err(reason),
            Ok(()) => parts
                .take_parameters(&parameters, is_plain)
                .and_then(|()| parts.page()),
        };
        page.map_or_else(PageAddress::Unknown, PageAddress::Page)
    }

    /// The path below the home page, without slashes around it.
    fn below_home<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let path = trim_slashes(path);
        let (home, rest) = path.split_at_checked(self.home.len())?;
        let is_below = home.eq_ignore_ascii_case(&self.home);
        let is_whole = self.home.is_empty() || rest.is_empty() || rest.starts_with(b"/");
        (is_below && is_whole).then(|| trim_slashes(rest))
    }
}

// === impl PageParts ===

impl PageParts {
    /// Takes a variable of the matched rule. `Err(None)`: the rule is not that of a calendar page.
    fn take_from_rule(&mut self, name: &[u8], value: &[u8]) -> Result<(), Option<UnknownAddress>> {
        match name {
            b"post_type" if value == b"tribe_events" => {}
            b"eventDisplay" => self.view = Some(PageView::named(value).ok_or(None)?),
            b"eventDate" => self.date = Some(value.to_vec()),
            b"tribe_events_cat" => self.category = Some(last_segment(value)?),
            b"tag" => self.tag = Some(slug(value)?),
            b"featured" => self.is_featured = Some(true),
            b"paged" => self.number = Some(number(value)?),
            b"ical" => self.is_ical = true,
            _ => return Err(None),
        }
        Ok(())
    }

    fn take_parameters(&mut self, parameters: &PhpArray, is_plain: bool) -> Result<(), UnknownAddress> {
        let from_path = self.date.take();
        let mut dates = from_path.into_iter().collect::<Vec<_>>();
        for (name, value) in parameters.entries() {
            let KeyRef::Text(name) = name else {
                return Err(UnknownAddress::Parameter);
            };
            match name {
                b"view_data" | b"tribe_view_data" => dates.push(bar_date(value)?),
                b"eventDate" | b"tribe-bar-date" => dates.push(text(value)?.to_vec()),
                _ => self.take_parameter(name, text(value)?, is_plain)?,
            }
        }
        // The plugin has an order for them. Where they agree, it does not matter.
        dates.dedup();
        match dates.as_slice() {
            [] => {}
            [date] => self.date = Some(date.clone()),
            _ => return Err(UnknownAddress::Contradiction),
        }
        Ok(())
    }

    fn take_parameter(&mut self, name: &[u8], value: &[u8], is_plain: bool) -> Result<(), UnknownAddress> {
        match name {
            b"post_type" if value == b"tribe_events" => Ok(()),
            b"eventDisplay" | b"tribe_event_display" | b"view" | b"tribe_view" => self.take_view(value),
            b"paged" | b"page" | b"tribe_paged" => set(&mut self.number, number(value)?),
            b"featured" if matches!(value, b"1" | b"true") => set(&mut self.is_featured, true),
            // WordPress sends plain addresses of terms to their own addresses, which the links for calendar programs name.
            b"tribe_events_cat" if !is_plain || self.is_ical => set(&mut self.category, slug(value)?),
            b"tag" if !is_plain => set(&mut self.tag, slug(value)?),
            b"ical" | b"outlook-ical" => Ok(()),
            name if is_ignored(name) => Ok(()),
            _ => Err(UnknownAddress::Parameter),
        }
    }

    /// A view beside the path changes nothing, where the path has one; only `past` always does.
    fn take_view(&mut self, value: &[u8]) -> Result<(), UnknownAddress> {
        let named = match value {
            b"past" => return Err(UnknownAddress::Past),
            _ => PageView::named(value).ok_or(UnknownAddress::Parameter)?,
        };
        match self.view {
            None => self.view = Some(named),
            Some(known) if known == named || named == PageView::Default || known == PageView::Default => {}
            Some(_) => return Err(UnknownAddress::Contradiction),
        }
        Ok(())
    }

    fn page(self) -> Result<CalendarPage, UnknownAddress> {
        let view = self.view.unwrap_or(PageView::Default);
        Ok(CalendarPage {
            view,
            date: self.date.map(|date| day(&date, view)).transpose()?,
            filters: PageFilters {
                category: self.category.map(Vec::into_boxed_slice),
                tag: self.tag.map(Vec::into_boxed_slice),
                is_featured: self.is_featured.unwrap_or_default(),
            },
            number: self.number.unwrap_or(1).max(1),
            is_ical: self.is_ical,
        })
    }
}

/// True if servers in front of WordPress may read a path differently.
fn has_odd_bytes(path: &[u8]) -> bool {
    let path = decode(path, Plus::Literal);
    path.iter().any(|byte| byte.is_ascii_control() || *byte == b'\\')
}

/// True if no view reads a parameter.
fn is_ignored(name: &[u8]) -> bool {
    name.starts_with(b"utm_") || IGNORED.contains(&name)
}

fn trim_slashes(path: &[u8]) -> &[u8] {
    let is_slash = |byte| byte == b'/';
    trim_end(split_while(path, is_slash).1, is_slash)
}

fn is_events(value: &Value) -> bool {
    value.as_text() == Some(b"tribe_events")
}

fn text(value: &Value) -> Result<&[u8], UnknownAddress> {
    value.as_text().ok_or(UnknownAddress::Parameter)
}

/// `view_data[bar-date]`; other members of it change the page in other ways.
fn bar_date(value: &Value) -> Result<Vec<u8>, UnknownAddress> {
    let Value::Array(members) = value else {
        return Err(UnknownAddress::Parameter);
    };
    match members.get("bar-date") {
        Some(date) if members.len() == 1 => Ok(text(date)?.to_vec()),
        _ => Err(UnknownAddress::Parameter),
    }
}

/// The category of a path is its last segment; the plugin does not check its parents.
fn last_segment(value: &[u8]) -> Result<Vec<u8>, Option<UnknownAddress>> {
    let last = trim_slashes(value).rsplit(|byte| *byte == b'/').next();
    slug(last.unwrap_or_default()).map_err(Some)
}

fn slug(value: &[u8]) -> Result<Vec<u8>, UnknownAddress> {
    let is_one = !value.is_empty() && !value.iter().any(|byte| NO_SLUG.contains(byte));
    is_one.then(|| value.to_vec()).ok_or(UnknownAddress::Term)
}

/// The number of a page; beyond any list is a number as well.
fn number(digits: &[u8]) -> Result<u32, UnknownAddress> {
    let is_number = !digits.is_empty() && digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(digits).ok().filter(|_| is_number);
    number
        .and_then(|digits| digits.parse().ok())
        .ok_or(UnknownAddress::Parameter)
}

/// Sets a part that the path may have named already.
fn set<T: PartialEq>(part: &mut Option<T>, value: T) -> Result<(), UnknownAddress> {
    match part {
        Some(known) if *known != value => Err(UnknownAddress::Contradiction),
        _ => {
            *part = Some(value);
            Ok(())
        }
    }
}

/// A day, `2027-08-01`, or for months also `2027-08`. PHP reads much more, and other years: the site gets those.
fn day(date: &[u8], view: PageView) -> Result<Date, UnknownAddress> {
    let fault = UnknownAddress::Date;
    let text = std::str::from_utf8(date).map_err(|_| fault)?;
    let day = match (date.len(), view) {
        (10, _) if is_date(date) => text.parse::<Date>(),
        (7, PageView::Month) if is_date(date) => format!("{text}-01").parse(),
        _ => return Err(fault),
    };
    let day = day.ok().filter(|day| day.year() >= 1000).ok_or(fault)?;
    Ok(if view == PageView::Month {
        day.first_of_month()
    } else {
        day
    })
}
