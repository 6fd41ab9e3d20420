//! `aov man` and `aov completions`: what the definition of the command line has to say of itself,
//! as man pages and for shells. What the definition does not hold is in [`pages`].

mod pages;

use agent_output_verifier::text::{closest, quoted};
use anyhow::Result;
use clap::CommandFactory as _;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::Status;
use super::args::{Cli, Completions, ManArgs};
use super::output::Output;
use super::trouble::Trouble;
use pages::{Entry, page};

/// Prints the completions for a shell.
pub(crate) fn completions(args: &Completions) -> Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "aov", &mut script);
    Output::open(None)?.write(&script)?;
    Ok(Status::Passed)
}

/// Prints a man page.
pub(crate) fn run(args: &ManArgs) -> Result<Status> {
    let whole = definition();
    let command = match &args.command {
        None => &whole,
        Some(name) => whole.find_subcommand(name).ok_or_else(|| unknown(name, &whole))?,
    };
    let text = render(command, &whole)?;
    Output::open(None)?.write(&text)?;
    Ok(Status::Passed)
}

/// The definition with its global options in every command.
fn definition() -> clap::Command {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    whole
}

fn unknown(name: &str, whole: &clap::Command) -> Trouble {
    let names = || whole.get_subcommands().map(clap::Command::get_name);
    let help = match closest(name, names()) {
        Some(near) => format!("Did you mean '{near}'?"),
        None => format!("The commands are {}.", names().collect::<Vec<_>>().join(", ")),
    };
    Trouble::new(format!("there is no command {}", quoted(name)), help)
}

fn render(command: &clap::Command, whole: &clap::Command) -> Result<Vec<u8>> {
    let version = format!("aov {}", whole.get_version().unwrap_or_default());
    // Without a date the page is the same however often it is made. An empty one would get lost,
    // and what is behind it would take its place.
    let man = Man::new(command.clone()).date(" ").source(version).manual("Agent Output Verifier");
    let page = page(command.get_name()).unwrap_or_default();
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    // An option's name is not to be broken at its hyphens, nor prose stretched.
    Roff::new().control("nh", []).control("ad", ["l"]).to_writer(&mut text)?;
    man.render_name_section(&mut text)?;
    let mut front = synopsis(command);
    front.extend([paragraphs("DESCRIPTION", page.description)]);
    front.to_writer(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    let mut back = Roff::new();
    back.extend([
        entries("EXIT STATUS", page.statuses),
        entries("ENVIRONMENT", page.environment),
        entries("FILES", page.files),
        examples(page.examples),
        see_also(command, whole),
    ]);
    back.to_writer(&mut text)?;
    Ok(text)
}

/// The usage as the help has it: every option by name would bury it.
fn synopsis(command: &clap::Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let rest = usage.strip_prefix(name).unwrap_or(usage);
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text([bold(name), roman(rest)]);
    roff
}

fn paragraphs(heading: &str, paragraphs: &[&str]) -> Roff {
    let mut roff = Roff::new();
    for (place, paragraph) in paragraphs.iter().enumerate() {
        if place == 0 {
            roff.control("SH", [heading]);
        } else {
            roff.control("PP", []);
        }
        roff.text(marked(paragraph));
    }
    roff
}

/// Text in which what stands between backquotes is set in bold.
fn marked(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate();
    let inline = parts.map(|(place, part)| if place % 2 == 1 { bold(part) } else { roman(part) });
    inline.collect()
}

fn entries(heading: &str, entries: &[Entry]) -> Roff {
    let mut roff = Roff::new();
    if entries.is_empty() {
        return roff;
    }
    roff.control("SH", [heading]);
    for (term, text) in entries {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text(marked(text));
    }
    roff
}

/// Examples: what is done, and below it the command.
fn examples(examples: &[Entry]) -> Roff {
    let mut roff = Roff::new();
    if examples.is_empty() {
        return roff;
    }
    roff.control("SH", ["EXAMPLES"]);
    for (command, text) in examples {
        roff.control("PP", []);
        roff.text(marked(text));
        roff.control("PP", []);
        roff.control("RS", ["4"]);
        roff.control("nf", []);
        for line in command.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        roff.control("RE", []);
    }
    roff
}

/// The other pages.
fn see_also(command: &clap::Command, whole: &clap::Command) -> Roff {
    let own = command.get_name();
    let mut names = Vec::new();
    if own != whole.get_name() {
        names.push(whole.get_name().to_owned());
    }
    let others = whole.get_subcommands().map(clap::Command::get_name).filter(|name| *name != own);
    names.extend(others.map(|name| format!("{}-{name}", whole.get_name())));
    let mut line = Vec::new();
    for name in names {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        line.extend([italic(name), roman("(1)")]);
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]).text(line);
    roff
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::pages::Page;
    use super::*;

    /// Every command, with the one that holds them.
    fn names() -> Vec<String> {
        let whole = definition();
        let commands = whole.get_subcommands().map(|command| command.get_name().to_owned());
        commands.chain(["aov".to_owned()]).collect()
    }

    #[test]
    fn every_command_has_a_page_of_its_own() {
        for name in names() {
            let page = page(&name).unwrap_or_else(|| panic!("{name} has no page"));
            let Page { description, examples, statuses, environment, .. } = page;
            assert!(!description.is_empty() && !examples.is_empty(), "{name}");
            assert!(!statuses.is_empty() && !environment.is_empty(), "{name}");
        }
    }

    #[test]
    fn the_definition_takes_every_example() {
        let mut count = 0;
        for name in names() {
            for (example, _) in page(&name).unwrap_or_default().examples {
                for line in example.replace("\\\n", " ").lines() {
                    // Up to what is for the shell.
                    let words = line.split_whitespace().map(|word| word.trim_matches('\''));
                    let words: Vec<&str> =
                        words.take_while(|word| !matches!(*word, "|" | ">" | "&&")).collect();
                    assert_eq!(words[0], "aov", "{line}");
                    assert!(name == "aov" || words[1] == name, "{name}: {line}");
                    let parsed = Cli::try_parse_from(&words);
                    assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                    count += 1;
                }
            }
        }
        assert!(count >= names().len(), "{count} examples");
    }

    #[test]
    fn examples_fit_a_terminal() {
        for name in names() {
            for (example, _) in page(&name).unwrap_or_default().examples {
                // Eleven columns of indentation, as the pages are set.
                assert!(example.lines().all(|line| line.len() + 11 <= 80), "{name}: {example}");
            }
        }
    }

    #[test]
    fn marks_come_in_pairs() {
        for name in names() {
            let Page { description, statuses, environment, files, examples } =
                page(&name).unwrap_or_default();
            let entries = [statuses, environment, files, examples].concat();
            let texts = entries.into_iter().map(|(_, text)| text).chain(description.to_vec());
            for text in texts {
                assert_eq!(text.matches('`').count() % 2, 0, "{name}: {text}");
            }
        }
    }
}
