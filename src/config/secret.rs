//! The files that settings name: secrets, credentials, and certificates of authorities. All are kept in a form that is
//! never printed.

use std::io::ErrorKind;
use std::path::Path;

use calendar_edge_core::settings::{
    AdminToken, BasicAuth, ConfigFinding, ConfigProblems, Draft, FleetSettings, MarkKey, StoreIdentity,
    StorePassword, TablePlaces, TrustedCertificates,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

const SECRET: &str = "origin.secret_file";
const TOKEN: &str = "admin.token_file";
const FLEET_SECRET: &str = "fleet.secret_file";
const IDENTITY: &str = "backends.identity_secret_file";

/// Where systemd shows the files of `LoadCredential=`, while the service runs.
const CREDENTIALS: &str = "/run/credentials";

/// The other programs that have the secret of a key: a new one closes them out.
const SHARED_WITH: [(&str, &str); 4] = [
    (SECRET, "the companion plugin of the site"),
    (TOKEN, "the programs of operators"),
    (FLEET_SECRET, "all edges of the fleet"),
    (IDENTITY, "the backend"),
];

/// Reads the files that the keys of one table name.
struct NamedFiles<'a> {
    places: TablePlaces<'a>,
    problems: &'a mut ConfigProblems,
}

/// Reads the files that are set, and keeps their content in the settings.
pub(super) fn read(draft: &mut Draft, problems: &mut ConfigProblems) {
    let Draft { settings, places } = draft;
    let places = places.table(0);
    let mut files = NamedFiles { places, problems };
    let origin = &mut settings.origin;
    let basic_auth = origin.basic_auth_file.as_deref();
    origin.basic_auth = files.read("origin.basic_auth_file", basic_auth, BasicAuth::parse);
    let trusted = files.read("origin.ca_file", origin.ca_file.as_deref(), certificates);
    origin.trusted = trusted.unwrap_or_default();
    origin.mark_key = files.read(SECRET, origin.secret_file.as_deref(), MarkKey::new);
    let admin = &mut settings.admin;
    admin.token = files.read(TOKEN, admin.token_file.as_deref(), AdminToken::new);
    read_fleet(&mut settings.fleet, origin.mark_key.clone(), &mut files);
    read_identities(draft, problems);
}

/// Reads the files of the fleet. Without a secret of its own it uses that of the site.
fn read_fleet(fleet: &mut FleetSettings, site_key: Option<MarkKey>, files: &mut NamedFiles<'_>) {
    let own = files.read(FLEET_SECRET, fleet.secret_file.as_deref(), MarkKey::new);
    fleet.secret = own.or(site_key).filter(|_| fleet.is_set());
    let password = fleet.password_file.as_deref();
    fleet.password = files.read("fleet.password_file", password, StorePassword::parse);
    let password = fleet.sentinel_password_file.as_deref();
    fleet.sentinel_password = files.read("fleet.sentinel_password_file", password, StorePassword::parse);
    let trusted = files.read("fleet.ca_file", fleet.ca_file.as_deref(), certificates);
    fleet.trusted = trusted.unwrap_or_default();
    let certificate = fleet.certificate_file.as_deref();
    let certificate = files.read("fleet.certificate_file", certificate, |pem| {
        certificates(pem).map(|_| pem.to_owned())
    });
    let key = files.read("fleet.key_file", fleet.key_file.as_deref(), |pem| {
        let key = PrivateKeyDer::from_pem_slice(pem).map(|_| pem.to_owned());
        key.map_err(|_| "the file holds no private key in PEM form")
    });
    fleet.identity = certificate
        .zip(key)
        .map(|(certificate, key)| StoreIdentity { certificate, key });
}

/// Reads the secrets of candidates, each of which is no other's: a server that can verify identities can sign them as
/// well.
fn read_identities(draft: &mut Draft, problems: &mut ConfigProblems) {
    let Draft { settings, places } = draft;
    let known = settings.origin.mark_key.iter().chain(&settings.fleet.secret);
    let mut known: Vec<MarkKey> = known.cloned().collect();
    for (index, backend) in settings.backends.iter_mut().enumerate() {
        let places = places.table(index);
        let mut files = NamedFiles { places, problems };
        let secret = backend.identity_secret_file.as_deref();
        backend.identity_key = files.read(IDENTITY, secret, |secret| {
            let key = MarkKey::new(secret).map_err(|unfit| unfit.to_string())?;
            if known.contains(&key) {
                return Err(
                    "the file holds the secret of the site, of the fleet or of another backend".to_owned(),
                );
            }
            Ok(key)
        });
        known.extend(backend.identity_key.clone());
    }
}

/// The certificates of a PEM file; at least one.
fn certificates(pem: &[u8]) -> Result<TrustedCertificates, &'static str> {
    let certificates = CertificateDer::pem_slice_iter(pem);
    let ders: Result<Vec<Vec<u8>>, _> = certificates.map(|found| found.map(|der| der.to_vec())).collect();
    match ders {
        Ok(ders) if !ders.is_empty() => Ok(ders.into_iter().collect()),
        _ => Err("the file holds no certificates in PEM form"),
    }
}

// === impl NamedFiles ===

impl NamedFiles<'_> {
    /// The content of a key's file; none if no file is set, or with a problem.
    fn read<T, E: ToString>(
        &mut self,
        key: &str,
        path: Option<&Path>,
        take: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Option<T> {
        let path = path?;
        let taken = match std::fs::read(path) {
            Ok(bytes) => take(&bytes).map_err(|error| (error.to_string(), made(key))),
            Err(error) => Err((
                format!("the file cannot be read: {error}"),
                reachable(key, path, error.kind()),
            )),
        };
        taken
            .map_err(|(reason, help)| {
                let finding = ConfigFinding::impossible(key, reason).help(help);
                self.problems.add(self.places.of(key), finding);
            })
            .ok()
    }
}

/// The step that gives a key its secret.
fn made(key: &str) -> Option<String> {
    let (_, others) = SHARED_WITH.iter().find(|(known, _)| *known == key)?;
    Some(format!(
        "write the secret that {others} has, or a new one for both: openssl rand -hex 32"
    ))
}

/// The step that makes a file readable, which keeps a secret that there is.
fn reachable(key: &str, path: &Path, error: ErrorKind) -> Option<String> {
    match error {
        ErrorKind::NotFound if path.starts_with(CREDENTIALS) => Some(format!(
            "systemd shows {} while its service runs: start the service, and run this again",
            path.display()
        )),
        ErrorKind::NotFound => made(key),
        ErrorKind::PermissionDenied => Some("run this as an account that may read the file".to_owned()),
        ErrorKind::IsADirectory => Some("name a file in this directory".to_owned()),
        _ => None,
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

        for (file, help) in [
            (
                "/run/credentials/no.service/secret",
                "= help: systemd shows /run/credentials/no.service/secret while",
            ),
            ("/", "= help: name a file in this directory"),
        ] {
            let refused = load(file).unwrap_err();
            assert!(
                refused.contains(help) && !refused.contains("openssl"),
                "{refused}"
            );
        }
        let missing = load(short.to_str().unwrap()).unwrap_err();
        assert!(
            missing.contains("the file cannot be read: No such file"),
            "{missing}"
        );
        assert!(missing.contains("edge.toml:3:15"), "{missing}");
    }
}
