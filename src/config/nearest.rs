//! The nearest known name: what somebody probably meant to type.

/// The candidate with the fewest edits to `typed`, if it is near enough to be a slip: at most a third of the
/// letters, and at least one. Case and the difference between `-` and `_` do not count.
pub(super) fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = folded(typed);
    let allowed = (typed.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edits(&typed, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Vec<char> {
    let fold = |letter: char| match letter {
        '-' => '_',
        other => other.to_ascii_lowercase(),
    };
    // A name is short; what is longer is no slip of one.
    name.chars().take(64).map(fold).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal string
/// alignment).
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for row in 1..=from.len() {
        let mut current = vec![row];
        for column in 1..=to.len() {
            let (here, there) = (from[row - 1], to[column - 1]);
            let mut fewest = (last[column] + 1)
                .min(current[column - 1] + 1)
                .min(last[column - 1] + usize::from(here != there));
            if row > 1 && column > 1 && here == to[column - 2] && from[row - 2] == there {
                let swapped: &[usize] = &before_last;
                fewest = fewest.min(swapped[column - 2] + 1);
            }
            current.push(fewest);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        let cases = [
            ("mode", "mode", 0),
            ("mdoe", "mode", 1),
            ("mod", "mode", 1),
            ("", "ab", 2),
        ];
        for (from, to, distance) in cases {
            assert_eq!(edits(&folded(from), &folded(to)), distance, "{from} {to}");
        }
    }

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let known = ["namespaces", "mode", "public_url"];
        let cases = [
            ("namespace", Some("namespaces")),
            ("public-url", Some("public_url")),
            ("Mode", Some("mode")),
            ("colour", None),
            ("x", None),
        ];
        for (typed, meant) in cases {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
