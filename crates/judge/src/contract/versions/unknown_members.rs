//! Members of records that no model and no row has, as a newer version of the plugin may bring them.

use serde_json::Value;

use super::dated_difference::VersionChange;
use super::rows::dated_differences;
use crate::contract::kind::Kind;
use crate::contract::response::Shape;

/// The members of the first record on a page that neither the model of its kind nor a row names, and those whose values
/// the model does not take; empty for a page without records.
pub fn unknown_members(kind: Kind, page: &Value) -> Vec<String> {
    let lists = page.as_object().into_iter().flat_map(|page| page.values());
    let Some(record) = lists.filter_map(Value::as_array).find_map(|list| list.first()) else {
        return Vec::new();
    };
    let model = kind.model();
    let is_known = |name: &str| model.members().any(|member| member.name == name) || is_of_row(name);
    let names = record.as_object().into_iter().flat_map(|members| members.keys());
    let unknown = names
        .filter(|name| !is_known(name))
        .map(|name| format!("`{name}`"));
    let mismatches = Shape::Model(model).mismatches(record);
    unknown
        .chain(mismatches.iter().map(ToString::to_string))
        .collect()
}

fn is_of_row(name: &str) -> bool {
    let mut rows = dated_differences().iter();
    rows.any(|row| matches!(row.change, VersionChange::Member(known) if known == name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_models_and_rows_name_is_known() {
        let page = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        let mut events = page(include_str!(
            "../../../../../fixtures/backend/event-list-page1.json"
        ));
        assert_eq!(unknown_members(Kind::Event, &events), [""; 0]);
        events["events"][0]["custom_fields"] = json!([]);
        assert_eq!(unknown_members(Kind::Event, &events), [""; 0]);
        events["events"][0]["seats"] = json!(7);
        events["events"][0]["title"] = json!(false);
        assert_eq!(
            unknown_members(Kind::Event, &events),
            ["`seats`", "title is false, not a text"]
        );
        let tags = page(include_str!("../../../../../fixtures/backend/tag-list.json"));
        assert_eq!(unknown_members(Kind::Tag, &tags), [""; 0]);
        assert_eq!(
            unknown_members(Kind::Tag, &json!({"tags": [], "total": 0})),
            [""; 0]
        );
    }
}
