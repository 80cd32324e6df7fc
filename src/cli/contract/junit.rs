//! The results as XML in the form of `JUnit`, which systems of continuous integration show.

use std::fmt::Write as _;

use super::suite_report::{CheckResult, SuiteCheck, SuiteReport};

/// The document: a suite for each subject, a case for each check.
pub(super) fn document(report: &SuiteReport) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"calendar-edge contract test\">\n",
    );
    for subject in report.subjects() {
        let (tests, failures, skipped) = counts(report.of(subject));
        // Writing to a text cannot fail.
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
            escaped(subject)
        );
        for check in report.of(subject) {
            xml.push_str(&case(check));
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn counts<'a>(checks: impl Iterator<Item = &'a SuiteCheck>) -> (usize, usize, usize) {
    checks.fold((0, 0, 0), |(tests, failures, skipped), check| {
        match check.result {
            CheckResult::Passed => (tests + 1, failures, skipped),
            CheckResult::Failed { .. } => (tests + 1, failures + 1, skipped),
            CheckResult::LeftOut { .. } => (tests + 1, failures, skipped + 1),
        }
    })
}

fn case(check: &SuiteCheck) -> String {
    let (subject, law) = (escaped(&check.subject), escaped(&check.law));
    let inner = match &check.result {
        CheckResult::Passed => String::new(),
        CheckResult::LeftOut { reason } => format!("<skipped message=\"{}\"/>", escaped(reason)),
        CheckResult::Failed {
            asked,
            expected,
            found,
        } => {
            let text = format!("asked {asked}\nexpected {expected}\nfound {found}");
            format!(
                "<failure message=\"{}\">{}</failure>",
                escaped(found),
                escaped(&text)
            )
        }
    };
    format!("    <testcase classname=\"{subject}\" name=\"{law}\">{inner}</testcase>\n")
}

/// The text without markup, and without characters that XML 1.0 does not have.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_backend_answers_is_no_markup() {
        let mut report = SuiteReport::default();
        report.add("events.list", "a & b", CheckResult::Passed);
        let failed = CheckResult::Failed {
            asked: "GET /events?search=\"<x>\"".to_owned(),
            expected: "200".to_owned(),
            found: "]]>\u{7}".to_owned(),
        };
        report.add("events.list", "c", failed);
        report.add(
            "index",
            "d",
            CheckResult::LeftOut {
                reason: "no records".to_owned(),
            },
        );
        let xml = document(&report);
        assert!(
            xml.contains(r#"<testsuite name="events.list" tests="2" failures="1" errors="0" skipped="0">"#),
            "{xml}"
        );
        assert!(
            xml.contains(r#"<testcase classname="events.list" name="a &amp; b"></testcase>"#),
            "{xml}"
        );
        assert!(
            xml.contains("search=&quot;&lt;x&gt;&quot;&#10;expected 200&#10;found ]]&gt;\u{fffd}</failure>"),
            "{xml}"
        );
        assert!(xml.contains(r#"<skipped message="no records"/>"#), "{xml}");
    }
}
