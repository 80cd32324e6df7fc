//! The complete document: info, servers, tags, security, components.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::catalogue::{Phrase, Security, phrase};
use super::{bodies, errors, globals, inputs, models, operations, responses};
use calendar_edge_judge::contract::answer::ERROR;
use calendar_edge_judge::contract::{Argument, Kind, Operation, SPECIFIED_NAMESPACE, TableInForce};

/// The inputs of the document besides the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApiOptions {
    /// The public REST roots, in the order of the settings; every root serves every namespace.
    pub roots: Vec<PublicRoot>,
    /// The public names of the namespace, the preferred one first.
    pub namespaces: Vec<String>,
    /// The table in force at the site.
    pub table: Arc<TableInForce>,
}

/// A REST root as clients reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicRoot {
    /// Its URL without a trailing slash, `https://events.example.org/wp-json`, or a path if the document is
    /// served from the same host.
    pub url: String,
    /// The language of its site, if known.
    pub language: Option<String>,
}

impl Default for OpenApiOptions {
    /// Returns one root at `/wp-json`, the specified namespace, and English.
    fn default() -> Self {
        Self {
            roots: vec![PublicRoot {
                url: "/wp-json".to_owned(),
                language: None,
            }],
            namespaces: vec![SPECIFIED_NAMESPACE.to_owned()],
            table: TableInForce::unread(),
        }
    }
}

impl OpenApiOptions {
    /// A description with a note if the site does not publish the argument.
    pub(super) fn in_force(&self, operation: &Operation, argument: &Argument, description: String) -> String {
        let mut unjudged = self.table.operation(operation).unjudged(operation);
        if unjudged.any(|known| known.name == argument.name) {
            let unpublished = phrase(Phrase::Unpublished);
            return format!("{description} {unpublished}");
        }
        description
    }
}

/// Returns the `OpenAPI` 3.1 document of the API that clients see.
pub fn openapi(options: &OpenApiOptions) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": phrase(Phrase::Title),
            "description": phrase(Phrase::About),
            "version": "v1",
        },
        "servers": servers(options),
        "tags": tags(),
        "paths": operations::paths(options),
        "components": {
            "schemas": schemas(options),
            "responses": responses::components(),
            "parameters": globals::components(),
            "headers": responses::headers(),
            "securitySchemes": security_schemes(),
        },
    })
}

fn servers(options: &OpenApiOptions) -> Vec<Value> {
    let description = phrase(Phrase::Server);
    let server = |root: &PublicRoot, namespace: &String| {
        let description = match &root.language {
            Some(language) => format!("{description} ({language})"),
            None => description.clone(),
        };
        json!({"url": format!("{}/{namespace}", root.url), "description": description})
    };
    let roots = options.roots.iter();
    roots
        .flat_map(|root| {
            options
                .namespaces
                .iter()
                .map(move |namespace| server(root, namespace))
        })
        .collect()
}

fn tags() -> Vec<Value> {
    let tag = |kind: Option<Kind>| {
        json!({
            "name": phrase(Phrase::Tag(kind)),
            "description": phrase(Phrase::TagMeaning(kind)),
        })
    };
    Kind::ALL.into_iter().map(Some).chain([None]).map(tag).collect()
}

fn schemas(options: &OpenApiOptions) -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.extend(inputs::components());
    schemas.extend(bodies::components(options));
    let models = models::components();
    let errors = errors::components(&models[ERROR.name]);
    schemas.extend(models);
    schemas.extend(errors);
    schemas
}

/// The security scheme of application passwords.
pub(super) const PASSWORD: &str = "applicationPassword";
/// The security scheme of session cookies.
pub(super) const COOKIE: &str = "sessionCookie";
/// The security scheme of session nonces, which are used with cookies.
pub(super) const NONCE: &str = "sessionNonce";

fn security_schemes() -> Value {
    json!({
        PASSWORD: {
            "type": "http",
            "scheme": "basic",
            "description": phrase(Phrase::Security(Security::ApplicationPassword)),
        },
        COOKIE: {
            "type": "apiKey",
            "in": "cookie",
            "name": "wordpress_logged_in",
            "description": phrase(Phrase::Security(Security::Cookie)),
        },
        NONCE: {
            "type": "apiKey",
            "in": "header",
            "name": "X-WP-Nonce",
            "description": phrase(Phrase::Security(Security::Nonce)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_namespace_of_every_root() {
        let root = |url: &str, language: Option<&str>| PublicRoot {
            url: url.to_owned(),
            language: language.map(str::to_owned),
        };
        let options = OpenApiOptions {
            roots: vec![
                root("https://e.example/wp-json", None),
                root("https://e.example/de/wp-json", Some("de")),
            ],
            namespaces: vec!["calendar/events/v1".to_owned(), "tribe/events/v1".to_owned()],
            ..OpenApiOptions::default()
        };
        let document = openapi(&options);
        let urls: Vec<&str> = document["servers"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|server| server["url"].as_str())
            .collect();
        assert_eq!(
            urls,
            [
                "https://e.example/wp-json/calendar/events/v1",
                "https://e.example/wp-json/tribe/events/v1",
                "https://e.example/de/wp-json/calendar/events/v1",
                "https://e.example/de/wp-json/tribe/events/v1",
            ]
        );
        assert_eq!(document["servers"][2]["description"], "REST root (de)");
    }
}
