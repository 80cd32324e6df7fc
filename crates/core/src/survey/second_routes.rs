//! The plugin's second API, `tec/v1`, as far as the edge decides about it where it forwards the rest of the site.

use calendar_edge_judge::contract::{PublishedRoutes, SECOND_NAMESPACE};

use super::check_line::{CheckLine, LineKind};
use super::surveyed_site::SurveyedSite;
use crate::settings::{Mode, OtherTraffic, Settings};

/// The decided part of the second API below a root; nothing where the edge refuses all of it.
pub(super) fn second_routes(place: &SurveyedSite<'_>, path: &str, settings: &Settings) -> Option<CheckLine> {
    if settings.other != OtherTraffic::Forward {
        return None;
    }
    let index = place.json(SECOND_NAMESPACE);
    let routes = index.and_then(|index| PublishedRoutes::of_document(&index));
    let decided = decided(routes.as_ref(), settings.mode);
    Some(LineKind::Ok.line(format!("{path}: {SECOND_NAMESPACE}: {decided}")))
}

fn decided(routes: Option<&PublishedRoutes>, mode: Mode) -> String {
    let Some(routes) = routes else {
        return "the site publishes no routes of the second API".to_owned();
    };
    let (count, decided) = (
        routes.count(),
        "routes and methods are decided, arguments are not",
    );
    match mode {
        Mode::Enforce => format!("{count} routes: {decided}"),
        Mode::Report => format!("{count} routes: {decided}; in `mode = \"report\"` nothing is refused"),
        Mode::Off => format!("{count} routes: with `mode = \"off\"` nothing of them is decided"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_is_said_as_the_mode_has_it() {
        let index = include_str!("../../../../fixtures/contract/second-index.json");
        let index = serde_json::from_str(index).expect("the fixture is JSON");
        let routes = PublishedRoutes::of_document(&index);
        let told = |mode| decided(routes.as_ref(), mode);
        assert_eq!(
            told(Mode::Enforce),
            "8 routes: routes and methods are decided, arguments are not"
        );
        assert!(told(Mode::Report).ends_with("nothing is refused"));
        assert!(told(Mode::Off).ends_with("nothing of them is decided"));
        assert!(decided(None, Mode::Enforce).contains("no routes"));
    }
}
