//! A store that is reached by TLS: with the right authority and certificate, and named where one is wrong.

use calendar_edge_core::settings::{Settings, StoreAddress, StoreIdentity};

use super::super::support::{Authority, Certificate, Directory, Store, closed_port};
use super::checked::check;
use super::scene::{Scene, count, is_together, status, wait};
use super::sentinels::{PRIMARY, Sentinels};

const TLS: &str = r#"edge_fleet_faults_total{kind="tls"}"#;

/// A server that speaks TLS, with the files that it reads.
struct TlsStore {
    directory: Directory,
    authority: Authority,
    address: StoreAddress,
    port: u16,
    /// The files in the form of a configuration.
    lines: String,
    store: Store,
}

// === impl TlsStore ===

impl TlsStore {
    /// Starts a server that demands a certificate of its clients, or does not; none where it is not installed.
    fn start(name: &str, clients: &str) -> Option<Self> {
        let (directory, authority) = (Directory::new(name), Authority::new());
        let own = authority.certify("127.0.0.1");
        let port = closed_port().port();
        let file = |name: &str, pem: &str| directory.write(name, pem).display().to_string();
        let files = [
            ("tls-cert-file", file("own.pem", &own.pem)),
            ("tls-key-file", file("own.key", &own.key_pem)),
            ("tls-ca-cert-file", file("ca.pem", &authority.pem)),
            ("tls-auth-clients", clients.to_owned()),
        ];
        let mut arguments = vec!["--bind".to_owned(), "127.0.0.1".to_owned()];
        arguments.extend(["--tls-port".to_owned(), port.to_string()]);
        for (name, value) in &files {
            arguments.extend([format!("--{name}"), value.clone()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let store = Store::start_with(&arguments)?;
        let lines = files.iter().map(|(name, value)| format!("{name} {value}\n"));
        Some(Self {
            address: StoreAddress::parse(&format!("rediss://127.0.0.1:{port}")).expect("an address"),
            lines: lines.collect(),
            port,
            directory,
            authority,
            store,
        })
    }

    /// The settings of an edge that trusts an authority and shows a certificate.
    fn trusting(authority: &Authority, shown: Option<&Certificate>) -> impl Fn(&mut Settings) + use<> {
        let der = authority.der().to_vec();
        let identity = shown.map(|shown| StoreIdentity {
            certificate: shown.pem.clone().into_bytes(),
            key: shown.key_pem.clone().into_bytes(),
        });
        move |settings| {
            settings.fleet.trusted = std::iter::once(der.clone()).collect();
            settings.fleet.identity.clone_from(&identity);
        }
    }

    /// The output of `check` with these lines of `[fleet]`.
    fn checked(&self, more: &str) -> String {
        let settings = format!("store = \"{}\"\n{more}", self.address);
        check(&self.directory, &settings)
    }

    /// The line of a setting that names a file with this text.
    fn line(&self, key: &str, pem: &str) -> String {
        let file = self.directory.write(key, pem);
        format!("{key} = \"{}\"\n", file.display())
    }
}

#[tokio::test]
async fn edges_reach_a_store_by_tls_and_refuse_one_of_another_authority() {
    let Some(tls) = TlsStore::start("tls-store", "no") else {
        return;
    };
    let scene = Scene::start_with(2, &tls.address, TlsStore::trusting(&tls.authority, None)).await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    assert_eq!(count(&scene.edges[0], TLS).await, 0);
    assert!(tls.store.ask(&["KEYS", "ce:*:log"]).starts_with("ce:"));

    let stranger = Authority::new();
    let scene = Scene::start_with(1, &tls.address, TlsStore::trusting(&stranger, None)).await;
    wait("the store is refused", || async {
        count(&scene.edges[0], TLS).await > 0
    })
    .await;
    assert!(!is_together(&scene.edges[0]).await);
    let fault = status(&scene.edges[0]).await["fault"].to_string();
    assert!(fault.contains("tls: "), "{fault}");

    let told = tls.checked(&tls.line("ca_file", &tls.authority.pem));
    assert!(told.contains(" runs what the fleet"), "{told}");
    for wrong in [tls.line("ca_file", &stranger.pem), String::new()] {
        let told = tls.checked(&wrong);
        assert!(
            told.contains("edges would act alone: tls: ") && told.contains("correct `fleet.ca_file`"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_store_that_demands_a_certificate_gets_one() {
    let Some(tls) = TlsStore::start("mutual-tls-store", "yes") else {
        return;
    };
    let shown = tls.authority.certify("edge.example");
    let with = TlsStore::trusting(&tls.authority, Some(&shown));
    let scene = Scene::start_with(2, &tls.address, with).await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;

    let ca = tls.line("ca_file", &tls.authority.pem);
    let identity = |certificate: &Certificate| {
        tls.line("certificate_file", &certificate.pem) + &tls.line("key_file", &certificate.key_pem)
    };
    let told = tls.checked(&(ca.clone() + &identity(&shown)));
    assert!(told.contains(" runs what the fleet"), "{told}");
    let strange = Authority::new().certify("edge.example");
    for wrong in [String::new(), identity(&strange)] {
        let told = tls.checked(&(ca.clone() + &wrong));
        assert!(
            told.contains("edges would act alone: ") && told.contains("`fleet.certificate_file`"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn sentinels_and_their_server_are_checked_by_the_same_authority() {
    let Some(tls) = TlsStore::start("sentinels-tls-store", "no") else {
        return;
    };
    let sentinels = Sentinels::start_tls(tls.port, &tls.lines);
    let address = format!("sentinels://127.0.0.1:{}", sentinels.port());
    let address = StoreAddress::parse(&address).expect("an address");
    let with = |authority: &Authority| {
        let trusting = TlsStore::trusting(authority, None);
        move |settings: &mut Settings| {
            trusting(settings);
            settings.fleet.master = Some(PRIMARY.to_owned());
        }
    };
    let scene = Scene::start_with(2, &address, with(&tls.authority)).await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    let scene = Scene::start_with(1, &address, with(&Authority::new())).await;
    wait("the Sentinel is refused", || async {
        count(&scene.edges[0], TLS).await > 0
    })
    .await;
    assert!(!is_together(&scene.edges[0]).await);
}
