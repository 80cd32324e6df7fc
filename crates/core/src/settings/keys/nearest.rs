//! The nearest known name, as a suggestion for a mistyped name.

use strsim::osa_distance;

/// The candidate with the smallest edit distance to `typed`. The distance is at most a third of the letters, and at
/// least one; case and the difference between `-` and `_` do not count.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = folded(typed);
    let allowed = (typed.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (osa_distance(&typed, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> String {
    let fold = |letter: char| match letter {
        '-' => '_',
        other => other.to_ascii_lowercase(),
    };
    // Names are short. The bound keeps the distance of a long text cheap.
    name.chars().take(64).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let known = ["namespaces", "mode", "public_url"];
        let cases = [
            ("namespace", Some("namespaces")),
            ("public-url", Some("public_url")),
            ("Mode", Some("mode")),
            ("mdoe", Some("mode")),
            ("mod", Some("mode")),
            ("colour", None),
            ("x", None),
            ("", None),
        ];
        for (typed, meant) in cases {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
