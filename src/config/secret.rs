//! The secret that the companion plugin shares: read from its file, kept as a key that is never printed.

use super::draft::Placed;
use super::problem::{ConfigFinding, ConfigProblems, Impossible};
use crate::mark::MarkKey;
use crate::settings::Settings;

/// Whether secrets are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretFiles {
    /// They are, and each of them must be usable.
    Read,
    /// They are not: the settings are only looked at, perhaps by an account that may not read secrets.
    Leave,
}

const KEY: &str = "origin.secret_file";

/// Reads the file, if one is set, and keeps its key in the settings.
pub(super) fn read(typed: &mut Placed<Settings>, problems: &mut ConfigProblems) {
    let Some(file) = &typed.value.origin.secret_file else {
        return;
    };
    let key = std::fs::read(file)
        .map_err(|error| Impossible::UnreadableFile(error.to_string()))
        .and_then(|secret| MarkKey::new(&secret).map_err(Impossible::ShortSecret));
    match key {
        Ok(key) => typed.value.origin.mark_key = Some(key),
        Err(reason) => {
            let help = "make one that the edge and the site can read: openssl rand -hex 32";
            let finding = ConfigFinding::impossible(KEY, reason).help(Some(help.to_owned()));
            problems.add(typed.places.of(KEY), finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

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
