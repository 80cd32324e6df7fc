//! The order of `init`: find, write, and show the next steps.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow, ensure};
use calendar_edge::config::{Overrides, parse};
use calendar_edge::telemetry::printable;
use calendar_edge_core::settings::OriginHost;
use calendar_edge_core::survey::LineKind::{Ok as Fine, Unusable, Warning};
use calendar_edge_core::survey::{FoundSite, Obstacle, SiteRequest};

use super::super::colour::has_colours;
use super::super::environment::Environment;
use super::super::runtime;
use super::super::status::Status;
use super::access_files::{access, access_lines};
use super::file::text;
use super::init_args::InitArgs;
use super::site_address::site_address;
use crate::cli::survey::{deadline, find, print};

/// Finds a site and writes its configuration, which `check` then compares with the site. Statuses: 0 it is written, 1
/// it cannot be written, 2 the site cannot be used.
pub(crate) fn run(
    args: &InitArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (path, is_standard) = (args.output.as_path(), args.output == Path::new("-"));
    // Before the requests to the site.
    let (shown, is_free) = (path.display(), is_standard || args.force || !path.exists());
    ensure!(
        !path.is_dir(),
        "{shown} is a directory: give --output a file in it"
    );
    ensure!(is_free, "{shown}: {KEPT}");
    let access_lines = access_lines(args)?;
    let question = site_request(args, &access_lines)?;
    let (found, mut lines) = runtime::single()?.block_on(find(&question, deadline()));
    // The configuration may go to standard output: then nothing else does.
    let mut errors = io::stderr();
    let (is_coloured, report, file): (_, &mut dyn Write, _) = if is_standard {
        (has_colours(&errors, environment), &mut errors, Some(out))
    } else {
        (has_colours(&io::stdout(), environment), out, None)
    };
    let mut found = match found {
        Ok(found) => found,
        Err(obstacle) => {
            lines.push(Unusable.line(obstacle.to_string()));
            return Ok(print(&lines, is_coloured, report)
                .context("standard output")?
                .into());
        }
    };
    found.parameters.retain(|name| is_settable(name));
    let names = found.parameters.join(", ");
    let added = (!names.is_empty()).then(|| Fine.line(format!("plugins add the parameters {names}")));
    lines.extend(added);
    let written = text(&found, &access_lines);
    let settings = parse("the configuration found", &written, &Overrides::default());
    settings.map_err(|error| Obstacle::other(format!("the configuration would not be valid: {error}")))?;
    if !is_standard {
        write(path, &written, args.force)?;
        lines.push(Fine.line(format!("{shown} is written")));
    }
    if OriginHost::of(&found.root) == OriginHost::of(&found.public) {
        lines.push(Warning.line(SAME_ADDRESS));
    }
    print(&lines, is_coloured, report).context("standard output")?;
    let next = next(if is_standard { Path::new("FILE") } else { path }, &found);
    write!(report, "{next}").context("standard output")?;
    if let Some(file) = file {
        file.write_all(written.as_bytes()).context("standard output")?;
    }
    Ok(Status::Success)
}

fn site_request(args: &InitArgs, access_lines: &str) -> anyhow::Result<SiteRequest> {
    Ok(SiteRequest {
        address: site_address(&args.site)?,
        namespace: args.origin_namespace.clone(),
        public_url: args.public_url.clone(),
        access: access(access_lines)?,
        named: None,
    })
}

/// True if `extra_parameters` takes a name.
fn is_settable(name: &str) -> bool {
    let name = toml::Value::String(name.to_owned());
    let file = format!("extra_parameters = [{name}]\n[origin]\nurl = \"https://wp.example.org/wp-json\"\n");
    parse("a name", &file, &Overrides::default()).is_ok()
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
    // A file may have come into being since the last look.
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

/// The next steps.
fn next(file: &Path, found: &FoundSite) -> String {
    let (file, root, namespace) = (file.display(), found.root.path(), &found.namespace);
    let lines = format!(
        "Next:\n  calendar-edge check --config {file}\n  calendar-edge serve --config {file}\n  \
         curl 'http://127.0.0.1:8787{root}/{namespace}/events?per_page=1'\n\
         Mode report logs what would be refused, and http://127.0.0.1:9787/ shows it. Set it to \"enforce\" once that \
         stays quiet."
    );
    let lines: Vec<_> = lines.split('\n').map(printable).collect();
    format!("\n{}\n", lines.join("\n"))
}

/// A circle, if visitors are sent to the edge now.
const SAME_ADDRESS: &str = "`origin.url` is the address that visitors use: before it leads to this edge, give the site an \
     address of its own (docs/start.md); else the edge sends its requests to itself";

/// The reason why a file stays as it is.
const KEPT: &str = "there is a file already, which is kept; give --force to replace it, or another --output";
