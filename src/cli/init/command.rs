//! The order of `init`: find, write, and say what comes next.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow, ensure};
use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::OriginHost;

use super::super::colour::has_colours;
use super::super::environment::Environment;
use super::super::runtime;
use super::super::status::Status;
use super::access_files::{access, access_lines};
use super::file::text;
use super::init_args::InitArgs;
use super::site_address::site_address;
use crate::survey::{FoundSite, Obstacle, Report, SiteRequest, find};

/// Finds a site and writes its configuration, which `check` then compares with the site. Statuses: 0 it is written, 1 it cannot
/// be written, 2 the site cannot be used.
pub(crate) fn run(
    args: &InitArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (path, is_standard) = (args.output.as_path(), args.output == Path::new("-"));
    // Before the site is asked.
    ensure!(
        !path.is_dir(),
        "{} is a directory: give --output a file in it",
        path.display()
    );
    ensure!(
        is_standard || args.force || !path.exists(),
        "{}: {KEPT}",
        path.display()
    );
    let access_lines = access_lines(args)?;
    let question = question(args, &access_lines)?;
    // The configuration may go to standard output: then nothing else does.
    let mut errors = io::stderr();
    let mut report = if is_standard {
        Report::new(&mut errors).in_colour(has_colours(&io::stderr(), environment))
    } else {
        Report::new(&mut *out).in_colour(has_colours(&io::stdout(), environment))
    };
    let found = match runtime::single()?.block_on(find(&question, &mut report)) {
        Ok(found) => found,
        Err(obstacle) => {
            report.unusable(obstacle);
            return Ok(report.end().context("standard output")?.into());
        }
    };
    let written = text(&found, &access_lines);
    let settings = parse("the configuration found", &written, &Overrides::default());
    settings.map_err(|error| Obstacle::other(format!("the configuration would not be valid: {error}")))?;
    if is_standard {
        tell("FILE", &found, &mut report);
    } else {
        write(path, &written, args.force)?;
        report.ok(format!("{} is written", path.display()));
        tell(&path.display().to_string(), &found, &mut report);
    }
    report.end().context("standard output")?;
    if is_standard {
        out.write_all(written.as_bytes()).context("standard output")?;
    }
    Ok(Status::Success)
}

fn question(args: &InitArgs, access_lines: &str) -> anyhow::Result<SiteRequest> {
    let origin = access(access_lines)?;
    Ok(SiteRequest {
        address: site_address(&args.site)?,
        namespace: args.origin_namespace.clone(),
        public_url: args.public_url.clone(),
        trusted: origin.trusted,
        basic_auth: origin.basic_auth,
        mark_key: origin.mark_key,
    })
}

fn write(path: &Path, text: &str, replaces: bool) -> anyhow::Result<()> {
    // A package does not come with the folder of a file that only the operator can write.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        open_to_all(folder, 0o755)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    // Between the question and the answer somebody may have written one.
    options.create_new(!replaces);
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow!("{}: {KEPT}", path.display()),
        _ => anyhow::Error::from(error).context(format!("{} cannot be written", path.display())),
    })?;
    open_to_all(path, 0o644)
}

/// Lets the account of the service read what has no secret, also where the operator's umask keeps files from others.
fn open_to_all(path: &Path, mode: u32) -> anyhow::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
        .with_context(|| format!("{} cannot be opened to other accounts", path.display()))?;
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}

/// Says what to do next.
fn tell(name: &str, found: &FoundSite, report: &mut Report<'_>) {
    if OriginHost::of(&found.root) == OriginHost::of(&found.public) {
        report.warning(SAME_ADDRESS);
    }
    let events = format!("{}/{}/events?per_page=1", found.root.path(), found.namespace);
    for line in [
        String::new(),
        "Next:".to_owned(),
        format!("  calendar-edge check --config {name}"),
        format!("  calendar-edge serve --config {name}"),
        format!("  curl 'http://127.0.0.1:8787{events}'"),
        "Mode report logs what would be refused, and http://127.0.0.1:9787/ shows it. Set it to \"enforce\" once that \
         stays quiet."
            .to_owned(),
    ] {
        report.plain(line);
    }
}

/// A circle, if visitors are sent to the edge now.
const SAME_ADDRESS: &str = "`origin.url` is the address that visitors use: before it leads to this edge, give the site an \
     address of its own (docs/start.md); else the edge sends its requests to itself";

/// Why a file stays as it is.
const KEPT: &str = "there is a file already, which is kept; give --force to replace it, or another --output";
