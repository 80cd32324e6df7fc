//! The addresses a list gives of itself and its neighbours (backend.md section 11).

use serde_json::{Map, Value as Json};
use url::form_urlencoded::byte_serialize;

use super::page::Page;

/// The arguments that a list repeats in its own address.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    early: Vec<(&'static str, String)>,
    late: Vec<(&'static str, String)>,
    encoded: bool,
}

// === impl Arguments ===

impl Arguments {
    /// Adds an argument, where there is one.
    pub(super) fn add(&mut self, name: &'static str, value: Option<String>) {
        self.early.extend(value.map(|value| (name, value)));
    }

    /// Adds an argument that the plugin appends later, which encodes all the others.
    pub(super) fn add_late(&mut self, name: &'static str, value: Option<String>) {
        self.encoded = true;
        self.late.extend(value.map(|value| (name, value)));
    }

    /// Encodes the address without a further argument, as `featured=false` does.
    pub(super) fn encode(&mut self) {
        self.encoded = true;
    }

    /// `rest_url`, and `next_rest_url` and `previous_rest_url` where there is such a page.
    pub(super) fn addresses(&self, base: &str, page: Page, pages: u64) -> Map<String, Json> {
        let mut members = Map::new();
        members.insert("rest_url".to_owned(), self.own(base, page).into());
        if page.number < pages {
            let next = self.neighbour(base, Some(page.number + 1));
            members.insert("next_rest_url".to_owned(), next.into());
        }
        if page.number > 1 {
            let previous = Some(page.number - 1).filter(|number| *number > 1);
            members.insert(
                "previous_rest_url".to_owned(),
                self.neighbour(base, previous).into(),
            );
        }
        members
    }

    fn own(&self, base: &str, page: Page) -> String {
        let page = ("page", page.number.to_string());
        let early = std::iter::once(&page).chain(&self.early).map(|(name, value)| {
            if self.encoded {
                pair(name, value)
            } else {
                format!("{name}={value}")
            }
        });
        let late = self.late.iter().map(|(name, value)| format!("{name}={value}"));
        format!("{base}?{}", early.chain(late).collect::<Vec<_>>().join("&"))
    }

    fn neighbour(&self, base: &str, page: Option<u64>) -> String {
        let arguments = self
            .early
            .iter()
            .chain(&self.late)
            .map(|(name, value)| pair(name, value));
        let page = page.map(|number| format!("page={number}"));
        format!("{base}?{}", arguments.chain(page).collect::<Vec<_>>().join("&"))
    }
}

fn pair(name: &str, value: &str) -> String {
    format!("{name}={}", byte_serialize(value.as_bytes()).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(arguments: &Arguments, number: u64) -> Vec<String> {
        let page = Page { number, size: 3 };
        let members = arguments.addresses("@/", page, 3);
        members
            .values()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn repeats_arguments_raw_and_encodes_them_for_neighbours() {
        let mut arguments = Arguments::default();
        arguments.add("start_date", Some("2027-01-01 00:00:00".to_owned()));
        arguments.add("search", None);
        assert_eq!(
            addresses(&arguments, 2),
            [
                "@/?page=2&start_date=2027-01-01 00:00:00",
                "@/?start_date=2027-01-01+00%3A00%3A00&page=3",
                "@/?start_date=2027-01-01+00%3A00%3A00",
            ]
        );
    }

    #[test]
    fn late_arguments_encode_the_others() {
        let mut arguments = Arguments::default();
        arguments.add("search", Some("a b".to_owned()));
        arguments.add_late("venue", Some("7,8".to_owned()));
        assert_eq!(
            addresses(&arguments, 1),
            [
                "@/?page=1&search=a+b&venue=7,8",
                "@/?search=a+b&venue=7%2C8&page=2",
            ]
        );
    }
}
