//! Writes man pages and shell completions of `damcast` and the schema of its configuration, for the package.
//!
//!     cargo run --example pages -- FOLDER
//!
//! As an example it is not part of the program. Its source is the declarations of `damcast help`.

#[path = "../src/main.rs"]
#[allow(dead_code, reason = "the verbs are described here, not run")]
mod program;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

fn main() -> anyhow::Result<()> {
    let folder =
        std::env::args_os().nth(1).map(PathBuf::from).context("which folder? cargo run --example pages -- FOLDER")?;
    let mut program = program::Arguments::command();
    program.build();
    let man = folder.join("man");
    fs::create_dir_all(&man).with_context(|| man.display().to_string())?;
    write_page(&man, &program, "damcast")?;
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut program::Arguments::command(), "damcast", &completions)?;
    }
    let schema = format!("{:#}\n", damcast::station::config::schema::schema());
    fs::write(folder.join("damcast.schema.json"), schema)?;
    Ok(())
}

/// Writes the page of a verb, and those of the verbs under it.
fn write_page(folder: &Path, command: &clap::Command, name: &str) -> anyhow::Result<()> {
    let words = name.replace('-', " ").replace("test board", "test-board");
    let named = command.clone().display_name(name).bin_name(words);
    let remarks = command.get_after_help().map(ToString::to_string);
    let (mut page, man) = (Vec::new(), clap_mangen::Man::new(named));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(remarks) = remarks {
        // Keep the lines: examples are in columns.
        writeln!(page, ".SH REMARKS\n.nf\n{}\n.fi", literal_text(&remarks))?;
    }
    fs::write(folder.join(format!("{name}.1")), page)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        write_page(folder, verb, &format!("{name}-{}", verb.get_name()))?;
    }
    Ok(())
}

/// Formats a text for a man page, line by line.
fn literal_text(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
