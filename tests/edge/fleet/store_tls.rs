//! A store that is reached by TLS: with the right authority and certificate, and named where one is wrong.

use calendar_edge_core::settings::{Settings, StoreAddress, StoreIdentity};

use super::super::support::{Authority, Certificate, Directory, Store, closed_port};
use super::checked::check;
use super::scene::{Scene, count, is_together, status, wait};

const TLS: &str = r#"edge_fleet_faults_total{kind="tls"}"#;

/// A server that speaks TLS, with the files that it reads.
struct TlsStore {
    directory: Directory,
    authority: Authority,
    address: StoreAddress,
    store: Store,
}

// === impl TlsStore ===

impl TlsStore {
    /// Starts a server that demands a certificate of its clients, or does not; none where it is not installed.
    fn start(name: &str, clients: &str) -> Option<Self> {
        let (directory, authority) = (Directory::new(name), Authority::new());
        let own = authority.certify("127.0.0.1");
        let port = closed_port().port().to_string();
        let file = |name: &str, pem: &str| directory.write(name, pem).display().to_string();
        let (ca, certificate) = (file("ca.pem", &authority.pem), file("own.pem", &own.pem));
        let key = file("own.key", &own.key_pem);
        let store = Store::start_with(&[
            "--bind",
            "127.0.0.1",
            "--tls-port",
            &port,
            "--tls-cert-file",
            &certificate,
            "--tls-key-file",
            &key,
            "--tls-ca-cert-file",
            &ca,
            "--tls-auth-clients",
            clients,
        ])?;
        Some(Self {
            address: StoreAddress::parse(&format!("rediss://127.0.0.1:{port}")).expect("an address"),
            directory,
            authority,
            store,
        })
    }

    /// The settings of an edge that trusts an authority and shows a certificate.
    fn trusting(authority: &Authority, shown: Option<&Certificate>) -> impl Fn(&mut Settings) {
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

    /// What `check` says with these lines of `[fleet]`.
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
