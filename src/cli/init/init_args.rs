//! The arguments of `init`.

use std::path::PathBuf;

use clap::Args;
use url::Url;

/// The arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[arg(
        long,
        value_name = "URL",
        help = "The address of the site, https://wp.example.org; with its folder if it is in one"
    )]
    pub(super) site: String,
    /// The file to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "edge.toml")]
    pub(super) output: PathBuf,
    /// Replace the file if there is one
    #[arg(long)]
    pub(super) force: bool,
    /// Scheme and host that clients will use; those of the site unless given
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<Url>,
    /// The file with the certificate of a private authority (PEM) that signs the site's
    #[arg(long, value_name = "FILE")]
    pub(super) ca_file: Option<PathBuf>,
    /// The file with the Basic credentials, name:password, that the site's web server demands
    #[arg(long, value_name = "FILE")]
    pub(super) basic_auth_file: Option<PathBuf>,
    /// The file with the secret of the companion plugin, where the site has it already
    #[arg(long, value_name = "FILE")]
    pub(super) secret_file: Option<PathBuf>,
    /// The namespace of the plugin, if the site lists several that look like it
    #[arg(long, value_name = "NS")]
    pub(super) origin_namespace: Option<String>,
}
