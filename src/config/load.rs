//! Loads settings from a file, flags and environment variables.

use toml::de::DeTable;

use super::overrides::Overrides;
use super::problem::ConfigError;
use super::read::FileReader;
use super::resolve;
use super::secret;
use super::variables::Variables;
use calendar_edge_core::settings::{ConfigFinding, ConfigPlace, ConfigProblems, Draft, Settings};

/// Reads the text of the file `name` and applies the overrides.
///
/// # Errors
/// All problems at once.
pub fn parse(name: &str, text: &str, overrides: &Overrides) -> Result<Settings, ConfigError> {
    settings(Some((name, text)), overrides, true)
}

/// Reads the text of a file, if there is one, and applies the overrides. With `reads_files`, the files that the settings
/// name must be usable; without, the settings are only looked at, perhaps by an account that may not read secrets.
pub(super) fn settings(
    file: Option<(&str, &str)>,
    overrides: &Overrides,
    reads_files: bool,
) -> Result<Settings, ConfigError> {
    let mut problems = ConfigProblems::default();
    let mut draft = Draft::default();
    let readable = file.is_none_or(|(_, text)| read_text(text, &mut draft, &mut problems));
    for (key, source, text) in overrides.entries() {
        FileReader::new(&mut draft, &mut problems).argument(key, source, text);
    }
    // Keys of an unreadable file are not missing.
    if !readable {
        return Err(ConfigError::of(problems, file));
    }
    if reads_files {
        secret::read(&mut draft, &mut problems);
    }
    let settings = resolve::resolve(draft, &mut problems);
    if problems.is_empty() {
        Ok(settings)
    } else {
        Err(ConfigError::of(problems, file))
    }
}

/// Reads the text; false if it is not TOML.
fn read_text(text: &str, draft: &mut Draft, problems: &mut ConfigProblems) -> bool {
    let (mut table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let place = error.span().map_or(ConfigPlace::Absent, ConfigPlace::Span);
        problems.add(&place, ConfigFinding::new(error.message()));
    }
    // After an error the parser guesses. Problems that follow from its guesses would mislead.
    if errors.is_empty() {
        let lookup = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let lookup = &lookup;
        Variables {
            text,
            lookup,
            problems,
        }
        .replace(table.get_mut());
        FileReader::new(draft, problems).document(table.get_ref());
    }
    errors.is_empty()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::{Path, PathBuf};

    use proptest::prelude::*;

    use super::*;
    use crate::config::{ConfigSource, OverrideSource};
    use calendar_edge_core::settings::{ListenAddress, Mode};

    fn fixtures() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config")
    }

    fn outcome(name: &str, text: &str) -> String {
        match parse(name, text, &Overrides::default()) {
            Ok(settings) => format!("{settings:#?}\n"),
            Err(error) => format!("{error}\n"),
        }
    }

    /// `UPDATE_FIXTURES=1` writes the expectations instead of comparing them.
    #[test]
    fn each_fixture_gives_the_settings_or_the_problems_beside_it() {
        let mut differences = String::new();
        let mut seen = 0;
        for entry in std::fs::read_dir(fixtures()).expect("the directory of fixtures") {
            let path = entry.expect("a readable entry").path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            seen += 1;
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("text");
            let actual = outcome(&name, &text);
            let expectation = path.with_extension("expected");
            if std::env::var_os("UPDATE_FIXTURES").is_some() {
                std::fs::write(&expectation, &actual).expect("a writable file");
            }
            if std::fs::read_to_string(&expectation).unwrap_or_default() != actual {
                writeln!(differences, "=== {name}\n{actual}").expect("a String takes everything");
            }
        }
        assert!(seen > 10, "the fixtures are gone");
        assert!(differences.is_empty(), "{differences}");
    }

    #[test]
    fn a_flag_beats_the_environment_and_both_beat_the_file() {
        let file =
            "listen = \"127.0.0.1:1\"\nmode = \"off\"\n[origin]\nurl = \"http://file.example/wp-json\"\n";
        let overrides = Overrides::default()
            .with(
                "listen",
                OverrideSource::Environment("CALENDAR_EDGE_LISTEN"),
                "unix:/run/x",
            )
            .with(
                "origin.url",
                OverrideSource::Flag("--origin"),
                "http://flag.example/wp-json/",
            );
        let settings = parse("edge.toml", file, &overrides).expect("good settings");
        assert_eq!(settings.listen, [ListenAddress::Unix("/run/x".into())]);
        assert_eq!(settings.origin.url.as_str(), "http://flag.example/wp-json");
        assert_eq!(settings.roots[0].origin_url, settings.origin.url);
        assert_eq!(settings.mode, Mode::Off);
    }

    #[test]
    fn a_bad_flag_is_shown_by_its_name() {
        let overrides = Overrides::default()
            .with("listen", OverrideSource::Flag("--listen"), "here")
            .with(
                "mode",
                OverrideSource::Environment("CALENDAR_EDGE_MODE"),
                "repotr",
            );
        let error = ConfigSource::new(None, overrides)
            .load()
            .expect_err("three problems");
        let text = error.to_string();
        assert_eq!(error.problems.len(), 3, "{text}");
        for part in [
            "--> --listen",
            "--> CALENDAR_EDGE_MODE",
            "did you mean \"report\"?",
            "`origin.url` is missing",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let source = ConfigSource::new(Some("/nowhere/edge.toml".into()), Overrides::default());
        let error = source.load().expect_err("no file");
        assert!(error.to_string().contains("/nowhere/edge.toml"), "{error}");
    }

    #[test]
    fn a_file_may_begin_with_a_byte_order_mark_and_end_its_lines_with_crlf() {
        let file = "\u{FEFF}mode = \"off\"\r\n[origin]\r\nurl = \"http://wp.example/wp-json\"\r\n";
        assert!(parse("edge.toml", file, &Overrides::default()).is_ok());
        let text = outcome("edge.toml", "\u{FEFF}mode = \"of\"\r\n");
        assert!(text.contains("edge.toml:1:"), "{text}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn no_text_panics_the_reader(text in "(?s).{0,200}") {
            let _ = outcome("edge.toml", &text);
        }

        #[test]
        fn no_damaged_file_panics_the_reader(at in 0_usize..1400, junk in "[\\[\\]\"'=.#{}\n a1é]{0,3}") {
            let mut text = include_str!("../../fixtures/config/complete.toml").to_owned();
            let at = text.floor_char_boundary(at);
            text.insert_str(at, &junk);
            let _ = outcome("edge.toml", &text);
        }
    }
}
