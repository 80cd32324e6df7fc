//! Large documents from which a member is cut out.

use bytes::Bytes;

use super::member_cutter::{MemberCut, MemberCutter};

#[test]
fn a_large_document_is_the_same_in_pieces() {
    let filter = MemberCutter::new("new", MemberCut::Whole);
    let entry = |number: usize, member: &str| {
        format!(
            "{{\"id\":{number},\"text\":\"{}\"{member}}}",
            "x".repeat(number * 7 % 600)
        )
    };
    let list = |member: &str| {
        let entries: Vec<String> = (0..40).map(|number| entry(number, member)).collect();
        format!("{{\"events\":[{}]}}", entries.join(","))
    };
    let (with, without) = (list(r#","new":{"a":"b"}"#), list(""));
    let whole = filter
        .clone()
        .whole(&Bytes::from(with.clone()))
        .expect("it has the member");
    assert_eq!(whole, without);
    for size in [1, 3, 64, 255, 256, 257, 1000] {
        let mut filter = filter.clone();
        let mut out = Vec::new();
        for piece in with.as_bytes().chunks(size) {
            out.extend_from_slice(&filter.push(Bytes::copy_from_slice(piece)));
        }
        out.extend_from_slice(&filter.finish());
        assert_eq!(String::from_utf8(out).expect("text"), without, "{size}");
    }
}
