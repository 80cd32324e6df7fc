//! `export` and `verify` with records that lists lack: the companion plugin names them, or the run is marked as
//! incomplete.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::exporting::{export, lines, list, summary};
use crate::facts::{FACTS, rules, seal};
use crate::support::{Origin, Reply, Seen};
use crate::verifying::{self, venue, verify};

const SECRET: &[u8] = b"a secret of thirty-two characters";

/// A site of venues whose list shows some of them, in this order, and counts more.
#[derive(Debug, Clone, Default)]
struct NamedSite {
    changes: u64,
    /// The city and status of each.
    venues: BTreeMap<u64, (&'static str, &'static str)>,
    listed: Vec<u64>,
    /// Has no plugin that reports records.
    is_silent: bool,
    /// The city that one of them gets once it was listed.
    edit: Option<(u64, &'static str)>,
    is_changed_by_each_look: bool,
}

// === impl NamedSite ===

impl NamedSite {
    /// Nine is hidden, ten a draft, eleven private for everybody, twelve in the trash.
    fn sample() -> Self {
        let of = |id| (id, ("a", "publish"));
        let others = [(10, ("a", "draft")), (11, ("a", "private")), (12, ("a", "trash"))];
        Self {
            changes: 1,
            venues: [1, 2, 3, 9].map(of).into_iter().chain(others).collect(),
            // One and two are equal to its order, so that two comes again in place of three.
            listed: vec![1, 2, 2],
            ..Self::default()
        }
    }

    fn respond(&mut self, seen: &Seen) -> Reply {
        if let Some(query) = seen.target.strip_prefix(FACTS) {
            return self.tell(query);
        }
        if let Some(id) = venue(seen) {
            return self.read(id, seen.header("authorization").is_some());
        }
        let reply = list(seen, &self.listed);
        if let Some((id, city)) = self.edit.take_if(|_| seen.target.contains("/tags?")) {
            self.venues.insert(id, (city, "publish"));
            self.changes += 1;
        }
        reply
    }

    fn read(&self, id: u64, has_account: bool) -> Reply {
        match self.venues.get(&id) {
            Some((city, status)) if *status == "publish" || (has_account && *status == "draft") => {
                let venue = json!({"id": id, "slug": format!("v{id}"), "city": city, "json_ld": {"@id": id}});
                Reply::json(200, &venue.to_string())
            }
            _ => Reply::json(
                403,
                r#"{"code":"venue-not-accessible","message":"No.","data":{"status":403}}"#,
            ),
        }
    }

    fn tell(&mut self, query: &str) -> Reply {
        if self.is_silent {
            return Reply::json(404, "{}");
        }
        let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
        assert_eq!(asked.get("names"), Some(&"1"), "{query}");
        let after: u64 = asked["after"].parse().expect("a number");
        if after == 0 && self.is_changed_by_each_look {
            self.changes += 1;
        }
        let mut behind = self.venues.range(after + 1..);
        // Two a reply.
        let told: Vec<_> = behind.by_ref().take(2).collect();
        let next = told
            .last()
            .map(|(id, _)| **id)
            .filter(|_| behind.next().is_some());
        let record = |(id, (city, status)): &(&u64, &(&str, &str))| {
            let of_look = if self.is_changed_by_each_look {
                self.changes
            } else {
                0
            };
            let sum = city.bytes().map(u64::from).sum::<u64>() + of_look;
            json!({"id": id, "kind": "venue", "slug": format!("v{id}"), "status": status, "sum": sum})
        };
        let records: Vec<Value> = told.iter().map(record).collect();
        let mut reply = json!({"facts": 1, "changes": self.changes, "sums": self.changes.to_string(), "events": [],
            "next": next, "names": records});
        if asked.contains_key("site") {
            reply["site"] = json!({"home": "", "plugin": "6.17.2", "structure": "", "rules": rules(), "front_page": false,
                "languages": false, "views": true, "filters": [], "default_view": "list", "enabled_views": [],
                "per_page": 12, "cutoff": "00:00", "week_starts": 1, "language": "en", "calendar": "", "terms": [],
                "words": {"none": "", "calendar": ""}});
        }
        let reply = reply.to_string();
        Reply::json(200, &reply).header("x-calendar-edge-facts", &seal(SECRET, &reply, asked["nonce"]))
    }

    async fn serve(self) -> Origin {
        let site = Mutex::new(self);
        Origin::answering(move |seen| site.lock().expect("a lock").respond(seen)).await
    }
}

/// The program with a configuration that has the secret of the plugin.
fn setup(name: &str, site: &Origin, other: &Origin) -> Setup {
    let setup = Setup::new(name, &root(site), &root(other), "credentials = \"forward\"\n");
    let secret = setup
        .directory
        .write("secret", &String::from_utf8_lossy(SECRET))
        .display()
        .to_string();
    let config = std::fs::read_to_string(&setup.config).expect("a file");
    let with = format!("secret_file = \"{secret}\"\n[backends.next]");
    std::fs::write(&setup.config, config.replace("[backends.next]", &with)).expect("a file");
    setup
}

fn account(setup: &Setup) -> String {
    let account = setup.directory.write("account", "Authorization: Basic YTpi\n");
    format!("@{}", account.display())
}

fn cities(setup: &Setup, name: &str) -> BTreeMap<u64, String> {
    let venues = lines(&setup.directory.path().join(name), "venues.ndjson");
    let city = |venue: &Value| venue["city"].as_str().unwrap_or("listed").to_owned();
    let venues = venues
        .iter()
        .map(|venue| (venue["id"].as_u64().expect("a number"), city(venue)));
    venues.collect()
}

fn expected(cities: &[(u64, &str)]) -> BTreeMap<u64, String> {
    cities
        .iter()
        .map(|(id, city)| (*id, (*city).to_owned()))
        .collect()
}

#[tokio::test]
async fn an_export_has_what_its_lists_lack() {
    let site = NamedSite::sample().serve().await;
    let setup = setup("unlisted-export", &site, &site);
    let (status, complaint) = export(&setup, "public", &[]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let all = [(1, "listed"), (2, "listed"), (3, "a"), (9, "a")];
    assert_eq!(cities(&setup, "public"), expected(&all));
    let asked = site.take_seen();
    let reads: BTreeSet<u64> = asked.iter().filter_map(venue).collect();
    assert_eq!(
        reads,
        BTreeSet::from([3, 9]),
        "what is not public is not asked for"
    );
    let text = std::fs::read_to_string(setup.directory.path().join("public/venues.ndjson")).expect("a file");
    assert!(!text.contains("json_ld"), "as a list shows it: {text}");
    let account = account(&setup);
    let (status, complaint) = export(&setup, "all", &["-H", &account]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let ids: Vec<u64> = cities(&setup, "all").into_keys().collect();
    assert_eq!(ids, [1, 2, 3, 9, 10], "a draft, and not the trash");
    let told = summary(&setup.directory.path().join("all"))["not_shown"].to_string();
    assert!(
        told.contains("1 records that the companion plugin names"),
        "{told}"
    );
    let since = setup.directory.path().join("all").display().to_string();
    let (status, complaint) = export(&setup, "later", &["-H", &account, "--since", &since]).await;
    assert_eq!(status, Some(0), "{complaint}");
    assert_eq!(cities(&setup, "later"), BTreeMap::new(), "nothing has changed");
}

#[tokio::test]
async fn what_changes_behind_the_walk_is_read_again() {
    for (edit, city) in [((1, "b"), "b"), ((4, "c"), "c")] {
        let site = NamedSite {
            edit: Some(edit),
            ..NamedSite::sample()
        };
        let site = site.serve().await;
        let setup = setup("unlisted-edit", &site, &site);
        let (status, complaint) = export(&setup, "one", &[]).await;
        assert_eq!(status, Some(0), "{complaint}");
        let mut all = expected(&[(1, "listed"), (2, "listed"), (3, "a"), (9, "a")]);
        all.insert(edit.0, city.to_owned());
        assert_eq!(cities(&setup, "one"), all);
    }
    let gone = NamedSite {
        listed: vec![1, 2, 99],
        ..NamedSite::sample()
    };
    let gone = gone.serve().await;
    let setup = setup("unlisted-gone", &gone, &gone);
    assert_eq!(export(&setup, "one", &[]).await.0, Some(0));
    assert!(
        !cities(&setup, "one").contains_key(&99),
        "it was listed, and is gone"
    );
}

#[tokio::test]
async fn a_site_that_never_rests_is_not_exported() {
    let mut site = NamedSite::sample();
    site.is_changed_by_each_look = true;
    let site = site.serve().await;
    let setup = setup("unlisted-restless", &site, &site);
    let account = account(&setup);
    let (status, complaint) = export(&setup, "one", &["-H", &account]).await;
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("the site changed each of the 10 times"),
        "{complaint}"
    );
    assert!(!setup.directory.path().join("one/manifest.json").exists());
}

#[tokio::test]
async fn without_names_a_list_that_lacks_records_is_incomplete() {
    let mut site = NamedSite::sample();
    site.is_silent = true;
    let site = site.serve().await;
    let setup = setup("unlisted-silent", &site, &site);
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("incomplete") && complaint.contains("2 of 3 records"),
        "{complaint}"
    );
    assert!(!setup.directory.path().join("one/manifest.json").exists());
    let at = root(&site);
    let (status, manifest, complaint) = verify("unlisted-ties", [&at, &at], &[]).await;
    assert_eq!(status, Some(2), "{complaint}");
    let ending = manifest.last().expect("an ending");
    assert_eq!(ending["records"], 2, "{ending}");
    assert!(
        ending["incomplete"]
            .to_string()
            .contains("venues below /wp-json: 2 of 3"),
        "{ending}"
    );
    assert!(
        ending["not_covered"].to_string().contains("hide_from_listings"),
        "{ending}"
    );
}

#[tokio::test]
async fn a_record_that_no_list_shows_is_compared() {
    let ours = NamedSite::sample().serve().await;
    let mut other = NamedSite::sample();
    for id in [3, 10] {
        other.venues.get_mut(&id).expect("a venue").0 = "b";
    }
    let other = other.serve().await;
    for (next, unequal) in [(&ours, BTreeSet::new()), (&other, BTreeSet::from([3, 10]))] {
        let setup = setup("unlisted-verify", &ours, next);
        let (account, file) = (account(&setup), setup.directory.path().join("verify.jsonl"));
        let typed = file.to_str().expect("text");
        let arguments = [
            "migration",
            "verify",
            "--rate",
            "1000",
            "--manifest",
            typed,
            "-H",
            &account,
        ];
        let output = setup.run(&arguments).await;
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(i32::from(!unequal.is_empty())),
            "{complaint}"
        );
        let manifest = verifying::lines(&file);
        let ids = manifest.iter().filter_map(|line| line["id"].as_u64());
        assert_eq!(ids.collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3, 9, 10]));
        let found = manifest.iter().filter(|line| line["paths"] == json!(["city"]));
        assert_eq!(
            found
                .filter_map(|line| line["id"].as_u64())
                .collect::<BTreeSet<_>>(),
            unequal
        );
        let ending = manifest.last().expect("an ending");
        assert_eq!(ending["incomplete"], json!([]), "{ending}");
        let withheld = "1 records that the companion plugin names";
        assert!(ending["not_covered"].to_string().contains(withheld), "{ending}");
    }
}
