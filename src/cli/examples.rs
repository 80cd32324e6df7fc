//! The examples below the help of each command; a test parses every line of them.

pub(super) const SERVE: &str = "\
Examples:
  calendar-edge serve --config /etc/calendar-edge/edge.toml
  calendar-edge serve --config edge.toml --mode report
  calendar-edge serve --origin https://wp.example.org/wp-json --listen 0.0.0.0:8787 --admin-listen 127.0.0.1:9787";

#[cfg(feature = "demo")]
pub(super) const DEMO: &str = "\
Examples:
  calendar-edge demo";

pub(super) const INIT: &str = "\
Examples:
  calendar-edge init --site https://wp.example.org
  calendar-edge init --site https://example.org/blog --output /etc/calendar-edge/edge.toml
  calendar-edge init --site http://10.0.0.5:8080 --public-url https://events.example.org --output -

  calendar-edge init --site https://staging.example.org --basic-auth-file /etc/calendar-edge/basic-auth
  calendar-edge init --site https://intranet.example.org --ca-file /etc/calendar-edge/site-ca.pem

The site gets requests without credentials of WordPress, and nothing is changed there. Where the address is that of the server \
alone, --public-url names the site: it gets requests under that name as well.

Exit statuses: 0 the file is written; 1 it could not be written, or there is one already; 2 the site cannot be used, and \
nothing is written; 64 invalid command line.";

pub(super) const CHECK: &str = "\
Examples:
  calendar-edge check --config edge.toml
  calendar-edge check --config edge.toml --offline";

pub(super) const HEALTHCHECK: &str = "\
Examples:
  calendar-edge healthcheck --config /etc/calendar-edge/edge.toml
  calendar-edge healthcheck --admin http://127.0.0.1:9787";

pub(super) const PURGE: &str = "\
Examples:
  calendar-edge purge --tag event:50 --tag venue:7
  calendar-edge purge --all --admin http://127.0.0.1:9787";

pub(super) const VERIFY: &str = "\
Examples:
  calendar-edge migration verify --to next --config edge.toml
  calendar-edge migration verify --to next --config edge.toml -H 'Authorization: Basic YWRtaW46eHh4eA==' --rate 50";

pub(super) const MIGRATION_STATUS: &str = "\
Examples:
  calendar-edge migration status --admin http://127.0.0.1:9787";

pub(super) const MIGRATION_REPORT: &str = "\
Examples:
  calendar-edge migration report --backend next --operation 'events.*' --json";

pub(super) const MIGRATION_RESUME: &str = "\
Examples:
  calendar-edge migration resume venues";

pub(super) const PRINT: &str = "\
Examples:
  calendar-edge print openapi > openapi.json
  calendar-edge print completions bash > /etc/bash_completion.d/calendar-edge
  calendar-edge print completions fish > ~/.config/fish/completions/calendar-edge.fish
  calendar-edge print man serve | man -l -";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _, Parser};

    use super::super::command_line::Cli;

    /// The words of a line as a shell reads them, up to a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let quoted = line.split('\'').enumerate();
        let mut words: Vec<String> = Vec::new();
        for (index, piece) in quoted {
            if index % 2 == 1 {
                words.push(piece.to_owned());
            } else {
                words.extend(piece.split_whitespace().map(str::to_owned));
            }
        }
        words
            .into_iter()
            .take_while(|word| !matches!(word.as_str(), "|" | ">"))
            .collect()
    }

    fn help_of(command: &Command) -> String {
        command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// The examples of a command, or else of each command below it.
    fn demand_examples(command: &Command, path: &str) {
        let help = help_of(command);
        let lines: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        for line in &lines {
            assert!(line.starts_with(path), "{path} --help shows {line}");
            if let Err(error) = Cli::try_parse_from(words(line)) {
                panic!("{line}\n{error}");
            }
        }
        let inner: Vec<&Command> = command.get_subcommands().collect();
        assert!(
            !lines.is_empty() || !inner.is_empty(),
            "{path} --help has no example"
        );
        if lines.is_empty() {
            for inner in inner {
                demand_examples(inner, &format!("{path} {}", inner.get_name()));
            }
        }
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let cli = Cli::command();
        for command in cli.get_subcommands() {
            demand_examples(command, &format!("calendar-edge {}", command.get_name()));
        }
    }
}
