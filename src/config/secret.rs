//! The files that settings name: secrets, credentials, headers for the collector, and certificates of authorities. All are
//! kept in a form that is never printed.

use std::path::PathBuf;

use super::draft::{ConfigPlaces, Draft, Placed};
use super::problem::{ConfigFinding, ConfigProblems, Impossible};
use calendar_edge_core::settings::{
    AdminToken, BasicAuth, CollectorHeaders, FleetSettings, MarkKey, Settings, StoreIdentity, StorePassword,
    TrustedCertificates,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

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
const BASIC_AUTH: &str = "origin.basic_auth_file";
const AUTHORITIES: &str = "origin.ca_file";
const FLEET_SECRET: &str = "fleet.secret_file";
const STORE_PASSWORD: &str = "fleet.password_file";
const SENTINEL_PASSWORD: &str = "fleet.sentinel_password_file";
const STORE_AUTHORITIES: &str = "fleet.ca_file";
const STORE_CERTIFICATE: &str = "fleet.certificate_file";
const STORE_KEY: &str = "fleet.key_file";
const IDENTITY: &str = "backends.identity_secret_file";
const WEBHOOK: &str = "webhooks.secret_file";

/// What to do about a missing secret that edge and site share.
const MAKE_SECRET: &str = "make one that the edge and the site can read: openssl rand -hex 32";

/// A setting that names a file.
struct SecretFile<'a> {
    key: &'static str,
    path: Option<&'a PathBuf>,
    /// What to do about one that is missing or too short.
    help: Option<&'static str>,
}

/// Reads the files that are set, and keeps what they hold in the settings.
pub(super) fn read(typed: &mut Placed<Settings>, problems: &mut ConfigProblems) {
    let Placed {
        value: settings,
        places,
    } = typed;
    let secret = SecretFile {
        key: SECRET,
        path: settings.origin.secret_file.as_ref(),
        help: Some(MAKE_SECRET),
    };
    let token = SecretFile {
        key: TOKEN,
        path: settings.admin_access.token_file.as_ref(),
        help: Some("make one that only the edge and operators can read: openssl rand -hex 32"),
    };
    let headers = SecretFile {
        key: HEADERS,
        path: settings.traces.headers_file.as_ref(),
        help: None,
    };
    let basic_auth = SecretFile {
        key: BASIC_AUTH,
        path: settings.origin.basic_auth_file.as_ref(),
        help: None,
    };
    let authorities = SecretFile {
        key: AUTHORITIES,
        path: settings.origin.ca_file.as_ref(),
        help: None,
    };
    settings.origin.basic_auth = basic_auth.read(places, problems, |line| {
        BasicAuth::parse(line).map_err(Impossible::NoBasicAuth)
    });
    let trusted = authorities.read(places, problems, certificates);
    settings.origin.trusted = trusted.unwrap_or_default();
    settings.origin.mark_key = secret.read(places, problems, |secret| {
        MarkKey::new(secret).map_err(Impossible::ShortSecret)
    });
    settings.admin_access.token = token.read(places, problems, |token| {
        AdminToken::new(token).map_err(Impossible::ShortSecret)
    });
    let headers = headers.read(places, problems, |headers| {
        CollectorHeaders::parse(headers).map_err(Impossible::HeaderLine)
    });
    settings.traces.headers = headers.unwrap_or_default();
    let site_key = settings.origin.mark_key.clone();
    read_fleet(&mut settings.fleet, site_key, places, problems);
}

/// Reads the files of the fleet. Without a secret of its own it uses that of the site.
fn read_fleet(
    fleet: &mut FleetSettings,
    site_key: Option<MarkKey>,
    places: &ConfigPlaces,
    problems: &mut ConfigProblems,
) {
    let file = |key, path, help| SecretFile { key, path, help };
    let own = file(
        FLEET_SECRET,
        fleet.secret_file.as_ref(),
        Some("make one that all edges of the fleet can read: openssl rand -hex 32"),
    );
    let own = own.read(places, problems, |secret| {
        MarkKey::new(secret).map_err(Impossible::ShortSecret)
    });
    fleet.secret = own.or(site_key).filter(|_| fleet.is_set());
    let password = |line: &[u8]| StorePassword::parse(line).map_err(Impossible::NoStorePassword);
    let of_store = file(STORE_PASSWORD, fleet.password_file.as_ref(), None);
    fleet.password = of_store.read(places, problems, password);
    let of_sentinels = file(SENTINEL_PASSWORD, fleet.sentinel_password_file.as_ref(), None);
    fleet.sentinel_password = of_sentinels.read(places, problems, password);
    let authorities = file(STORE_AUTHORITIES, fleet.ca_file.as_ref(), None);
    fleet.trusted = authorities
        .read(places, problems, certificates)
        .unwrap_or_default();
    let certificate = file(STORE_CERTIFICATE, fleet.certificate_file.as_ref(), None);
    let certificate = certificate.read(places, problems, |pem| certificates(pem).map(|_| pem.to_owned()));
    let key = file(STORE_KEY, fleet.key_file.as_ref(), None);
    let key = key.read(places, problems, |pem| match PrivateKeyDer::from_pem_slice(pem) {
        Ok(_) => Ok(pem.to_owned()),
        Err(_) => Err(Impossible::NoPrivateKey),
    });
    fleet.identity = certificate
        .zip(key)
        .map(|(certificate, key)| StoreIdentity { certificate, key });
}

/// Reads the secrets of candidates, each of which is no other's: who can verify identities can sign them as well.
pub(super) fn read_identities(draft: &mut Draft, problems: &mut ConfigProblems) {
    let settings = &draft.settings.value;
    let known = settings.origin.mark_key.iter().chain(&settings.fleet.secret);
    let mut known: Vec<MarkKey> = known.cloned().collect();
    for Placed { value, places } in &mut draft.backends {
        let secret = SecretFile {
            key: IDENTITY,
            path: value.identity_secret_file.as_ref(),
            help: Some("make one that the edge and the backend can read: openssl rand -hex 32"),
        };
        value.identity_key = secret.read(places, problems, |secret| {
            let key = MarkKey::new(secret).map_err(Impossible::ShortSecret)?;
            if known.iter().any(|other| other.is_same(&key)) {
                return Err(Impossible::SharedSecret);
            }
            Ok(key)
        });
        known.extend(value.identity_key.clone());
    }
}

/// Reads the secrets that receivers verify requests by.
pub(super) fn read_webhooks(draft: &mut Draft, problems: &mut ConfigProblems) {
    for Placed { value, places } in &mut draft.webhooks {
        let secret = SecretFile {
            key: WEBHOOK,
            path: value.secret_file.as_ref(),
            help: Some("make one that the edge and the receiver can read: openssl rand -hex 32"),
        };
        value.secret = secret.read(places, problems, |secret| {
            MarkKey::new(secret).map_err(Impossible::ShortSecret)
        });
    }
}

/// The certificates of a PEM file; at least one.
fn certificates(pem: &[u8]) -> Result<TrustedCertificates, Impossible> {
    let certificates = CertificateDer::pem_slice_iter(pem);
    let ders: Result<Vec<Vec<u8>>, _> = certificates.map(|found| found.map(|der| der.to_vec())).collect();
    match ders {
        Ok(ders) if !ders.is_empty() => Ok(ders.into_iter().collect()),
        _ => Err(Impossible::NoCertificates),
    }
}

// === impl SecretFile ===

impl SecretFile<'_> {
    /// What the file holds; none if no file is set, or with a problem.
    fn read<T>(
        &self,
        places: &ConfigPlaces,
        problems: &mut ConfigProblems,
        take: impl FnOnce(&[u8]) -> Result<T, Impossible>,
    ) -> Option<T> {
        let held = std::fs::read(self.path?).map_err(|error| Impossible::UnreadableFile(error.to_string()));
        held.and_then(|held| take(&held))
            .map_err(|reason| {
                let finding = ConfigFinding::impossible(self.key, reason).help(self.help.map(str::to_owned));
                problems.add(places.of(self.key), finding);
            })
            .ok()
    }
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
