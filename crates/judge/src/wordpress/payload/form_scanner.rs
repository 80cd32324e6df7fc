//! Scans a form while it passes: which of its bytes may go on, and which routes it names.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};

use super::form_fault::FormFault;
use super::multipart::{Arrival, MultipartReader, Piece, Place};
use super::rest_route::REST_ROUTE;
use super::scan_step::{ROUTE_BYTES, ScanStep};
use super::site_form::SiteForm;
use super::urlencoded::{self, PairPlace};
use super::variable_names::VariableName;

/// Scans one form. It holds back what could still become a `rest_route`, at most some 20 KB, and nothing else: every
/// other variable is harmless whatever its value.
#[derive(Debug)]
pub struct FormScanner {
    layout: FormLayout,
    held: BytesMut,
}

/// The bytes that a piece of a form set free.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// They may go on if the routes may.
    pub cleared: Bytes,
    /// The values of `rest_route` in them, in their order.
    pub routes: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum FormLayout {
    Pairs(PairPlace),
    Parts(MultipartReader, Place),
}

// === impl FormScanner ===

impl FormScanner {
    /// A scanner of such a form; none where PHP reads no form.
    pub fn new(form: SiteForm<'_>) -> Option<Self> {
        let layout = match form {
            SiteForm::Urlencoded => FormLayout::Pairs(PairPlace::Name),
            SiteForm::Multipart { boundary } => {
                FormLayout::Parts(MultipartReader::new(boundary), Place::Start)
            }
            SiteForm::Absent | SiteForm::Ambiguous => return None,
        };
        Some(Self {
            layout,
            held: BytesMut::new(),
        })
    }

    /// The values of `rest_route` in a whole form, in their order.
    ///
    /// # Errors
    /// A form that ends early, or could be read in another way.
    pub fn routes(mut self, form: Bytes) -> Result<Vec<Vec<u8>>, FormFault> {
        let mut routes = self.push(form)?.routes;
        routes.extend(self.finish()?.routes);
        Ok(routes)
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// A form that could be read in another way. Nothing of it that was not cleared before may go on.
    pub fn push(&mut self, piece: Bytes) -> Result<Scanned, FormFault> {
        let bytes = self.joined(piece);
        self.scan(bytes, Arrival::Partial)
    }

    /// Takes the end of the form.
    ///
    /// # Errors
    /// A form that ends early, or whose last bytes could be read in another way.
    pub fn finish(&mut self) -> Result<Scanned, FormFault> {
        let bytes = self.held.split().freeze();
        self.scan(bytes, Arrival::Whole)
    }

    /// The held bytes and the new ones; these are not copied where nothing is held.
    fn joined(&mut self, piece: Bytes) -> Bytes {
        if self.held.is_empty() {
            return piece;
        }
        self.held.extend_from_slice(&piece);
        self.held.split().freeze()
    }

    fn scan(&mut self, mut bytes: Bytes, arrival: Arrival) -> Result<Scanned, FormFault> {
        let mut routes = Vec::new();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match self.layout.step(rest, arrival)? {
                ScanStep::Harmless(length) => at += length,
                ScanStep::Route(length, route) => {
                    at += length;
                    routes.push(route.into_owned());
                }
                ScanStep::Wait => break,
            }
        }
        if arrival == Arrival::Whole {
            self.layout.end()?;
        }
        let cleared = bytes.split_to(at);
        self.held.extend_from_slice(&bytes);
        Ok(Scanned { cleared, routes })
    }
}

// === impl FormLayout ===

impl FormLayout {
    fn step<'a>(&mut self, bytes: &'a [u8], arrival: Arrival) -> Result<ScanStep<'a>, FormFault> {
        match self {
            Self::Pairs(place) => {
                let (step, next) = urlencoded::step(*place, bytes, arrival)?;
                *place = next;
                Ok(step)
            }
            Self::Parts(reader, place) => {
                let (step, next) = part(reader, *place, bytes, arrival)?;
                *place = next;
                Ok(step)
            }
        }
    }

    /// Checks that the form may end here.
    fn end(&self) -> Result<(), FormFault> {
        match self {
            // An empty body has no parts.
            Self::Pairs(_) | Self::Parts(_, Place::Start) => Ok(()),
            Self::Parts(reader, place) => reader.read(*place, &[], Arrival::Whole).map(|_| ()),
        }
    }
}

/// The next piece of a multipart form; a part that names a route is one with its value.
fn part<'a>(
    reader: &MultipartReader,
    place: Place,
    bytes: &'a [u8],
    arrival: Arrival,
) -> Result<(ScanStep<'a>, Place), FormFault> {
    let Some(read) = reader.read(place, bytes, arrival)? else {
        return Ok((ScanStep::Wait, place));
    };
    match read.piece {
        Piece::Head(Some(sent)) => match VariableName::read(sent) {
            Some(name) if name.is_of(REST_ROUTE) && name.is_plain() => {
                Ok(match route(reader, read.length, bytes, arrival)? {
                    Some((step, next)) => (step, next),
                    None => (ScanStep::Wait, place),
                })
            }
            Some(name) if name.is_of(REST_ROUTE) => Err(FormFault::UnreadableRoute),
            _ => Ok((ScanStep::Harmless(read.length), read.next)),
        },
        Piece::Head(None) | Piece::Filler | Piece::Content(_) => {
            Ok((ScanStep::Harmless(read.length), read.next))
        }
    }
}

/// The part of a route, whose content begins at this byte; none while its end is missing.
fn route<'a>(
    reader: &MultipartReader,
    from: usize,
    bytes: &'a [u8],
    arrival: Arrival,
) -> Result<Option<(ScanStep<'a>, Place)>, FormFault> {
    let content = bytes.get(from..).unwrap_or_default();
    match reader.read(Place::Content, content, arrival)? {
        Some(read) if read.next != Place::Content => match read.piece {
            Piece::Content(route) => Ok(Some((
                ScanStep::Route(from + read.length, Cow::Borrowed(route)),
                read.next,
            ))),
            Piece::Head(_) | Piece::Filler => Ok(None),
        },
        _ if bytes.len() > ROUTE_BYTES => Err(FormFault::UnreadableRoute),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &str = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nthe rest_route of --it\r\n--B\r\n\
        Content-Disposition: form-data; name=\"rest.route\"\r\n\r\n/x\r\n--B\r\nContent-Disposition: form-data; \
        name=\"f\"; filename=\"a\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n\n--\r\n-\r--C\r\n--B--\r\n";

    fn parts() -> FormScanner {
        FormScanner::new(SiteForm::Multipart { boundary: b"B" }).expect("a form")
    }

    fn pairs() -> FormScanner {
        FormScanner::new(SiteForm::Urlencoded).expect("a form")
    }

    /// All routes of a form that comes in pieces of these sizes, in turn, if all of it is cleared.
    fn scan(mut form_scanner: FormScanner, form: &[u8], sizes: &[usize]) -> Result<Vec<Vec<u8>>, FormFault> {
        let (mut cleared, mut routes, mut rest) = (Vec::new(), Vec::new(), form);
        for &size in sizes.iter().cycle() {
            let (piece, behind) = rest.split_at(size.clamp(1, rest.len().max(1)).min(rest.len()));
            let scanned = match rest {
                [] => form_scanner.finish()?,
                _ => form_scanner.push(Bytes::copy_from_slice(piece))?,
            };
            cleared.extend_from_slice(&scanned.cleared);
            routes.extend(scanned.routes);
            if rest.is_empty() {
                break;
            }
            rest = behind;
        }
        assert_eq!(cleared, form);
        Ok(routes)
    }

    #[test]
    fn finds_routes_and_clears_everything_however_it_comes() {
        let form = b"a=rest_route=/y&&+rest[route=%2Fx&rest_route%00junk=/y+z&b";
        for size in 1..PARTS.len() {
            assert_eq!(
                scan(parts(), PARTS.as_bytes(), &[size]),
                Ok(vec![b"/x".to_vec()]),
                "{size}"
            );
            let expected = vec![b"/x".to_vec(), b"/y z".to_vec()];
            assert_eq!(scan(pairs(), form, &[size]), Ok(expected), "{size}");
        }
    }

    #[test]
    fn text_about_a_route_is_no_route() {
        let post = "content=a+post+about+rest_route%3D/tribe/events/v1/events&rest_routes=1&xrest_route=1&REST_ROUTE=1";
        assert_eq!(scan(pairs(), post.as_bytes(), &[7]), Ok(vec![]));
    }

    #[test]
    fn clears_a_field_before_its_end() {
        let mut scanner = parts();
        let head = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
        let cleared = scanner
            .push(format!("{head}value").into())
            .expect("harmless")
            .cleared;
        assert_eq!(cleared.len(), head.len() + 5);
        let cleared = scanner.push("\r\n--".into()).expect("harmless").cleared;
        assert_eq!(cleared, "");
        let cleared = scanner.push(" more".into()).expect("harmless").cleared;
        assert_eq!(cleared, "\r\n-- more");
    }

    #[test]
    fn holds_a_route_back_until_it_is_complete() {
        for (mut scanner, form) in [
            (pairs(), "a=1&rest_route=/x".to_owned()),
            (pairs(), "rest%5Froute=%2Fx".to_owned()),
            (
                parts(),
                PARTS.split("/x").next().unwrap_or_default().to_owned() + "/x",
            ),
        ] {
            let before = form.rfind("rest").unwrap_or_default();
            let scanned = scanner.push(form.clone().into()).expect("held");
            assert!(scanned.cleared.len() <= before, "{form}");
            assert!(scanned.routes.is_empty(), "{form}");
        }
    }

    #[test]
    fn refuses_routes_that_are_arrays_or_endless() {
        let long = format!("rest_route=/{}", "x".repeat(ROUTE_BYTES));
        for form in [
            "rest_route[]=/x",
            "rest_route[a][b]=1",
            "rest_route%5Ba%5D=1",
            &long,
        ] {
            let refused = scan(pairs(), form.as_bytes(), &[1000]);
            assert_eq!(refused, Err(FormFault::UnreadableRoute), "{form}");
        }
        for name in ["rest_route[]", "rest_route[a][b]", " rest.route[0]"] {
            let form = PARTS.replace("rest.route", name);
            assert_eq!(
                scan(parts(), form.as_bytes(), &[5]),
                Err(FormFault::UnreadableRoute),
                "{name}"
            );
        }
    }

    #[test]
    fn refuses_delimiters_that_only_php_might_find() {
        let file = "Content-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n";
        for inside in [
            "--B",
            "\n--B\r\n",
            "x--B\r\n",
            "\r--B",
            "\r\n--B\0",
            "\r\n--B \r\n",
            "\r\n--BB",
        ] {
            let form = format!("--B\r\n{file}a{inside}b\r\n--B--\r\n");
            let refused = scan(parts(), form.as_bytes(), &[3]);
            assert_eq!(refused, Err(FormFault::Boundary), "{inside:?}");
        }
    }

    #[test]
    fn refuses_heads_that_php_reads_in_its_own_way() {
        let long = format!(
            "Content-Disposition: form-data; name=\"a\"; x={}",
            "z".repeat(5000)
        );
        for head in [
            "Content-Disposition: form-data;\r\n name=\"rest_route\"",
            "Content-Disposition: form-data; name=\"a\"\r\n\tname=\"b\"",
            "Content-Type: a\nContent-Disposition: form-data; name=\"b\"\r\nContent-Disposition: form-data; name=\"a\"",
            "Content-Type: a\rb\r\nContent-Disposition: form-data; name=\"a\"",
            "Content-Type: a\0b\r\nContent-Disposition: form-data; name=\"a\"",
            "Content-Disposition: form-data; name=\"rest_route\0x\"",
            "Content-Disposition: form-data; name=\"a\"; name=\"b\"",
            "Content-Disposition: form-data; filename=\"a\"",
            "Content-Disposition: form-data; name=\"f[\"; filename=\"a\"",
            "Content-Disposition: form-data; name=\"f]\"; filename=\"a\"",
            "Content-Disposition: form-data; name=\"f[a]b\"; filename=\"a\"",
            "Content-Disposition: form-data; name=\"f\"; filename=\"a\\\"",
            &long,
        ] {
            let form = format!("--B\r\n{head}\r\n\r\n1\r\n--B--\r\n");
            let refused = scan(parts(), form.as_bytes(), &[64]);
            assert_eq!(refused, Err(FormFault::Headers), "{head:?}");
        }
    }

    #[test]
    fn holds_little_of_a_large_file() {
        let mut scanner = parts();
        let file = "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n";
        scanner.push(file.into()).expect("harmless");
        let block = Bytes::from(b"-\r\n\r\n--\r\n-x".repeat(5000));
        for _ in 0..20 {
            scanner.push(block.clone()).expect("harmless");
            assert!(scanner.held.len() <= 4, "{}", scanner.held.len());
        }
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes_in_any_pieces(
            form in "[a-b&=+%\\[\\]._\r\n-]{0,80}",
            sizes in proptest::collection::vec(1..9_usize, 1..5),
        ) {
            let text = form.replace('b', "rest_route").replace('a', "%5F");
            let whole = scan(pairs(), text.as_bytes(), &[usize::MAX]);
            proptest::prop_assert_eq!(scan(pairs(), text.as_bytes(), &sizes).is_ok(), whole.is_ok());
            let parts_form = form.replace('b', "--B").replace('a', "Content-Disposition: form-data; name=\"a\"\r\n\r\n");
            let whole = scan(parts(), parts_form.as_bytes(), &[usize::MAX]);
            proptest::prop_assert_eq!(scan(parts(), parts_form.as_bytes(), &sizes), whole);
        }
    }
}
