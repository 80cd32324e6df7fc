//! The formats of texts that WordPress checks.

use super::objection::{SchemaObjection, SchemaResult};
use super::phrases::{INVALID_COLOR, INVALID_DATE, INVALID_EMAIL, INVALID_IP, INVALID_UUID};
use super::schema_judge::SchemaJudge;
use crate::wordpress::value::datetime::time;
use crate::wordpress::value::{Value, Verdict};

// === impl SchemaJudge ===

impl SchemaJudge<'_> {
    /// Checks the format of a text. Formats without a rule, such as `uri`, pass.
    pub(super) fn check_format(&self, value: &Value, format: &str, param: &str) -> SchemaResult {
        let rule = match format {
            "hex-color" => hex_color,
            "date-time" => date_time,
            "email" => email,
            "ip" => ip,
            "uuid" => uuid,
            _ => return Ok(()),
        };
        let text = value.as_text().ok_or(SchemaObjection::Unsure)?;
        if rule(text)? {
            return Ok(());
        }
        let (code, sentence) = match format {
            "hex-color" => ("rest_invalid_hex_color", INVALID_COLOR),
            "date-time" => ("rest_invalid_date", INVALID_DATE),
            "email" => ("rest_invalid_email", INVALID_EMAIL),
            "ip" => ("rest_invalid_ip", INVALID_IP),
            _ => ("rest_invalid_uuid", INVALID_UUID),
        };
        Err(SchemaObjection::refused(code, self.words.say(sentence, &[param])))
    }
}

/// In PCRE `$` also matches before a line feed at the end.
fn line(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}

#[expect(clippy::unnecessary_wraps, reason = "one type for all formats")]
fn hex_color(text: &[u8]) -> SchemaResult<bool> {
    let digits = line(text).strip_prefix(b"#").unwrap_or_default();
    Ok(matches!(digits.len(), 3 | 6) && digits.iter().all(u8::is_ascii_hexdigit))
}

#[expect(clippy::unnecessary_wraps, reason = "one type for all formats")]
fn uuid(text: &[u8]) -> SchemaResult<bool> {
    let groups: Vec<&[u8]> = line(text).split(|&byte| byte == b'-').collect();
    let lengths = groups.iter().map(|group| group.len());
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    Ok(lengths.eq([8, 4, 4, 4, 12]) && groups.iter().all(|group| group.iter().all(is_digit)))
}

/// `2027-01-31T10:00:00`, with a fraction and a zone if one is sent, and readable by `strtotime`. The first second of 1970
/// is refused by older versions of WordPress, and taken by newer ones.
fn date_time(text: &[u8]) -> SchemaResult<bool> {
    if !has_date_form(line(text)) {
        return Ok(false);
    }
    let is_about_1970 = [&b"1969-12-31"[..], b"1970-01-01"]
        .iter()
        .any(|day| text.starts_with(day));
    match time(text) {
        Verdict::Reject if is_about_1970 => Err(SchemaObjection::Unsure),
        Verdict::Admit => Ok(true),
        Verdict::Reject => Ok(false),
        Verdict::Defer(_) => Err(SchemaObjection::Unsure),
    }
}

fn has_date_form(text: &[u8]) -> bool {
    let Some((moment, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let form = b"0000-00-00T00:00:00";
    let is_moment = moment.iter().zip(form).all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't' | b' '),
        other => byte == other,
    });
    let zone = match rest.split_first() {
        Some((b'.', fraction)) => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            fraction.get(digits..).filter(|_| digits > 0)
        }
        _ => Some(rest),
    };
    let is_zone = |zone: &[u8]| match zone {
        [] | b"Z" => true,
        [b'+' | b'-', hour @ ..] => match hour {
            [a, b] => [a, b].iter().all(|byte| byte.is_ascii_digit()),
            [a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
            _ => false,
        },
        _ => false,
    };
    is_moment && zone.is_some_and(is_zone)
}

/// WordPress's `is_email`, which a plugin may widen beyond ASCII.
fn email(text: &[u8]) -> SchemaResult<bool> {
    if !text.is_ascii() {
        return Err(SchemaObjection::Unsure);
    }
    let Some(at) = text.iter().position(|&byte| byte == b'@').filter(|&at| at > 0) else {
        return Ok(false);
    };
    let (local, domain) = text.split_at(at);
    let domain = domain.get(1..).unwrap_or_default();
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~.-".contains(byte);
    let labels: Vec<&[u8]> = domain.split(|&byte| byte == b'.').collect();
    let is_label = |label: &&[u8]| {
        let ends = [label.first(), label.last()];
        !label.is_empty()
            && !ends.contains(&Some(&b'-'))
            && label
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let local = line(local);
    Ok(text.len() >= 6
        && !local.is_empty()
        && local.iter().all(is_local)
        && labels.len() >= 2
        && labels.iter().all(is_label))
}

/// Addresses of version 6 are left to the site.
fn ip(text: &[u8]) -> SchemaResult<bool> {
    if text.contains(&b':') {
        return Err(SchemaObjection::Unsure);
    }
    let parts: Vec<&[u8]> = line(text).split(|&byte| byte == b'.').collect();
    let is_part = |part: &&[u8]| {
        let digits = std::str::from_utf8(part)
            .ok()
            .filter(|part| matches!(part.len(), 1..=3));
        let is_digits = digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        is_digits && digits.is_some_and(|digits| digits.parse::<u16>().is_ok_and(|number| number <= 255))
    };
    Ok(parts.len() == 4 && parts.iter().all(is_part))
}
