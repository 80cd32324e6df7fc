//! The part of the settings that a judgement depends on.

use url::{Host, Url};

use super::{Root, Settings};
use calendar_edge_judge::policy::{ImageHost, Policy, ServedRoot};

// === impl Settings ===

impl Settings {
    /// The policy by which calls are judged.
    pub fn policy(&self) -> Policy {
        let operations = self.operations.iter();
        Policy {
            mode: self.mode,
            profile: self.profile,
            operations: operations.map(|(id, own)| (*id, own.policy())).collect(),
            undeclared: self.undeclared,
            extra_parameters: self.extra_parameters.clone(),
            repair: self.repair,
            writes: self.writes,
            read_only: self.read_only,
            allow_author: self.allow_author,
            allow_jsonp: self.allow_jsonp,
            calendar_files: self.forms.calendar,
            image_hosts: self.image_hosts.clone().unwrap_or_else(|| self.own_image_hosts()),
            roots: self.roots.iter().map(served).collect(),
            namespaces: self.public_namespaces(),
            origin_namespace: self.origin.namespace.as_str().to_owned(),
            other: self.other,
        }
    }

    /// The hosts of the calendar's own pages.
    fn own_image_hosts(&self) -> Vec<ImageHost> {
        let origin = &self.origin;
        let site = origin.advertised_url.as_ref().unwrap_or(&origin.url);
        let addresses = self.public_url.iter().chain([site]);
        addresses.filter_map(host_of).collect()
    }
}

/// The host of a URL as an image host. IP addresses and names of this machine do not count: the network
/// around the site is not opened by default.
fn host_of(url: &Url) -> Option<ImageHost> {
    let Some(Host::Domain(name)) = url.host() else {
        return None;
    };
    let is_loopback = name == "localhost" || name.ends_with(".localhost");
    (!is_loopback).then(|| ImageHost {
        name: name.to_owned(),
        below: false,
        port: url.port(),
    })
}

fn served(root: &Root) -> ServedRoot {
    ServedRoot {
        path: root.path.clone(),
        words: root.words.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(change: impl FnOnce(&mut Settings)) -> Vec<(String, Option<u16>)> {
        let origin = "http://wordpress:8080/wp-json".parse().unwrap();
        let mut settings = Settings::for_origin(origin);
        change(&mut settings);
        let hosts = settings.policy().image_hosts.into_iter();
        hosts.map(|host| (host.name, host.port)).collect()
    }

    #[test]
    fn the_calendars_own_hosts_are_known() {
        let own = hosts(|settings| {
            settings.public_url = Some("https://events.example.org".parse().unwrap());
            settings.origin.advertised_url = Some("https://www.example.org:8443/wp-json".parse().unwrap());
        });
        let expected = [("events.example.org", None), ("www.example.org", Some(8443))];
        assert_eq!(own, expected.map(|(name, port)| (name.to_owned(), port)));
        assert_eq!(hosts(|_| {}), [("wordpress".to_owned(), Some(8080))]);
    }

    #[test]
    fn addresses_and_this_machine_are_not_image_hosts() {
        for origin in [
            "http://127.0.0.1/wp-json",
            "http://[::1]/wp-json",
            "http://localhost/wp-json",
        ] {
            let own = hosts(|settings| {
                settings.origin.advertised_url = Some(origin.parse().unwrap());
                settings.public_url = Some("http://edge.localhost".parse().unwrap());
            });
            assert_eq!(own, [], "{origin}");
        }
    }
}
