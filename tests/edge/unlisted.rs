//! `verify` with records that lists lack: the companion plugin names them, or the run is marked as incomplete.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::facts::{FACTS, rules, seal};
use crate::support::{Origin, Reply, Seen};
use crate::verifying::{list, venue, verify};

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

    fn respond(&self, seen: &Seen) -> Reply {
        if let Some(query) = seen.target.strip_prefix(FACTS) {
            return self.tell(query);
        }
        if let Some(id) = venue(seen) {
            return self.read(id, seen.header("authorization").is_some());
        }
        list(seen, &self.listed)
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

    fn tell(&self, query: &str) -> Reply {
        if self.is_silent {
            return Reply::json(404, "{}");
        }
        let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
        assert_eq!(asked.get("names"), Some(&"1"), "{query}");
        let after: u64 = asked["after"].parse().expect("a number");
        let mut behind = self.venues.range(after + 1..);
        // Two a reply.
        let told: Vec<_> = behind.by_ref().take(2).collect();
        let next = told
            .last()
            .map(|(id, _)| **id)
            .filter(|_| behind.next().is_some());
        let record = |(id, (city, status)): &(&u64, &(&str, &str))| {
            let sum = city.bytes().map(u64::from).sum::<u64>();
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
        Origin::answering(move |seen| self.respond(seen)).await
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

#[tokio::test]
async fn without_names_a_list_that_lacks_records_is_incomplete() {
    let mut site = NamedSite::sample();
    site.is_silent = true;
    let site = site.serve().await;
    let at = root(&site);
    let (status, report, complaint) = verify("unlisted-ties", [&at, &at], &[]).await;
    assert_eq!(status, Some(2), "{complaint}");
    assert_eq!(report["records"]["venues"]["records"], 2, "{report}");
    assert!(
        report["incomplete"]
            .to_string()
            .contains("venues below /wp-json: 2 of 3"),
        "{report}"
    );
    assert!(
        report["not_covered"].to_string().contains("hide_from_listings"),
        "{report}"
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
        let account = account(&setup);
        let arguments = ["migration", "verify", "--rate", "1000", "-H", &account];
        let (status, report) = setup.json(&arguments).await;
        assert_eq!(status, Some(i32::from(!unequal.is_empty())), "{report}");
        assert_eq!(report["records"]["venues"]["records"], 5, "1, 2, 3, 9 and 10");
        let found = report["unequal"].as_array().expect("a list").iter();
        let found = found.filter(|record| record["paths"] == json!(["city"]));
        assert_eq!(
            found
                .filter_map(|line| line["id"].as_u64())
                .collect::<BTreeSet<_>>(),
            unequal
        );
        assert_eq!(report["incomplete"], json!([]), "{report}");
        let withheld = "1 records that the companion plugin names";
        assert!(report["not_covered"].to_string().contains(withheld), "{report}");
    }
}
