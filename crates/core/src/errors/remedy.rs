//! What a code of a refusal means to an operator, for codes of the edge and for those of WordPress that it uses.

use super::edge::EdgeError;

/// The meaning of a code, and what an operator can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remedy {
    /// The meaning of the code.
    pub meaning: &'static str,
    /// What an operator can do.
    pub operator: &'static str,
}

/// The codes of WordPress with which the edge refuses.
const OF_WORDPRESS: [(&str, Remedy); 8] = [
    (
        "rest_no_route",
        Remedy {
            meaning: "No route of the calendar matches path and method.",
            operator: "Check the path: `calendar-edge print routes` lists the routes, `[[roots]]` the roots. With \
                       `other = \"forward\"` the rest of the site is forwarded.",
        },
    ),
    (
        "rest_invalid_namespace",
        Remedy {
            meaning: "The index was asked for a namespace that the edge does not serve.",
            operator: "Add the namespace to `namespaces` if clients need it.",
        },
    ),
    (
        "rest_callback_disabled",
        Remedy {
            meaning: "`_jsonp` asks for a script, which any page can run.",
            operator: "Set `allow_jsonp = true` if a client needs it.",
        },
    ),
    (
        "rest_callback_invalid",
        Remedy {
            meaning: "The name in `_jsonp` is not a callback's name.",
            operator: "Correct the client.",
        },
    ),
    (
        "rest_invalid_json",
        Remedy {
            meaning: "The body is not valid JSON, or is nested too deeply.",
            operator: "Correct the client.",
        },
    ),
    (
        "rest_missing_callback_param",
        Remedy {
            meaning: "Required parameters are missing.",
            operator: "Correct the client: `calendar-edge print routes` marks what is required.",
        },
    ),
    (
        "rest_invalid_param",
        Remedy {
            meaning: "Parameters break a rule of WordPress, of the strict profile, or would end PHP with a fatal error.",
            operator: "Correct the client. If the site would accept the request, report it as a mistake of the edge; \
                       `mode = \"report\"` for the operation lets it pass until then.",
        },
    ),
    (
        "rest_forbidden",
        Remedy {
            meaning: "A write has no credentials.",
            operator: "Send credentials. With `writes = \"forward\"` the site refuses such writes itself.",
        },
    ),
];

impl Remedy {
    /// All codes with which the edge refuses.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        let own = EdgeError::ALL.iter().map(|error| error.code());
        own.chain(OF_WORDPRESS.iter().map(|(code, _)| *code))
    }

    /// The remedy for a code; none for codes with which the edge never refuses.
    pub fn of(code: &str) -> Option<Self> {
        if let Some(error) = EdgeError::with_code(code) {
            let entry = error.entry();
            return Some(Self {
                meaning: entry.own.meaning,
                operator: entry.operator,
            });
        }
        let mut shared = OF_WORDPRESS.iter();
        shared
            .find(|(known, _)| *known == code)
            .map(|(_, remedy)| *remedy)
    }
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
        for code in codes.chain(EdgeError::ALL.iter().map(|error| error.code())) {
            assert!(Remedy::of(code).is_some(), "{code}");
        }
        assert_eq!(Remedy::of("rest_post_invalid_id"), None);
    }
}
