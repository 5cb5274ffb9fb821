//! Completion in real shells: each loads the script that `tools/install` installs, and is asked what can
//! follow.
//!
//! A shell that is not installed is not tested, which is said by name, and recorded in the file that
//! `CLVK_TESTS_NOT_APPLICABLE` names, as tests do that do not apply to a device.

use crate::harness::Folder;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Asks bash as readline does: the words are divided at `COMP_WORDBREAKS`, and the function that is
/// registered for the program is called. Arguments: script, line, and the words as bash divides them.
const BASH: &str = r#"
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function=$(complete -p clvk-run | sed 's/.*-F \([^ ]*\).*/\1/')
last=${COMP_WORDS[COMP_CWORD]}
# A lone separator is a word to divide, and not what is replaced.
[[ $last == [:=] ]] && last=
"$function" "$1" "$last" ""
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Asks zsh on a terminal of its own, where the line and a tab are typed; the script is among its functions.
/// Prints what the terminal shows then, and the line as the tab left it. Arguments: folder of the script,
/// line.
const ZSH: &str = r#"
zmodload zsh/zpty
export FOLDER=$1 ZDOTDIR=$PWD
print -r 'PS1=ready; LISTMAX=1000; COLUMNS=200; setopt no_beep no_prompt_sp; unset zle_bracketed_paste
fpath=($FOLDER $fpath); autoload -Uz compinit; compinit -u -D
leave() { print -r -- "line:$BUFFER<"; exit }; zle -N leave; bindkey "^X" leave' >.zshrc
zpty shell zsh -d -i
# Zsh forgets keys that come before it waits for them.
zpty -r shell shown '*ready*'
zpty -w -n shell "$2"$'\t'$'\C-x'
zpty -r shell shown '*line:*<*'
print -r -- "$shown"
"#;

/// Asks fish by its own command for that. Arguments: script, line.
const FISH: &str = r#"
source $argv[1]
complete --do-complete $argv[2]
"#;

/// Whether a shell is there; if not, says so.
fn has(shell: &str) -> bool {
    let there = Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        let reason = format!("{shell} is not installed");
        eprintln!("NOT TESTED: completion in {shell}: {reason}");
        if let Some(record) = std::env::var_os("CLVK_TESTS_NOT_APPLICABLE") {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(record).unwrap();
            // A single write, so that lines of concurrent tests stay whole.
            file.write_all(format!("this machine\tcompletion in {shell}\t{reason}\n").as_bytes()).unwrap();
        }
    }
    there
}

/// A folder with the scripts and a few files, and the folders where shells find the program.
fn folder(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    folder.good(&["manual", "."]);
    folder.write("two words.cl", "");
    folder.write("input.npy", "");
    std::fs::create_dir(folder.path("sources")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_clvk-run")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    (folder, path)
}

fn ask(folder: &Folder, path: &str, shell: &str, options: &[&str], arguments: &[&str]) -> String {
    // A shell that waits for what never comes is ended.
    let mut command = Command::new("timeout");
    command.args(["30", shell]).args(options).args(arguments).current_dir(folder.path("")).env("PATH", path);
    command.env("TERM", "xterm").env("HOME", folder.path(""));
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn bash_completes() {
    if !has("bash") {
        return;
    }
    let (folder, path) = folder("bash");
    let complete = |line: &str, words: &[&str]| -> Vec<String> {
        let arguments = [&["bash", "completions/clvk-run.bash", line][..], words].concat();
        let shown = ask(&folder, &path, "bash", &["--norc", "-c", BASH], &arguments);
        shown.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(complete("clvk-run dev", &["clvk-run", "dev"]), ["devices"]);
    assert_eq!(complete("clvk-run man", &["clvk-run", "man"]), Vec::<String>::new());
    assert_eq!(complete("clvk-run run sa", &["clvk-run", "run", "sa"]), ["saxpy.cl"]);
    assert_eq!(complete("clvk-run run --robu", &["clvk-run", "run", "--robu"]), ["--robust"]);
    assert_eq!(complete("clvk-run run tw", &["clvk-run", "run", "tw"]), [r"two\ words.cl"]);
    assert_eq!(complete("clvk-run run sou", &["clvk-run", "run", "sou"]), ["sources/"]);
    let profiles = complete("clvk-run check --profile ad", &["clvk-run", "check", "--profile", "ad"]);
    assert!(profiles.contains(&"adreno-740".to_owned()), "{profiles:?}");
    // Only what stands after the separator is replaced.
    let words = ["clvk-run", "check", "--profile", "=", "swi"];
    assert_eq!(complete("clvk-run check --profile=swi", &words), ["swiftshader"]);
    let words = ["clvk-run", "run", "saxpy.cl", "--", "in", ":", "inp"];
    assert_eq!(complete("clvk-run run saxpy.cl -- in:inp", &words), ["input.npy"]);
    let words = ["clvk-run", "run", "saxpy.cl", "--", "in", ":"];
    assert!(complete("clvk-run run saxpy.cl -- in:", &words).contains(&"input.npy".to_owned()));
    let devices = complete("clvk-run run --device ", &["clvk-run", "run", "--device", ""]);
    assert_eq!(devices.first().map(String::as_str), Some("0"), "{devices:?}");
}

#[test]
fn zsh_completes() {
    if !has("zsh") {
        return;
    }
    let (folder, path) = folder("zsh");
    let complete = |line: &str| {
        let scripts = folder.path("completions");
        ask(&folder, &path, "zsh", &["-f", "-c", ZSH], &["zsh", scripts.to_str().unwrap(), line])
    };
    let becomes = |line: &str, expected: &str| {
        let shown = complete(line);
        assert!(shown.contains(&format!("line:{expected}<")), "`{line}` is not `{expected}` then: {shown}");
    };
    becomes("clvk-run dev", "clvk-run devices ");
    becomes("clvk-run man", "clvk-run man");
    becomes("clvk-run run sa", "clvk-run run saxpy.cl ");
    becomes("clvk-run run tw", r"clvk-run run two\ words.cl ");
    becomes("clvk-run run sou", "clvk-run run sources/");
    becomes("clvk-run check --profile=swi", "clvk-run check --profile=swiftshader ");
    becomes("clvk-run run saxpy.cl -- in:inp", "clvk-run run saxpy.cl -- in:input.npy ");
    becomes("clvk-run run saxpy.cl -- inou", "clvk-run run saxpy.cl -- inout:");
    let shown = complete("clvk-run ");
    for text in ["compile", "List the Vulkan devices", "check"] {
        assert!(shown.contains(text), "`{text}` is not shown: {shown}");
    }
    assert!(!shown.contains("manual") && !shown.contains("--message-format"), "{shown}");
}

#[test]
fn fish_completes() {
    if !has("fish") {
        return;
    }
    let (folder, path) = folder("fish");
    let complete = |line: &str| -> Vec<String> {
        let script = folder.path("completions/clvk-run.fish");
        let arguments = [script.to_str().unwrap(), line];
        let shown = ask(&folder, &path, "fish", &["--no-config", "-c", FISH], &arguments);
        shown.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(complete("clvk-run dev"), ["devices"]);
    assert_eq!(complete("clvk-run man"), Vec::<String>::new());
    assert_eq!(complete("clvk-run run sa"), ["saxpy.cl"]);
    assert_eq!(complete("clvk-run run tw"), ["two words.cl"]);
    assert_eq!(complete(r"clvk-run run two\ w"), ["two words.cl"]);
    assert_eq!(complete("clvk-run run sou"), ["sources/"]);
    assert_eq!(complete("clvk-run check --profile=swi"), ["--profile=swiftshader"]);
    assert_eq!(complete("clvk-run check --profile lavapipe-22.3,swi"), ["lavapipe-22.3,swiftshader"]);
    assert_eq!(complete("clvk-run run saxpy.cl -- in:inp"), ["in:input.npy"]);
    assert!(complete("clvk-run ").contains(&"compile".to_owned()));
    let devices = complete("clvk-run run --device ");
    assert_eq!(devices.first().map(String::as_str), Some("0"), "{devices:?}");
}
