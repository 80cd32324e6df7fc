//! The cost of a call to the plugin's second API, `tec/v1`.

use http::Method;

use super::surface_request::{SurfaceRequest, is_below};
use crate::limits::rates::CostClass;
use calendar_edge_judge::routing::SiteTarget;

/// The namespace of the plugin's second API, which has the same records in another form.
const SECOND_NAMESPACE: &str = "tec/v1";

/// The cost of a call, which is that of a call to the calendar; none for other requests.
pub(super) fn cost(request: &SurfaceRequest<'_>) -> Option<CostClass> {
    let below = route(request)?.strip_prefix(SECOND_NAMESPACE)?;
    let is_record = below.split('/').any(|segment| segment.parse::<u64>().is_ok());
    Some(match request.method {
        Method::GET | Method::HEAD if !is_record && !matches!(below, "" | "/docs") => CostClass::List,
        ref method if method.is_safe() => CostClass::Item,
        _ => CostClass::Write,
    })
}

fn route<'a>(request: &'a SurfaceRequest<'_>) -> Option<&'a str> {
    match &request.target {
        SiteTarget::Route(route) if is_below(route, SECOND_NAMESPACE) => Some(route),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge_judge::routing::Roots;

    use super::super::SurfaceRules;
    use super::*;
    use crate::settings::{Mode, OtherTraffic, Settings};

    fn settings(mode: Mode) -> Settings {
        let mut settings = Settings::for_origin("http://127.0.0.1/wp-json".parse().expect("a URL"));
        (settings.other, settings.mode) = (OtherTraffic::Forward, mode);
        settings
    }

    fn head(request: &str) -> http::request::Parts {
        let (method, target) = request.split_once(' ').expect("a method and a target");
        let head = http::Request::builder().method(method).uri(target);
        head.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_call_costs_what_one_to_the_calendar_does() {
        let settings = settings(Mode::Off);
        let rules = SurfaceRules::new(&settings);
        let roots = Roots::new(&settings.policy());
        for (request, expected) in [
            ("GET /wp-json/tec/v1/events", Some(CostClass::List)),
            ("HEAD /?rest_route=/tec/v1/venues", Some(CostClass::List)),
            ("GET /wp-json/tec/v1/events/7", Some(CostClass::Item)),
            ("GET /wp-json/TEC/v1", Some(CostClass::Item)),
            ("GET /wp-json/tec/v1/docs", Some(CostClass::Item)),
            ("OPTIONS /wp-json/tec/v1/events", Some(CostClass::Item)),
            ("POST /wp-json/tec/v1/events", Some(CostClass::Write)),
            (
                "GET /wp-json/tec/v1/events/7?_method=DELETE",
                Some(CostClass::Write),
            ),
            ("GET /wp-json/tec/v10/events", None),
            ("GET /wp-json/wp/v2/posts", None),
        ] {
            let head = head(request);
            assert_eq!(
                rules.cost(&SurfaceRequest::of(&roots, &head)),
                expected,
                "{request}"
            );
        }
    }
}
