//! Configurations: every problem has a place in the text, and what is accepted can be served.

#![no_main]

use calendar_edge::config::{Location, Overrides, parse};
use calendar_edge_core::settings::Settings;
use libfuzzer_sys::fuzz_target;

const NAME: &str = "edge.toml";

fuzz_target!(|text: &str| {
    match parse(NAME, text, &Overrides::default()) {
        Ok(settings) => assert_can_be_served(&settings),
        Err(error) => {
            assert!(error.places().next().is_some());
            assert!(!error.to_string().is_empty());
            error.places().for_each(|place| assert_lies_in(text, place));
        }
    }
});

fn assert_lies_in(text: &str, location: &Location) {
    match location {
        Location::File { name, excerpt } => {
            assert_eq!(name, NAME);
            let line = text
                .split('\n')
                .nth(excerpt.line - 1)
                .expect("a line of the text");
            assert!(excerpt.column <= line.chars().count() + 1);
        }
        Location::Whole { name } => assert_eq!(name.as_deref(), Some(NAME)),
        Location::Argument { .. } => panic!("there are no arguments"),
    }
}

fn assert_can_be_served(settings: &Settings) {
    assert!(!settings.listen.is_empty() && !settings.roots.is_empty() && !settings.namespaces.is_empty());
    for root in &settings.roots {
        assert!(root.path.starts_with('/') && !root.path.ends_with('/'));
        assert!(root.origin_url.has_host());
    }
    for namespace in &settings.namespaces {
        assert!(!namespace.is_empty() && !namespace.starts_with('/') && !namespace.ends_with('/'));
    }
}
