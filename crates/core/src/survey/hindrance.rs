//! Responses that come from something before WordPress: each named for what it is, with the next step.

use http::header::{RETRY_AFTER, SERVER, WWW_AUTHENTICATE};

use crate::errors::LOOP_DETECTED;

use super::responses::{GUARD, SiteResponse, code};

/// Advice where an edge responds, and refuses its own request.
const CIRCLE: &str = "`origin.url` leads back to this edge: give the site an address of its own, such as a second port of its \
     web server (docs/start.md), and name it in `origin.url`, for `init` in `--site`";

/// Pages of php-fpm for a script that it cannot run, whole.
const OF_PHP: [&str; 3] = ["File not found.", "No input file specified.", "Access denied."];

/// The server that responds in place of WordPress, with the next step; none: it may be WordPress itself.
pub(super) fn hindrance(answer: &SiteResponse) -> Option<String> {
    let (status, text) = (answer.status.as_u16(), answer.text());
    let text = text.trim();
    match status {
        508 if answer
            .json()
            .is_some_and(|json| code(&json) == LOOP_DETECTED.code) =>
        {
            Some(CIRCLE.to_owned())
        }
        401 => basic_realm(answer).map(|realm| basic_auth(&realm)),
        503 if !is_of_companion(answer) => Some(maintenance(answer)),
        _ if answer.json().is_some() => None,
        403 | 404 if OF_PHP.contains(&text) => Some(format!(
            "status {status} (\"{text}\"): PHP runs and does not find the script that the web server names. Check the \
             document root and `SCRIPT_FILENAME`; PHP in a container needs WordPress's folder at the same path"
        )),
        403 | 406 | 429 => Some(format!(
            "{} refuses this machine with a page: allow its address there, or the program that names itself \
             calendar-edge in `User-Agent`",
            firewall(answer)
        )),
        200 if text.is_empty() => Some(
            "status 200 without a body: PHP ended without output. Check the web server's FastCGI parameters, such as \
             `SCRIPT_FILENAME`, and PHP's error log"
                .to_owned(),
        ),
        200 if text.starts_with("<?php") => {
            Some("the web server sends the text of PHP files: let it run them by PHP".to_owned())
        }
        500 => Some(
            "status 500: PHP or WordPress failed, as without its database. PHP's error log has the cause".to_owned(),
        ),
        502 | 504 => Some(format!(
            "status {status}: the web server gets no response from PHP. Check that PHP runs (php-fpm), and the error log of \
             the web server"
        )),
        _ => None,
    }
}

/// The web server requires Basic credentials; the realm is its name for the protected space.
fn basic_auth(realm: &str) -> String {
    let realm = if realm.is_empty() {
        String::new()
    } else {
        format!(" (\"{realm}\")")
    };
    format!(
        "the web server requires Basic credentials{realm}, as before a staging site: write them as name:password into a \
         file, and name it in `origin.basic_auth_file` (`init --basic-auth-file FILE`). If that is set, they are wrong"
    )
}

/// Maintenance of WordPress, which names its end, or a web server whose PHP does not run.
fn maintenance(answer: &SiteResponse) -> String {
    let after = answer.header(&RETRY_AFTER);
    if after.is_some() || answer.json().is_some() {
        let after = after.map_or_else(String::new, |after| format!(", with `Retry-After: {after}`"));
        return format!(
            "status 503: the site is in maintenance, or out of capacity{after}. Run this again when it is back; after an update \
             that broke off, remove `.maintenance` from WordPress's folder"
        );
    }
    "status 503: PHP does not run behind the web server, or the site is out of capacity or in maintenance. Check php-fpm, and \
     the error log of the web server"
        .to_owned()
}

/// True if the companion plugin responded, which has its own advice.
fn is_of_companion(answer: &SiteResponse) -> bool {
    answer.json().is_some_and(|json| code(&json).starts_with(GUARD))
}

/// The realm of a challenge for Basic credentials; empty without a realm, and none without such a challenge.
fn basic_realm(answer: &SiteResponse) -> Option<String> {
    let is_basic = |field: &&str| {
        field
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic"))
    };
    let challenge = answer.fields(&WWW_AUTHENTICATE).find(is_basic)?;
    let realm = challenge
        .split_once("realm=\"")
        .and_then(|(_, rest)| rest.split('"').next());
    Some(realm.unwrap_or_default().to_owned())
}

fn firewall(answer: &SiteResponse) -> String {
    match answer.header(&SERVER) {
        Some(server) => format!("the web server ({server}) or a firewall before it"),
        None => "a firewall, a plugin or a rule of the web server".to_owned(),
    }
}
