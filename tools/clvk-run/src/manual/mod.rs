//! `clvk-run manual`: man pages and shell completions, made from the definition of the command line.
//!
//! Names, synopsis and options are clap_mangen's. The rest of a page comes from the text below a command's
//! `--help`, whose tables it would run together (`help` reads it), from the list of build options that
//! completion has, and from the list of environment variables.

mod help;

use crate::cli::{Cli, ManualCommand};
use crate::completion;
use crate::failure::{Failure, Result};
use crate::variables;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_mangen::Man;
use help::{Help, Row, Table};
use roff::{Roff, bold, roman};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Columns of an example, so that the page fits a terminal of 80 columns.
const EXAMPLE_WIDTH: usize = 66;

/// Runs the command.
pub fn manual(command: &ManualCommand) -> Result<ExitCode> {
    let completions = command.folder.join("completions");
    write(&command.folder.join("man1"), |folder| {
        pages(&Cli::command())
            .into_iter()
            .try_for_each(|(name, text)| std::fs::write(folder.join(name), text?))
    })?;
    write(&completions, |folder| {
        completion::SCRIPTS.into_iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, files: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let made = std::fs::create_dir_all(folder).and_then(|()| files(folder));
    made.map_err(|error| Failure::usage(format!("cannot write to `{}`: {error}", folder.display())))
}

/// The pages of a command and of those below it that are not hidden: file names and texts.
fn pages(command: &Command) -> Vec<(String, std::io::Result<Vec<u8>>)> {
    let mut command = command.clone().disable_help_subcommand(true);
    command.build();
    let visible: Vec<&Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    let names: Vec<&str> = visible.iter().map(|command| name(command)).chain([name(&command)]).collect();
    let page = |command: &Command| (format!("{}.1", name(command)), page(command, &names));
    visible.into_iter().chain([&command]).map(page).collect()
}

/// `clvk-run-run`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command, names: &[&str]) -> std::io::Result<Vec<u8>> {
    let help = help::read(&command.get_after_help().map(ToString::to_string).unwrap_or_default());
    let man = Man::new(command.clone())
        .title(name(command).to_uppercase())
        .source(concat!("clvk-run ", env!("CARGO_PKG_VERSION")))
        .manual("clvk");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Names and options are not to be divided, nor spaced out.
    page.write_all(b".nh\n.ad l\n")?;
    man.render_name_section(&mut page)?;
    page.write_all(synopsis(command, &help).render().as_bytes())?;
    man.render_description_section(&mut page)?;
    let mut paragraphs_of_help = Roff::new();
    paragraphs(&mut paragraphs_of_help, &help.paragraphs);
    page.write_all(paragraphs_of_help.render().as_bytes())?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|command| !command.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    page.write_all(rest(&help, name(command), names).render().as_bytes())?;
    Ok(page)
}

/// How the command is called. clap_mangen's names each option without its value, and knows no `--` and no
/// build options.
fn synopsis(command: &Command, help: &Help) -> Roff {
    let mut text = " [OPTION]...".to_owned();
    if help.has_build_options {
        text += " [BUILD-OPTION]...";
    }
    for argument in command.get_positionals() {
        let value = argument.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
        let several = if is_list(argument) { "..." } else { "" };
        let separator = if argument.is_last_set() { "-- " } else { "" };
        let (open, close) = if argument.is_required_set() { ("", "") } else { ("[", "]") };
        text += &format!(" {open}{separator}{value}{several}{close}");
    }
    if command.get_subcommands().any(|command| !command.is_hide_set()) {
        text += " COMMAND";
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    roff.text([bold(command.get_bin_name().unwrap_or_else(|| command.get_name())), roman(text)]);
    roff
}

/// Whether an argument may be given several times.
fn is_list(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

/// The sections after the options.
fn rest(help: &Help, name: &str, names: &[&str]) -> Roff {
    let mut roff = Roff::new();
    for Table { title, introduction, rows, paragraphs: below } in &help.tables {
        roff.control("SH", [title.as_str()]);
        roff.text([roman(introduction.as_str())]);
        rows.iter().for_each(|row| tagged(&mut roff, row));
        paragraphs(&mut roff, below);
    }
    if help.has_build_options {
        roff.control("SH", ["BUILD OPTIONS"]);
        roff.text([roman("As OpenCL spells them, anywhere before the arguments of the kernel:")]);
        for (option, text) in completion::build_options_for_manual() {
            tagged(&mut roff, &Row { term: option.to_owned(), text: text.to_owned() });
        }
    }
    if !help.exit_codes.is_empty() {
        roff.control("SH", ["EXIT STATUS"]);
        help.exit_codes.iter().for_each(|row| tagged(&mut roff, row));
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for (variable, text) in variables::VARIABLES {
        tagged(&mut roff, &Row { term: variable.to_owned(), text: text.to_owned() });
    }
    if !help.examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]);
        roff.control("nf", []);
        for example in &help.examples {
            let lines = crate::wrap::wrapped(example, 0, EXAMPLE_WIDTH).replace('\n', " \\\n    ");
            lines.lines().for_each(|line| _ = roff.text([bold(line)]));
        }
        roff.control("fi", []);
    }
    roff.control("SH", ["SEE ALSO"]);
    let others = names.iter().filter(|&&other| other != name).map(|other| format!("{other}(1)"));
    roff.text([roman(others.collect::<Vec<_>>().join(", "))]);
    roff
}

fn tagged(roff: &mut Roff, row: &Row) {
    roff.control("TP", []);
    roff.text([bold(row.term.as_str())]);
    roff.text([roman(row.text.as_str())]);
}

fn paragraphs(roff: &mut Roff, paragraphs: &[String]) {
    for paragraph in paragraphs {
        roff.control("PP", []);
        roff.text([roman(paragraph.as_str())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<(String, String)> {
        let made = pages(&Cli::command());
        made.into_iter().map(|(name, text)| (name, String::from_utf8(text.unwrap()).unwrap())).collect()
    }

    #[test]
    fn hidden_commands_have_no_page_and_every_page_its_sections() {
        let texts = texts();
        let mut names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
        names.sort();
        let visible = [
            "clvk-run-check.1",
            "clvk-run-clspv-compat.1",
            "clvk-run-compile.1",
            "clvk-run-devices.1",
            "clvk-run-doctor.1",
        ];
        let others = ["clvk-run-export.1", "clvk-run-profile.1", "clvk-run-run.1", "clvk-run-trace.1"];
        let view = &["clvk-run-view.1"][..if cfg!(feature = "view") { 1 } else { 0 }];
        assert_eq!(names, [&visible[..], &others, view, &["clvk-run.1"]].concat());
        for (name, text) in &texts {
            for section in
                ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]
            {
                let heading =
                    if section.contains(' ') { format!("\"{section}\"") } else { section.to_owned() };
                assert!(text.contains(&format!(".SH {heading}\n")), "{name} has no section {section}");
            }
            for hidden in ["manual", "complete", "probe"] {
                assert!(
                    !text.contains(&format!("clvk\\-run\\-{hidden}"))
                        && !text.contains(&format!("\\-\\-{hidden}"))
                );
            }
        }
    }

    #[test]
    fn the_synopsis_is_how_a_command_is_called() {
        let texts = texts();
        for (page, expected) in [
            ("clvk-run.1", "clvk-run [OPTION]... COMMAND"),
            ("clvk-run-run.1", "clvk-run run [OPTION]... [BUILD-OPTION]... FILE [-- ARGS...]"),
            ("clvk-run-compile.1", "clvk-run compile [OPTION]... [BUILD-OPTION]... FILE"),
            ("clvk-run-check.1", "clvk-run check [OPTION]... [BUILD-OPTION]... FILES..."),
            ("clvk-run-devices.1", "clvk-run devices [OPTION]..."),
            ("clvk-run-doctor.1", "clvk-run doctor [OPTION]..."),
        ] {
            let (_, text) = texts.iter().find(|(name, _)| name == page).unwrap();
            let (_, synopsis) = text.split_once(".SH SYNOPSIS\n").unwrap();
            let line =
                synopsis.lines().next().unwrap().replace("\\fB", "").replace("\\fR", "").replace('\\', "");
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn nothing_of_the_help_is_lost() {
        let plain = |text: &str| -> String {
            text.replace("\\fB", "")
                .replace("\\fR", "")
                .replace("\\*(Aq", "'")
                .chars()
                .filter(|c| c.is_alphanumeric())
                .collect()
        };
        let command = Cli::command();
        let texts = texts();
        for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let page = &texts
                .iter()
                .find(|(name, _)| *name == format!("clvk-run-{}.1", command.get_name()))
                .unwrap()
                .1;
            let page = plain(page);
            let help = command.get_after_help().unwrap().to_string();
            let words = help.split("Build options").next().unwrap().split_whitespace();
            for word in words.filter(|word| !["Exit", "codes:", "Example:", "Examples:"].contains(word)) {
                assert!(
                    page.contains(&plain(word)),
                    "the page of `{}` does not have `{word}`",
                    command.get_name()
                );
            }
        }
    }
}
