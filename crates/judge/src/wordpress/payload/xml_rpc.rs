//! The passwords that a call of WordPress's XML-RPC interface tries.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, Event};

/// Elements within each other that are read. A list of calls has some sixteen.
const DEEPEST: usize = 32;

/// The first parameters of a method, among which account and password stand.
const LOGIN_PARAMETERS: usize = 4;

/// Methods of WordPress that take no password.
const OPEN: [&str; 9] = [
    "demo.addTwoNumbers",
    "demo.sayHello",
    "mt.getTrackbackPings",
    "mt.supportedMethods",
    "mt.supportedTextFilters",
    "pingback.extensions.getPingbacks",
    "pingback.ping",
    "system.getCapabilities",
    "system.listMethods",
];

/// Methods whose account is their third parameter; that of most others is the second.
const THIRD: [&str; 7] = [
    "blogger.deletePost",
    "blogger.editPost",
    "blogger.getPost",
    "blogger.getRecentPosts",
    "blogger.newPost",
    "wp.editPage",
    "wp.getPage",
];

/// An element of a document.
#[derive(Default)]
struct Element {
    name: String,
    text: String,
    children: Vec<Element>,
}

/// The login of a call.
struct ShownLogin {
    /// None where the account cannot be told.
    account: Option<Vec<u8>>,
    /// Tells its password from those of other calls.
    parameters: Vec<Vec<u8>>,
}

/// The accounts of which a call tries a password, one for each password; `None` for an account that cannot be told.
///
/// Calls of `system.multicall` that show the same account and password are one. A body that is no whole call tries one
/// more, of an unknown account: PHP's parser may read what this one does not.
pub fn tried_accounts(body: &[u8]) -> Vec<Option<Vec<u8>>> {
    let (document, is_whole) = read(&String::from_utf8_lossy(body));
    let call = document.child("methodCall");
    let (mut known, mut accounts) = (HashSet::new(), Vec::new());
    for (method, parameters) in call.map(calls).unwrap_or_default() {
        if OPEN.contains(&method) {
            continue;
        }
        let login = login(method, &parameters);
        if let Some(login) = login.filter(|login| known.insert(login.parameters.clone())) {
            accounts.push(login.account);
        }
    }
    if !is_whole || call.is_none() {
        accounts.push(None);
    }
    accounts
}

/// The methods that a body calls, and whether the body was read to its end. WordPress takes the last name, wherever it
/// stands.
pub fn called_methods(body: &[u8]) -> (Vec<String>, bool) {
    let (document, is_whole) = read(&String::from_utf8_lossy(body));
    let mut names = Vec::new();
    document.note_methods(&mut names);
    (names, is_whole)
}

/// Methods with their parameters: those of a list of calls, or the call itself.
fn calls(call: &Element) -> Vec<(&str, Vec<&Element>)> {
    let method = call.child("methodName").map_or("", |name| name.text.trim());
    let parameters = call.child("params").map(Element::parameters).unwrap_or_default();
    if method != "system.multicall" {
        return vec![(method, parameters)];
    }
    let listed = parameters.first().map(|list| list.items()).unwrap_or_default();
    let named = listed.into_iter().map(|call| {
        let method = call.member("methodName").map_or("", |value| value.scalar());
        let parameters = call.member("params").map(Element::items).unwrap_or_default();
        (method, parameters)
    });
    named.collect()
}

/// The login of a call; none if it shows no password.
fn login(method: &str, parameters: &[&Element]) -> Option<ShownLogin> {
    let place = account_place(method);
    let (skipped, taken) = place.map_or((0, LOGIN_PARAMETERS), |place| (place, 2));
    let shown = parameters.iter().skip(skipped).take(taken);
    let parameters: Vec<_> = shown.map(|parameter| parameter.bytes()).collect();
    (parameters.len() > 1).then(|| ShownLogin {
        account: place.and_then(|_| parameters.first().cloned()),
        parameters,
    })
}

/// The position of the account among the parameters of WordPress's own methods; the password follows it.
fn account_place(method: &str) -> Option<usize> {
    const OWN: [&str; 4] = ["blogger.", "metaWeblog.", "mt.", "wp."];
    if method == "wp.getUsersBlogs" {
        return Some(0);
    }
    if THIRD.contains(&method) {
        return Some(2);
    }
    OWN.iter().any(|own| method.starts_with(own)).then_some(1)
}

/// The document as a nameless element, and whether it was read to its end.
fn read(text: &str) -> (Element, bool) {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    let is_whole = loop {
        match reader.read_event() {
            Ok(Event::Start(_)) if open.len() == DEEPEST => break false,
            Ok(Event::Start(start)) => open.push(Element::named(start.name().0)),
            Ok(Event::Empty(start)) => {
                open.push(Element::named(start.name().0));
                close(&mut open);
            }
            Ok(Event::End(_)) => close(&mut open),
            Ok(Event::Text(text)) => add(&mut open, &text),
            Ok(Event::CData(text)) => add(&mut open, &text),
            Ok(Event::GeneralRef(reference)) => add(&mut open, &resolved(&reference)),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) => break open.len() == 1,
            Err(_) => break false,
        }
    };
    while open.len() > 1 {
        close(&mut open);
    }
    (open.pop().unwrap_or_default(), is_whole)
}

/// Ends the innermost element, but for the document.
fn close(open: &mut Vec<Element>) {
    if open.len() < 2 {
        return;
    }
    if let (Some(ended), Some(parent)) = (open.pop(), open.last_mut()) {
        parent.children.push(ended);
    }
}

fn add(open: &mut [Element], text: &str) {
    if let Some(innermost) = open.last_mut() {
        innermost.text.push_str(text);
    }
}

/// The text of a reference; empty for one that only a document type could define, which WordPress does not read.
fn resolved(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => character.to_string(),
        Ok(None) | Err(_) => resolve_xml_entity(reference).unwrap_or_default().to_owned(),
    }
}

// === impl Element ===

impl Element {
    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Adds the names of methods in it and below it. No document is deeper than [`DEEPEST`].
    fn note_methods(&self, names: &mut Vec<String>) {
        for child in &self.children {
            if child.name == "methodName" {
                names.push(child.text.trim().to_owned());
            }
            child.note_methods(names);
        }
    }

    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The values of parameters.
    fn parameters(&self) -> Vec<&Self> {
        self.all("param")
            .filter_map(|parameter| parameter.child("value"))
            .collect()
    }

    /// The values in a value that is a list.
    fn items(&self) -> Vec<&Self> {
        let data = self.child("array").and_then(|array| array.child("data"));
        data.map(|data| data.all("value").collect()).unwrap_or_default()
    }

    /// A member of a value that is a structure. The last one of a name counts.
    fn member(&self, name: &str) -> Option<&Self> {
        let members = self.child("struct")?.all("member");
        let named = members.filter(|member| member.child("name").is_some_and(|own| own.text.trim() == name));
        named.last()?.child("value")
    }

    /// The text of a value with a type, or without one.
    fn scalar(&self) -> &str {
        self.children
            .first()
            .map_or(&*self.text, |typed| &typed.text)
            .trim()
    }

    /// The bytes of a value.
    fn bytes(&self) -> Vec<u8> {
        let coded = self
            .child("base64")
            .and_then(|_| STANDARD.decode(self.scalar()).ok());
        coded.unwrap_or_else(|| self.scalar().as_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(method: &str, values: &[&str]) -> String {
        let values = values
            .iter()
            .map(|value| format!("<param><value>{value}</value></param>"));
        let values = values.collect::<Vec<_>>().concat();
        format!(
            "<?xml version=\"1.0\"?><methodCall><methodName>{method}</methodName><params>{values}</params></methodCall>"
        )
    }

    fn list(calls: &[(&str, &[&str])]) -> String {
        let listed = calls
            .iter()
            .map(|(method, values)| {
                let values = values.iter().map(|value| format!("<value>{value}</value>"));
                let values = values.collect::<Vec<_>>().concat();
                format!(
                    "<value><struct>\n<member><name>methodName</name><value><string>{method}</string></value></member>\
                     <member><name>params</name><value><array><data>{values}</data></array></value></member>\
                     </struct></value>"
                )
            })
            .collect::<Vec<_>>()
            .concat();
        call(
            "system.multicall",
            &[&format!("<array><data>{listed}</data></array>")],
        )
    }

    fn accounts(body: &str) -> Vec<Option<String>> {
        let tried = tried_accounts(body.as_bytes()).into_iter();
        tried
            .map(|account| account.map(|name| String::from_utf8(name).unwrap()))
            .collect()
    }

    fn named(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| Some((*name).to_owned())).collect()
    }

    #[test]
    fn a_call_names_its_account() {
        for (method, values) in [
            ("wp.getUsersBlogs", &["alice", "secret"][..]),
            ("wp.getUsersBlogs", &["<string>alice</string>", "secret"]),
            ("wp.getUsersBlogs", &[" <string>al&#105;ce</string> ", "secret"]),
            (
                "wp.getUsersBlogs",
                &["<string><![CDATA[alice]]></string>", "secret"],
            ),
            ("wp.getUsersBlogs", &["<base64>YWxpY2U=</base64>", "secret"]),
            ("wp.getPosts", &["<int>1</int>", "alice", "secret"]),
            (
                "metaWeblog.newMediaObject",
                &["1", "alice", "secret", "<struct></struct>"],
            ),
            ("wp.getPage", &["1", "2", "alice", "secret"]),
            ("blogger.getRecentPosts", &["key", "1", "alice", "secret", "5"]),
        ] {
            assert_eq!(
                accounts(&call(method, values)),
                named(&["alice"]),
                "{method} {values:?}"
            );
        }
    }

    #[test]
    fn every_name_of_a_method_is_found() {
        let named = |body: &str| called_methods(body.as_bytes());
        let hidden = "<methodCall><params><methodName> system.multicall </methodName></params></methodCall>";
        assert_eq!(named(hidden), (vec!["system.multicall".to_owned()], true));
        let cut = call("pingback.ping", &["a"]);
        let cut = cut.get(..cut.len() - 30).unwrap();
        assert_eq!(named(cut), (vec!["pingback.ping".to_owned()], false));
        assert_eq!(named("<methodCall/>"), (Vec::new(), true));
    }

    #[test]
    fn a_call_without_a_password_tries_none() {
        assert!(
            accounts(&call(
                "pingback.ping",
                &["http://a.example/", "http://b.example/"]
            ))
            .is_empty()
        );
        assert!(accounts(&call("system.listMethods", &[])).is_empty());
        assert!(accounts(&list(&[("demo.sayHello", &[])])).is_empty());
    }

    #[test]
    fn a_list_of_calls_tries_each_password_once() {
        let guesses: [(&str, &[&str]); 4] = [
            ("wp.getUsersBlogs", &["alice", "a"]),
            ("wp.getUsersBlogs", &["alice", "b"]),
            ("wp.getUsersBlogs", &["bob", "b"]),
            ("wp.getUsersBlogs", &["alice", "a"]),
        ];
        assert_eq!(accounts(&list(&guesses)), named(&["alice", "alice", "bob"]));
        let edits: [(&str, &[&str]); 3] = [
            ("metaWeblog.getPost", &["1", "alice", "a"]),
            ("metaWeblog.getPost", &["2", "alice", "a"]),
            ("wp.getOptions", &["0", "alice", "a"]),
        ];
        assert_eq!(accounts(&list(&edits)), named(&["alice"]));
    }

    #[test]
    fn other_calls_count_as_one_password_of_somebody() {
        for body in [
            "",
            "no document",
            "<methodCall><methodName>wp.getUsersBlogs",
            "<methodResponse></methodResponse>",
            &call("shop.order", &["alice", "secret"]),
            &"<a>".repeat(1000),
        ] {
            assert_eq!(accounts(body), [None], "{body}");
        }
        let cut = list(&[
            ("wp.getUsersBlogs", &["alice", "a"]),
            ("wp.getUsersBlogs", &["alice", "b"]),
        ]);
        let cut = cut.get(..cut.len() - 60).unwrap();
        assert_eq!(
            accounts(cut),
            [Some("alice".to_owned()), Some("alice".to_owned()), None]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(body in prop::collection::vec(any::<u8>(), 0..400), tags in "(<[a-z/&;!\\[\\]#]{0,9}>?){0,80}") {
            tried_accounts(&body);
            tried_accounts(tags.as_bytes());
        }
    }
}
