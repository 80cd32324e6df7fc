//! The secrets in files: that of the companion plugin, the token of operators and headers for the collector. All are kept
//! in a form that is never printed.

use std::path::PathBuf;

use super::draft::Placed;
use super::problem::{ConfigFinding, ConfigProblems, Impossible};
use crate::mark::MarkKey;
use crate::settings::{AdminToken, CollectorHeaders, Settings};

/// Whether secrets are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretFiles {
    /// They are, and each of them must be usable.
    Read,
    /// They are not: the settings are only looked at, perhaps by an account that may not read secrets.
    Leave,
}

const SECRET: &str = "origin.secret_file";
const TOKEN: &str = "admin.token_file";
const HEADERS: &str = "traces.headers_file";

/// Reads the files that are set, and keeps what they hold in the settings.
pub(super) fn read(typed: &mut Placed<Settings>, problems: &mut ConfigProblems) {
    let settings = &mut typed.value;
    let secret = taken(settings.origin.secret_file.as_ref(), |secret| {
        MarkKey::new(secret).map_err(Impossible::ShortSecret)
    });
    match secret {
        Ok(key) => settings.origin.mark_key = key,
        Err(reason) => {
            let help = "make one that the edge and the site can read: openssl rand -hex 32";
            let finding = ConfigFinding::impossible(SECRET, reason).help(Some(help.to_owned()));
            problems.add(typed.places.of(SECRET), finding);
        }
    }
    let token = taken(settings.admin_access.token_file.as_ref(), |token| {
        AdminToken::new(token).map_err(Impossible::ShortSecret)
    });
    match token {
        Ok(token) => settings.admin_access.token = token,
        Err(reason) => {
            let help = "make one that only the edge and operators can read: openssl rand -hex 32";
            let finding = ConfigFinding::impossible(TOKEN, reason).help(Some(help.to_owned()));
            problems.add(typed.places.of(TOKEN), finding);
        }
    }
    let headers = taken(settings.traces.headers_file.as_ref(), |headers| {
        CollectorHeaders::parse(headers).map_err(Impossible::HeaderLine)
    });
    match headers {
        Ok(headers) => settings.traces.headers = headers.unwrap_or_default(),
        Err(reason) => problems.add(
            typed.places.of(HEADERS),
            ConfigFinding::impossible(HEADERS, reason),
        ),
    }
}

/// What a file holds, if one is set.
fn taken<T>(
    file: Option<&PathBuf>,
    take: impl FnOnce(&[u8]) -> Result<T, Impossible>,
) -> Result<Option<T>, Impossible> {
    let Some(file) = file else {
        return Ok(None);
    };
    let secret = std::fs::read(file).map_err(|error| Impossible::UnreadableFile(error.to_string()))?;
    take(&secret).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigSource, Overrides, parse};

    /// A file of this test process with these bytes.
    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let name = format!("calendar-edge-secret-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn load(file: &str) -> Result<String, String> {
        let text = format!("[origin]\nurl = \"http://wp.example/wp-json\"\nsecret_file = \"{file}\"\n");
        match parse("edge.toml", &text, &Overrides::default()) {
            Ok(settings) => Ok(format!("{:?}", settings.origin.mark_key)),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_secret_becomes_a_key_that_is_not_printed() {
        let path = file("good", b"a secret of thirty-two characters\n");
        let loaded = load(path.to_str().unwrap());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(loaded.as_deref(), Ok("Some(MarkKey(redacted))"));
    }

    #[test]
    fn a_file_without_a_secret_is_a_problem_with_place_and_cause() {
        let short = file("short", b"  short and secret  \n");
        let refused = load(short.to_str().unwrap()).unwrap_err();
        std::fs::remove_file(&short).unwrap();
        assert!(
            refused.contains("`origin.secret_file`: a secret has at least 32 bytes"),
            "{refused}"
        );
        assert!(refused.contains("edge.toml:3:15"), "{refused}");
        assert!(!refused.contains("short and secret"), "{refused}");

        let text = "[origin]\nurl = \"http://wp.example/wp-json\"\nsecret_file = \"/no/such/file\"\n";
        let config = file("config", text.as_bytes());
        let source = ConfigSource::new(Some(config.clone()), Overrides::default());
        assert!(source.load().is_err());
        assert!(source.load_without_secrets().is_ok());
        std::fs::remove_file(&config).unwrap();

        let missing = load(short.to_str().unwrap()).unwrap_err();
        assert!(
            missing.contains("the file cannot be read: No such file"),
            "{missing}"
        );
        assert!(missing.contains("edge.toml:3:15"), "{missing}");
    }
}
