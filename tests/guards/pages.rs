//! The pages that operators read, and what they quote.

use std::fs;
use std::path::PathBuf;

use crate::repository::{files_below, root};

/// Pages whose dotted names are members of documents, and not settings or fields of log lines.
const OF_DOCUMENTS: [&str; 3] = ["status.md", "backend.md", "candidate.md"];

/// A page with its name.
#[derive(Debug)]
pub struct Page {
    /// The name of its file.
    pub name: String,
    /// All of it.
    pub text: String,
    /// Whether it is prose, and no configuration or script.
    pub is_markdown: bool,
}

/// The documentation for operators, and what is shipped beside the program.
#[must_use]
pub fn pages() -> Vec<Page> {
    let mut files: Vec<PathBuf> = ["README.md", "SECURITY.md", "docs/start.md"]
        .map(PathBuf::from)
        .into();
    files.extend(
        ["docs/guides", "docs/reference", "deploy"]
            .map(files_below)
            .concat(),
    );
    let pages = files.into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some(Page {
            name,
            is_markdown: path.extension().is_some_and(|extension| extension == "md"),
            text: fs::read_to_string(root().join(path)).ok()?,
        })
    });
    pages.collect()
}

/// The pages that are prose about settings and log lines.
pub fn prose() -> impl Iterator<Item = Page> {
    let is_prose = |page: &Page| page.is_markdown && !OF_DOCUMENTS.contains(&page.name.as_str());
    pages().into_iter().filter(is_prose)
}

/// The text between backticks, blocks of code excluded.
#[must_use]
pub fn quoted(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}
