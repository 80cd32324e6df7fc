//! The lines of `check` about a store.

use std::process::{Command, Output, Stdio};

use calendar_edge_core::settings::{StoreAddress, StorePassword};

use super::super::support::{Directory, FalseStore, Mischief, Store};
use super::scene::{Scene, count, wait};

/// Checks a configuration with this fleet. The site is not there, so that its findings do not matter.
pub(super) fn check(directory: &Directory, fleet: &str) -> String {
    let secret = directory.write("secret", "a secret of thirty-two characters\n");
    let text = format!(
        "[origin]\nurl = \"http://127.0.0.1:9/wp-json\"\nread_index = false\n[fleet]\nsecret_file = \"{}\"\n{fleet}\n",
        secret.display()
    );
    let file = directory.write("edge.toml", &text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    let Output { stdout, stderr, .. } = command
        .args(["check", "--config"])
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    format!(
        "{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    )
}

fn socket(store: &Store) -> String {
    at(store.address())
}

fn at(address: StoreAddress) -> String {
    let StoreAddress::Unix(path) = address else {
        panic!("a Unix socket")
    };
    format!("store = \"unix:{}\"", path.display())
}

#[tokio::test]
async fn check_tries_the_store_and_prints_the_rights_that_suffice() {
    let Some(store) = Store::start() else { return };
    let directory = Directory::new("checked-fleet");
    let told = check(&directory, &socket(&store));
    assert!(
        told.contains("ok: unix:") && told.contains(" runs what the fleet"),
        "{told}"
    );
    assert!(!told.contains("edges would act alone"), "{told}");
    assert_eq!(store.ask(&["DBSIZE"]), "0", "nothing is left");

    // The printed line suffices, and without it the missing right is named.
    let line = told
        .lines()
        .find_map(|line| line.split_once("at the store: user "));
    let (_, line) = line.expect("a line of rights");
    let rights = line.replace(">PASSWORD", ">a-password");
    let (user, rights) = rights.split_once(' ').expect("a name");
    let password = directory.write("password", "a-password\n");
    let account = format!(
        "{}\nuser = \"{user}\"\npassword_file = \"{}\"",
        socket(&store),
        password.display()
    );
    let told = check(&directory, &account);
    assert!(
        told.contains("auth: ") && told.contains("correct `fleet.user`"),
        "{told}"
    );
    let mut set = vec!["ACL", "SETUSER", user];
    set.extend(rights.split(' '));
    assert_eq!(store.ask(&set), "OK");
    let told = check(&directory, &account);
    assert!(told.contains(" runs what the fleet"), "{told}");
    let scene = Scene::start_with(2, &store.address(), |settings| {
        settings.fleet.user = Some(user.to_owned());
        settings.fleet.password = StorePassword::parse(b"a-password").ok();
    })
    .await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    let refused = r#"edge_fleet_faults_total{kind="acl"}"#;
    assert_eq!(count(&scene.edges[0], refused).await, 0);
    drop(scene);
    store.ask(&["ACL", "SETUSER", user, "-xadd"]);
    let told = check(&directory, &account);
    assert!(
        told.contains("edges would act alone") && told.contains("xadd"),
        "{told}"
    );
    // A command that only scripts use.
    store.ask(&["ACL", "SETUSER", user, "+xadd", "-hgetall"]);
    let told = check(&directory, &account);
    assert!(
        told.contains("acl: ") && told.contains("give the user of the store the rights below"),
        "{told}"
    );
}

#[test]
fn check_says_that_the_password_is_missing() {
    let Some(store) = Store::start() else { return };
    let directory = Directory::new("checked-password");
    store.ask(&["CONFIG", "SET", "requirepass", "a-password"]);
    let told = check(&directory, &socket(&store));
    assert!(
        told.contains("auth: ") && told.contains("correct `fleet.user`"),
        "{told}"
    );
}

#[test]
fn a_message_that_cannot_be_written_takes_no_number() {
    let Some(store) = Store::start() else { return };
    let directory = Directory::new("checked-number");
    store.ask(&["ACL", "SETUSER", "default", "-xadd", "-del"]);
    check(&directory, &socket(&store));
    assert_eq!(store.ask(&["GET", &store.key("check:n")]), "1");
}

#[test]
fn check_names_what_is_wrong_with_a_store() {
    let Some(store) = Store::start() else { return };
    let directory = Directory::new("checked-stores");
    store.ask(&["CONFIG", "SET", "maxmemory", "8mb"]);
    store.ask(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let told = check(&directory, &socket(&store));
    assert!(told.contains("`maxmemory-policy allkeys-lru`"), "{told}");
    assert!(told.contains("of free memory: give it 16 MiB"), "{told}");
    store.ask(&["CONFIG", "SET", "maxmemory-policy", "volatile-lru"]);
    let told = check(&directory, &socket(&store));
    assert!(told.contains("`maxmemory-policy volatile-lru`"), "{told}");
    store.ask(&["CONFIG", "SET", "replica-read-only", "no"]);
    store.ask(&["REPLICAOF", "127.0.0.1", "1"]);
    let told = check(&directory, &socket(&store));
    assert!(told.contains("is a replica"), "{told}");
    let told = check(&directory, "store = \"unix:/nowhere/store\"");
    assert!(
        told.contains("io: ") && told.contains("start the store"),
        "{told}"
    );
    let told = check(&directory, "store = \"redis://127.0.0.1:9\"");
    assert!(told.contains("edges would act alone: io: "), "{told}");
}

#[tokio::test]
async fn a_clock_that_is_off_is_named_by_check_and_shown() {
    let Some(store) = Store::start() else { return };
    let relay = FalseStore::before(&store.address());
    relay.misbehave(Mischief::Late(90));
    let fleet = at(relay.address());
    let checked = tokio::task::spawn_blocking(move || check(&Directory::new("checked-clock"), &fleet));
    let told = checked.await.expect("an answer");
    assert!(
        told.contains("that of the store differ by 9") && told.contains("set both by NTP"),
        "{told}"
    );
    let scene = Scene::start(1, &relay.address()).await;
    wait("the edge compares its clock", || async {
        let off = scene.edges[0].metric("edge_fleet_clock_offset_seconds").await;
        off.is_some_and(|off| ["89", "90", "91"].contains(&off.as_str()))
    })
    .await;
    relay.misbehave(Mischief::None);
    wait("the clocks agree", || async {
        count(&scene.edges[0], "edge_fleet_clock_offset_seconds").await <= 1
    })
    .await;
    let told = tokio::task::spawn_blocking(move || check(&Directory::new("checked-time"), &socket(&store)));
    let told = told.await.expect("an answer");
    assert!(!told.contains("that of the store differ"), "{told}");
}
