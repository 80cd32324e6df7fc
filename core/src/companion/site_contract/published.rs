//! The contract of a site as the companion plugin writes it.

use std::collections::HashMap;

use serde::Deserialize;

use super::site_routes::{SiteEndpoint, SiteRoute};
use calendar_edge_judge::wordpress::schema::{
    ArgumentCheck, RouteRegex, SiteArgument, SiteWords, has_known_keywords, value_of_json,
};

/// What a site says about its REST endpoints.
#[derive(Debug, Clone)]
pub struct SiteContract {
    /// The versions of what says it.
    pub versions: SiteVersions,
    /// The language of the site, such as `de_DE`.
    pub locale: Box<str>,
    /// All routes, in the order in which WordPress tries them.
    pub routes: Vec<SiteRoute>,
    pub(super) words: SiteWords,
    /// False for a PHP whose numbers are read in another way.
    pub(super) can_judge: bool,
}

/// The versions of a site's parts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
pub struct SiteVersions {
    /// WordPress.
    pub wordpress: Box<str>,
    /// PHP.
    pub php: Box<str>,
    /// The companion plugin.
    pub companion: Box<str>,
}

/// Why a contract cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ContractFault {
    /// It is longer than [`SiteContract::MOST_BYTES`].
    #[error("the contract has more than {} bytes", SiteContract::MOST_BYTES)]
    TooLong,
    /// It is not what the companion plugin writes.
    #[error("the contract cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is of a form that this edge does not know.
    #[error("the contract is of form {0}, and this edge reads form 1")]
    UnknownForm(u32),
}

/// The document.
#[derive(Deserialize)]
struct Document {
    contract: u32,
    versions: SiteVersions,
    locale: Box<str>,
    #[serde(default)]
    words: HashMap<Box<str>, Box<str>>,
    #[serde(default)]
    counted: Vec<Counted>,
    between: Option<[Box<str>; 3]>,
    routes: Vec<PublishedRoute>,
}

#[derive(Deserialize)]
struct Counted {
    sentence: Box<str>,
    number: i64,
    text: Box<str>,
}

#[derive(Deserialize)]
struct PublishedRoute {
    route: Box<str>,
    namespace: Box<str>,
    endpoints: Vec<PublishedEndpoint>,
}

#[derive(Deserialize)]
struct PublishedEndpoint {
    methods: Vec<Box<str>>,
    open: bool,
    #[serde(default)]
    checks_whole: bool,
    arguments: Vec<PublishedArgument>,
}

#[derive(Deserialize)]
struct PublishedArgument {
    name: Box<str>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    default: serde_json::Value,
    validate: Check,
    sanitize: Check,
    schema: serde_json::Value,
}

/// Who checks an argument, as the plugin says it.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Check {
    No,
    Schema,
    Parse,
    Site,
}

// === impl SiteContract ===

impl SiteContract {
    /// The most bytes of a contract: some ten times those of a site with a shop.
    pub const MOST_BYTES: usize = 8 * 1024 * 1024;

    /// Reads a contract.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub fn parse(json: &[u8]) -> Result<Self, ContractFault> {
        if json.len() > Self::MOST_BYTES {
            return Err(ContractFault::TooLong);
        }
        let document: Document = serde_json::from_slice(json)?;
        if document.contract != 1 {
            return Err(ContractFault::UnknownForm(document.contract));
        }
        let counted = document.counted.into_iter();
        Ok(Self {
            can_judge: is_modern(&document.versions.php),
            versions: document.versions,
            locale: document.locale,
            routes: document.routes.into_iter().map(PublishedRoute::read).collect(),
            words: SiteWords {
                sentences: document.words,
                counted: counted
                    .map(|said| ((said.sentence, said.number), said.text))
                    .collect(),
                between: document.between,
            },
        })
    }

    /// Whether anybody may call a route such as `wp/v2/posts/7`; none if the contract does not say it.
    pub fn is_open(&self, route: &str, method: &str) -> Option<bool> {
        let route = format!("/{}", route.trim_matches('/'));
        let answering = super::site_routes::answering(&self.routes, &route, method);
        Some(answering.ok()??.endpoint.open)
    }
}

/// PHP 8 takes blanks behind a number for a part of it.
fn is_modern(php: &str) -> bool {
    let major = php.split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= 8)
}

// === impl PublishedRoute ===

impl PublishedRoute {
    fn read(self) -> SiteRoute {
        SiteRoute {
            pattern: RouteRegex::new(&self.route),
            route: self.route,
            namespace: self.namespace,
            endpoints: self.endpoints.into_iter().map(PublishedEndpoint::read).collect(),
        }
    }
}

// === impl PublishedEndpoint ===

impl PublishedEndpoint {
    fn read(self) -> SiteEndpoint {
        SiteEndpoint {
            methods: self.methods,
            open: self.open,
            checks_whole: self.checks_whole,
            arguments: self.arguments.into_iter().map(PublishedArgument::read).collect(),
        }
    }
}

// === impl PublishedArgument ===

impl PublishedArgument {
    fn read(self) -> SiteArgument {
        let schema = value_of_json(&self.schema);
        let is_known = has_known_keywords(&schema);
        let check = |check| match check {
            Check::No => ArgumentCheck::None,
            _ if !is_known => ArgumentCheck::Site,
            Check::Schema => ArgumentCheck::Schema,
            Check::Parse => ArgumentCheck::SchemaTwice,
            Check::Site => ArgumentCheck::Site,
        };
        SiteArgument {
            name: self.name,
            required: self.required,
            default: Some(value_of_json(&self.default)),
            validation: check(self.validate),
            sanitizing: check(self.sanitize),
            schema,
        }
    }
}
