//! The meaning of a refusal's code for an operator, for codes of the edge and for those of WordPress that it uses.

use super::edge::ALL;

/// The codes of WordPress with which the edge refuses, each with its meaning and with advice for the operator.
const OF_WORDPRESS: [(&str, &str, &str); 8] = [
    (
        "rest_no_route",
        "No route of the calendar matches path and method.",
        "Check the path: `calendar-edge print openapi` lists the routes, `[[roots]]` the roots. With \
                       `other = \"forward\"` the rest of the site is forwarded.",
    ),
    (
        "rest_invalid_namespace",
        "The request is for the index of a namespace that the edge does not serve.",
        "Add the namespace to `namespaces` if clients need it.",
    ),
    (
        "rest_callback_disabled",
        "`_jsonp` requests a script, which any page can run.",
        "Set `allow_jsonp = true` if a client needs it.",
    ),
    (
        "rest_callback_invalid",
        "The name in `_jsonp` is not a callback's name.",
        "Correct the client.",
    ),
    (
        "rest_invalid_json",
        "The body is not valid JSON, or is nested too deeply.",
        "Correct the client.",
    ),
    (
        "rest_missing_callback_param",
        "Required parameters are missing.",
        "Correct the client: `calendar-edge print openapi` marks what is required.",
    ),
    (
        "rest_invalid_param",
        "Parameters break a rule of WordPress, of the strict profile, or would end PHP with a fatal error.",
        "Correct the client. If the site would accept the request, report it as a mistake of the edge; \
                       `mode = \"report\"` for the operation lets it pass until then.",
    ),
    (
        "rest_forbidden",
        "A write has no credentials.",
        "Send credentials. With `writes = \"forward\"` the site refuses such writes itself.",
    ),
];

/// All codes with which the edge refuses.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let own = ALL.iter().map(|error| error.code);
    own.chain(OF_WORDPRESS.iter().map(|(code, ..)| *code))
}

/// The meaning of a code, and what an operator can do about it; none for codes with which the edge never refuses.
pub fn remedy(code: &str) -> Option<(&'static str, &'static str)> {
    let own = ALL
        .iter()
        .map(|error| (error.code, error.meaning, error.operator));
    let (_, meaning, operator) = own.chain(OF_WORDPRESS).find(|(known, ..)| *known == code)?;
    Some((meaning, operator))
}

#[cfg(test)]
mod tests {
    use calendar_edge_judge::problem::Problem;

    use super::*;

    #[test]
    fn every_code_of_a_refusal_has_a_remedy() {
        let shared = [
            Problem::NoRoute,
            Problem::InvalidNamespace,
            Problem::InvalidCallback,
            Problem::CallbackDisabled,
            Problem::Missing(Vec::new()),
            Problem::Invalid(Vec::new()),
            Problem::Forbidden,
        ];
        let codes = shared.iter().map(Problem::code).chain(["rest_invalid_json"]);
        for code in codes.chain(ALL.iter().map(|error| error.code)) {
            assert!(remedy(code).is_some(), "{code}");
        }
        assert_eq!(remedy("rest_post_invalid_id"), None);
    }
}
