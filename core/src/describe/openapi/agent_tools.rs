//! The reads of the table as tools for agents: their names, their arguments as JSON Schema, and the targets of calls.

use http::Method;
use serde_json::{Map, Value, json};
use thiserror::Error;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::document::OpenApiOptions;
use super::operations::one;
use super::{globals, inputs, strict_document};
use calendar_edge_judge::contract::{Action, Operation, table};

/// The tools that a set of settings offers.
#[derive(Debug, Clone)]
pub struct AgentTools(Vec<AgentTool>);

/// A read of the table as a tool.
#[derive(Debug, Clone)]
pub struct AgentTool {
    operation: &'static Operation,
    /// The name: that of the operation with `_` in place of other characters, `events_list`.
    name: String,
    /// The tool as the Model Context Protocol describes one.
    description: Value,
}

/// An argument that no request can carry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadArgument {
    /// The tool has no such argument.
    #[error("there is no argument `{0}`")]
    Unknown(String),
    /// The argument that names the record is missing.
    #[error("the argument `{0}` is missing")]
    Missing(&'static str),
    /// The value is neither text, a number, true or false, nor a list of them without commas.
    #[error("the argument `{0}` is no text, number, boolean or list of these")]
    Shape(String),
}

/// The secret of a record, which tools do not take: they read as anonymous readers do.
const PASSWORD: &str = "password";

// === impl AgentTools ===

impl AgentTools {
    /// A tool for each read of records that `offers` names.
    pub fn new(offers: impl Fn(&Operation) -> bool) -> Self {
        let options = OpenApiOptions::default();
        let operations = table().operations().iter();
        let reads = operations.filter(|operation| matches!(operation.id.action, Action::List | Action::Read));
        let offered = reads.filter(|operation| offers(operation));
        Self(offered.map(|read| AgentTool::new(read, &options)).collect())
    }

    /// The descriptions of all tools.
    pub fn descriptions(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|tool| &tool.description)
    }

    /// The tool with this name.
    pub fn named(&self, name: &str) -> Option<&AgentTool> {
        self.0.iter().find(|tool| tool.name == name)
    }
}

// === impl AgentTool ===

impl AgentTool {
    fn new(operation: &'static Operation, options: &OpenApiOptions) -> Self {
        let document = one(operation, &Method::GET, options);
        let name = operation.name.replace(['.', '-'], "_");
        let summary = document["summary"].as_str().unwrap_or_default();
        let description = match document["description"].as_str() {
            Some(notes) => format!("{summary}. {notes}"),
            None => summary.to_owned(),
        };
        let description = json!({
            "name": name,
            "title": summary,
            "description": description,
            "inputSchema": arguments(operation, &document["parameters"], options),
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        });
        Self {
            operation,
            name,
            description,
        }
    }

    /// The operation that the tool calls.
    pub const fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The target of a call with these arguments, below the namespace: `/events?per_page=2`. Values are not judged.
    ///
    /// # Errors
    ///
    /// An argument that no query can carry.
    pub fn target(&self, arguments: &Map<String, Value>) -> Result<String, BadArgument> {
        let known = &self.description["inputSchema"]["properties"];
        let in_path = self.operation.id.route.path_parameter();
        let mut path = self.operation.id.route.template();
        let mut query = Serializer::new(String::new());
        let mut missing = in_path;
        for (name, value) in arguments {
            if known.get(name).is_none() {
                return Err(BadArgument::Unknown(name.clone()));
            }
            let text = text(value).ok_or_else(|| BadArgument::Shape(name.clone()))?;
            if missing == Some(name) {
                path = path.replace(&format!("{{{name}}}"), &segment(&text));
                missing = None;
            } else {
                query.append_pair(name, &text);
            }
        }
        if let Some(name) = missing {
            return Err(BadArgument::Missing(name));
        }
        let query = query.finish();
        let mark = if query.is_empty() { "" } else { "?" };
        Ok(format!("{path}{mark}{query}"))
    }
}

/// The schema of a tool's arguments. References are resolved: many agents follow none.
fn arguments(operation: &Operation, parameters: &Value, options: &OpenApiOptions) -> Value {
    let named = inputs::components();
    // In lists it counts for the members beside the records, so that none of the records is left.
    let fields = globals::components(options.language)
        .remove("fields")
        .filter(|_| operation.id.action == Action::Read);
    // Other parameters of all operations are references, and change how an answer is written.
    let parameters = parameters.as_array().into_iter().flatten().chain(&fields);
    let parameters = parameters.filter(|parameter| parameter["name"] != PASSWORD);
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        let Some(name) = parameter["name"].as_str() else {
            continue;
        };
        if parameter["required"] == true {
            required.push(name);
        }
        let mut schema = resolved(&parameter["schema"], &named);
        let form = schema["description"].as_str().map(|form| format!(" {form}"));
        let meaning = parameter["description"].as_str().unwrap_or_default();
        schema["description"] = format!("{meaning}{}", form.unwrap_or_default()).into();
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The same schema with the named ones in place, and without the bounds of the strict profile.
fn resolved(schema: &Value, named: &Map<String, Value>) -> Value {
    match schema {
        Value::Array(schemas) => schemas.iter().map(|schema| resolved(schema, named)).collect(),
        Value::Object(members) => {
            let name = members
                .get("$ref")
                .and_then(|reference| reference.as_str()?.rsplit('/').next());
            let target = name
                .and_then(|name| named.get(name))
                .map(|target| resolved(target, named));
            let Some(Value::Object(mut whole)) = target.or_else(|| Some(json!({}))) else {
                return Value::Bool(true);
            };
            let own = members
                .iter()
                .filter(|(key, _)| *key != "$ref" && *key != strict_document::KEYWORD);
            whole.extend(own.map(|(key, value)| (key.clone(), resolved(value, named))));
            Value::Object(whole)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// A value as a query carries it; none if none can.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Array(entries) => {
            let entries: Option<Vec<String>> = entries.iter().map(entry).collect();
            entries.map(|entries| entries.join(","))
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) => scalar(value),
        Value::Null | Value::Object(_) => None,
    }
}

/// An entry of a list with commas.
fn entry(value: &Value) -> Option<String> {
    scalar(value).filter(|text| !text.contains(','))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A segment of a path; a space is `+` in queries only.
fn segment(text: &str) -> String {
    byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(tool: &str, arguments: Value) -> Result<String, String> {
        let Value::Object(arguments) = arguments else {
            unreachable!("tests give objects")
        };
        let tools = AgentTools::new(|_| true);
        let tool = tools.named(tool).expect("a tool");
        tool.target(&arguments).map_err(|fault| fault.to_string())
    }

    #[test]
    fn every_read_of_records_is_a_tool_and_nothing_else_is() {
        let tools = AgentTools::new(|_| true);
        let names: Vec<&str> = tools.0.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.len(), 13, "{names:?}");
        for tool in &tools.0 {
            assert!(!tool.operation.is_write());
            let text = tool.description.to_string();
            assert!(!text.contains("$ref") && !text.contains(PASSWORD), "{text}");
        }
        assert_eq!(AgentTools::new(|_| false).descriptions().count(), 0);
    }

    #[test]
    fn arguments_become_a_target() {
        for (tool, arguments, expected) in [
            ("events_list", json!({}), "/events"),
            (
                "events_list",
                json!({"per_page": 2, "search": "a&b"}),
                "/events?per_page=2&search=a%26b",
            ),
            (
                "events_list",
                json!({"categories": [2, "jazz"], "featured": true}),
                "/events?categories=2%2Cjazz&featured=true",
            ),
            (
                "events_read",
                json!({"_fields": "id,title", "id": 7}),
                "/events/7?_fields=id%2Ctitle",
            ),
            (
                "venues_by_slug_read",
                json!({"slug": "a/ä b?"}),
                "/venues/by-slug/a%2F%C3%A4%20b%3F",
            ),
        ] {
            assert_eq!(target(tool, arguments).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn arguments_that_no_query_carries_are_named() {
        for (tool, arguments, expected) in [
            (
                "events_list",
                json!({"rest_route": "/wp/v2"}),
                "there is no argument `rest_route`",
            ),
            (
                "events_list",
                json!({"password": "x"}),
                "there is no argument `password`",
            ),
            (
                "events_list",
                json!({"_fields": "id,title"}),
                "there is no argument `_fields`",
            ),
            ("events_read", json!({}), "the argument `id` is missing"),
            (
                "events_list",
                json!({"page": null}),
                "the argument `page` is no text, number, boolean or list of these",
            ),
            (
                "events_list",
                json!({"tags": ["a,b"]}),
                "the argument `tags` is no text, number, boolean or list of these",
            ),
            (
                "events_list",
                json!({"tags": [[1]]}),
                "the argument `tags` is no text, number, boolean or list of these",
            ),
        ] {
            assert_eq!(target(tool, arguments), Err(expected.to_owned()));
        }
    }
}
