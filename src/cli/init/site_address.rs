//! The address of a site, as an operator gives it.

use url::Url;

use super::super::status::Misuse;

/// The front page of a site, whose path ends with a slash, from `https://wp.example.org`, `wp.example.org/blog` or the
/// address of a REST root, which stands for its site.
pub(super) fn site_address(text: &str) -> Result<Url, Misuse> {
    const FORM: Misuse = Misuse("--site is not the http or https URL of a site, like https://wp.example.org");
    let text = text.trim();
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let mut url = Url::parse(&whole).map_err(|_| FORM)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(FORM);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Misuse(
            "--site has credentials: write them as name:password into a file, and give --basic-auth-file FILE",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Misuse(
            "--site has a query or a fragment: give the address of the front page",
        ));
    }
    let path = folder(url.path());
    url.set_path(&path);
    Ok(url)
}

/// The folder of a site with a slash at its end; that of a REST root is the one above.
fn folder(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/wp-json").unwrap_or(path);
    format!("{}/", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, expected) in [
            ("https://wp.example.org", "https://wp.example.org/"),
            (" wp.example.org ", "https://wp.example.org/"),
            ("localhost:8080", "https://localhost:8080/"),
            ("http://10.0.0.5:8080/blog", "http://10.0.0.5:8080/blog/"),
            (
                "https://wp.example.org/blog/wp-json/",
                "https://wp.example.org/blog/",
            ),
            ("https://wp.example.org/wp-json", "https://wp.example.org/"),
            ("http://[::1]:80//", "http://[::1]/"),
        ] {
            let address = site_address(text).map(|url| url.to_string());
            assert_eq!(address.ok().as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "ftp://wp.example.org",
            "https://",
            "https://user:secret@wp.example.org",
            "https://wp.example.org/?rest_route=/",
            "two words",
        ] {
            assert!(site_address(text).is_err(), "{text}");
        }
    }
}
