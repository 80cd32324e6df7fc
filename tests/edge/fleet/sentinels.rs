//! Three Sentinels name the store, and another one when it dies.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calendar_edge_core::settings::{Settings, StoreAddress, StorePassword};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::super::support::{Directory, Store, closed_port};
use super::scene::{Scene, count, is_together, shown, wait};

pub(super) const PRIMARY: &str = "primary";

/// Three Sentinels, which end when this is dropped.
pub(super) struct Sentinels {
    password: Option<&'static str>,
    ports: Vec<u16>,
    processes: Vec<Child>,
    /// Their configurations, which they write anew.
    _directory: Directory,
}

// === impl Sentinels ===

impl Sentinels {
    /// Starts them before a server, and waits until they could replace it.
    ///
    /// With a password they demand it of every client, each other too.
    async fn start(primary: u16, password: Option<&'static str>) -> Self {
        let directory = Directory::new(&format!("sentinels-{primary}"));
        let ports: Vec<u16> = (0..3).map(|_| closed_port().port()).collect();
        let account = |password| format!("requirepass {password}\nsentinel sentinel-pass {password}\n");
        let settings = monitoring(primary, 2) + &password.map(account).unwrap_or_default();
        let processes = ports
            .iter()
            .map(|port| spawn(&directory, &format!("port {port}\n{settings}")))
            .collect();
        let this = Self {
            password,
            ports,
            processes,
            _directory: directory,
        };
        wait("the Sentinels know each other and the replica", async || {
            this.ports.iter().all(|port| this.is_prepared(*port))
        })
        .await;
        this
    }

    /// Starts one that speaks TLS with these lines of its configuration, before a server that does too.
    pub(super) fn start_tls(primary: u16, tls: &str) -> Self {
        let (directory, port) = (Directory::new("tls-sentinel"), closed_port().port());
        let settings = format!(
            "port 0\ntls-port {port}\ntls-replication yes\n{tls}{}",
            monitoring(primary, 1)
        );
        Self {
            password: None,
            ports: vec![port],
            processes: vec![spawn(&directory, &settings)],
            _directory: directory,
        }
    }

    /// The port of the first.
    pub(super) fn port(&self) -> u16 {
        self.ports[0]
    }

    fn addresses(&self) -> Vec<StoreAddress> {
        let at = |port: &u16| StoreAddress::parse(&format!("sentinel://127.0.0.1:{port}"));
        self.ports
            .iter()
            .map(|port| at(port).expect("an address"))
            .collect()
    }

    /// True if a Sentinel knows two others and a replica.
    fn is_prepared(&self, port: u16) -> bool {
        let known = Store::ask_port(port, self.password, &["SENTINEL", "MASTER", PRIMARY]);
        let values: Vec<&str> = known.lines().collect();
        let value = |name| values.iter().skip_while(|value| **value != name).nth(1).copied();
        value("num-other-sentinels") == Some("2") && value("num-slaves") == Some("1")
    }
}

impl Drop for Sentinels {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // One that is gone needs no end.
            drop(process.kill());
            drop(process.wait());
        }
    }
}

/// The configuration of Sentinels for a server that so many of them have to find dead.
fn monitoring(primary: u16, quorum: usize) -> String {
    format!(
        "bind 127.0.0.1\nsentinel monitor {PRIMARY} 127.0.0.1 {primary} {quorum}\n\
         sentinel down-after-milliseconds {PRIMARY} 500\nsentinel failover-timeout {PRIMARY} 2000\n"
    )
}

fn spawn(directory: &Directory, settings: &str) -> Child {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let file = directory.write(&format!("{count}.conf"), settings);
    Command::new(Store::program())
        .arg(file)
        .arg("--sentinel")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program of the store")
}

/// A primary, its replica and Sentinels; none where no server is installed.
async fn start(password: Option<&'static str>) -> Option<(Store, Store, Sentinels)> {
    let ports = [closed_port().port(), closed_port().port()];
    let [first, second] = ports.map(|port| port.to_string());
    let primary = Store::start_with(&["--port", &first, "--bind", "127.0.0.1"])?;
    let replicates = [
        "--port",
        &second,
        "--bind",
        "127.0.0.1",
        "--replicaof",
        "127.0.0.1",
        &first,
    ];
    let replica = Store::start_with(&replicates).expect("it is installed");
    Some((primary, replica, Sentinels::start(ports[0], password).await))
}

#[tokio::test]
async fn edges_follow_the_sentinels_to_the_replica() {
    let Some((mut primary, replica, sentinels)) = start(None).await else {
        return;
    };
    let addresses = sentinels.addresses();
    let scene = Scene::start_with(2, &addresses[0], |settings| {
        settings.fleet.store.clone_from(&addresses);
        settings.fleet.master = Some(PRIMARY.to_owned());
    })
    .await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    primary.kill();
    for edge in &scene.edges {
        wait("the edge notices", async || {
            shown(edge).await;
            !is_together(edge).await
        })
        .await;
    }
    // Meanwhile each edge follows its own orders.
    scene.change_and_tell(0).await;
    scene.follows(0).await;
    for edge in &scene.edges {
        let took = wait("the edge finds the other server", async || {
            shown(edge).await;
            is_together(edge).await
        })
        .await;
        println!("together again {took:?} after all were alone");
        // The last messages to the first server may be lost.
        assert!(gaps(edge).await > 0);
    }
    assert!(replica.ask(&["ROLE"]).starts_with("master"));
    scene.follows(1).await;
    scene.change_and_tell(1).await;
    scene.follows(0).await;
}

#[tokio::test]
async fn sentinels_are_asked_with_their_own_password() {
    let Some((mut primary, replica, sentinels)) = start(Some("of-the-sentinels")).await else {
        return;
    };
    let addresses = sentinels.addresses();
    let with = |password: Option<&'static str>| {
        let addresses = addresses.clone();
        move |settings: &mut Settings| {
            settings.fleet.store.clone_from(&addresses);
            settings.fleet.master = Some(PRIMARY.to_owned());
            let password =
                password.map(|password| StorePassword::parse(password.as_bytes()).expect("one line"));
            settings.fleet.sentinel_password = password;
        }
    };
    for wrong in [None, Some("of-nobody")] {
        let scene = Scene::start_with(1, &addresses[0], with(wrong)).await;
        wait("the Sentinels refuse the edge", async || {
            count(&scene.edges[0], r#"edge_fleet_faults_total{kind="auth"}"#).await > 0
        })
        .await;
        assert!(!is_together(&scene.edges[0]).await);
    }
    let scene = Scene::start_with(2, &addresses[0], with(Some("of-the-sentinels"))).await;
    scene.together().await;
    primary.kill();
    wait("the replica takes over", async || {
        replica.ask(&["ROLE"]).starts_with("master")
    })
    .await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
}

/// T-105: no more is read than the replies of an exchange may have, one connection after another.
#[tokio::test]
async fn t105_a_reply_of_a_sentinel_without_an_end_is_read_up_to_its_bound() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("sentinel://{}", listener.local_addr().expect("an address"));
    let address = StoreAddress::parse(&address).expect("an address of a Sentinel");
    let flooded = Arc::new(AtomicUsize::new(0));
    let ended = Arc::new(AtomicUsize::new(0));
    let counts = (Arc::clone(&flooded), Arc::clone(&ended));
    let flooding = tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.expect("a connection");
            let mut piece: &[u8] = b"$2000000000\r\n";
            while client.write_all(piece).await.is_ok() {
                counts.0.fetch_add(piece.len(), Ordering::SeqCst);
                piece = &[b'x'; 16 * 1024];
            }
            counts.1.fetch_add(1, Ordering::SeqCst);
        }
    });
    let scene = Scene::start_with(1, &address, |settings| {
        settings.fleet.master = Some(PRIMARY.to_owned());
    })
    .await;
    wait("two connections end", async || ended.load(Ordering::SeqCst) >= 2).await;
    flooding.abort();
    // A connection holds what its bound allows, and what the sockets in between take.
    let (bytes, connections) = (flooded.load(Ordering::SeqCst), ended.load(Ordering::SeqCst) + 1);
    println!("{bytes} bytes over {connections} connections");
    assert!(
        bytes <= connections * (20 << 20),
        "{bytes} bytes over {connections}"
    );
    assert!(!is_together(&scene.edges[0]).await);
}

async fn gaps(edge: &super::super::support::Edge) -> u64 {
    let mut gaps = 0;
    for cause in ["boot", "number", "server"] {
        gaps += count(edge, &format!(r#"edge_fleet_gaps_total{{cause="{cause}"}}"#)).await;
    }
    gaps
}
