//! The site's answer beside the verdict of the contract.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::judged_request::JudgedSiteRequest;
use calendar_edge_judge::wordpress::schema::{ArgumentsVerdict, SiteRefusal};

/// The most bytes of an answer that are compared; a longer one is left uncompared.
pub const SITE_ANSWER_BYTES: usize = 8 * 1024;

/// What a verdict came to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumIter, serde::Serialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SiteOutcome {
    /// The arguments would pass, and the site did not refuse them.
    Admit,
    /// The arguments would be refused, and the site refused them in the same words.
    Reject,
    /// Only the site can judge the arguments, or its answer says nothing about them.
    Defer,
    /// The site did something else.
    Disagree,
}

/// The members of a refusal that are compared.
#[derive(Deserialize)]
struct SaidRefusal {
    code: String,
    message: String,
    #[serde(default)]
    data: SaidData,
}

#[derive(Deserialize, Default)]
struct SaidData {
    #[serde(default)]
    params: Value,
}

/// The codes of refusals that are about arguments.
const CODES: [&str; 3] = [
    "rest_invalid_param",
    "rest_missing_callback_param",
    "rest_invalid_json",
];

// === impl JudgedSiteRequest ===

impl JudgedSiteRequest {
    /// Compares the verdict with the site's answer; `body` is none if it was not read, or is longer than
    /// [`SITE_ANSWER_BYTES`].
    pub fn outcome(&self, status: StatusCode, body: Option<&[u8]>) -> SiteOutcome {
        if status.is_server_error() {
            return SiteOutcome::Defer;
        }
        let said = || body.map(serde_json::from_slice::<SaidRefusal>);
        match &self.verdict {
            ArgumentsVerdict::Defer => SiteOutcome::Defer,
            ArgumentsVerdict::Admit if status != StatusCode::BAD_REQUEST => SiteOutcome::Admit,
            ArgumentsVerdict::Reject(_) if status != StatusCode::BAD_REQUEST => SiteOutcome::Disagree,
            ArgumentsVerdict::Admit => match said() {
                Some(Ok(said)) if CODES.contains(&&*said.code) => SiteOutcome::Disagree,
                Some(Ok(_)) => SiteOutcome::Admit,
                Some(Err(_)) | None => SiteOutcome::Defer,
            },
            ArgumentsVerdict::Reject(refusal) => match said() {
                Some(Ok(said)) if self.is_said(refusal, &said) => SiteOutcome::Reject,
                Some(_) => SiteOutcome::Disagree,
                None => SiteOutcome::Defer,
            },
        }
    }

    fn is_said(&self, refusal: &SiteRefusal, said: &SaidRefusal) -> bool {
        let is_language = !self.knows_words || said.message == refusal.message;
        said.code == refusal.code && is_language && self.names_params(refusal, &said.data.params)
    }

    fn names_params(&self, refusal: &SiteRefusal, told: &Value) -> bool {
        let mut params = refusal.params.iter();
        match told {
            Value::Null => refusal.params.is_empty(),
            Value::Array(names) => {
                names.len() == refusal.params.len()
                    && params.zip(names).all(|((name, _), said)| said == &**name)
            }
            Value::Object(reasons) => {
                reasons.len() == refusal.params.len()
                    && params.all(|(name, reason)| {
                        let said = reasons.get(&**name).and_then(Value::as_str);
                        said.is_some() && (!self.knows_words || said == reason.as_deref())
                    })
            }
            _ => false,
        }
    }
}

/// The code of a site's refusal, if its body shows one.
pub fn code_of(body: &[u8]) -> Option<String> {
    let said: SaidRefusal = serde_json::from_slice(body).ok()?;
    Some(said.code).filter(|code| code.len() <= 64)
}
