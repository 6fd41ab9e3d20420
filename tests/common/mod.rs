//! The real binary, folders for it to work in, and the vectors.

#![allow(dead_code, unreachable_pub, missing_docs)]

use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A run of the binary in the making.
#[must_use]
pub struct Aov {
    command: Command,
    input: Option<Vec<u8>>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Aov {
    /// With arguments, in the repository's folder, with nothing of the caller's environment that
    /// changes its output.
    pub fn new(args: &[&str]) -> Aov {
        // Without the command line, tests of the library alone are built and run.
        let Some(binary) = option_env!("CARGO_BIN_EXE_aov") else { panic!("built without `cli`") };
        let mut command = Command::new(binary);
        command.args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "SOURCE_DATE_EPOCH"] {
            command.env_remove(name);
        }
        Aov { command, input: None }
    }

    /// In another folder.
    pub fn within(mut self, folder: &Path) -> Aov {
        self.command.current_dir(folder);
        self
    }

    /// With an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Aov {
        self.command.env(name, value);
        self
    }

    /// With text on standard input.
    pub fn input(mut self, text: impl AsRef<[u8]>) -> Aov {
        self.input = Some(text.as_ref().to_owned());
        self
    }

    /// Runs it to its end without input, both streams into one as a terminal has it: the status,
    /// and what was printed.
    pub fn run_as_in_a_terminal(mut self) -> (i32, String) {
        assert!(self.input.is_none(), "no input is given here");
        let mut screen = tempfile::tempfile().unwrap();
        // Both handles share the file's place, so each write goes to its end.
        let streams = [screen.try_clone().unwrap(), screen.try_clone().unwrap()];
        let [stdout, stderr] = streams.map(Stdio::from);
        self.command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        let status = self.command.status().unwrap();
        screen.rewind().unwrap();
        let mut printed = String::new();
        screen.read_to_string(&mut printed).unwrap();
        (status.code().expect("ended by a signal"), printed)
    }

    /// Starts it with pipes at all three ends, for tests that talk to it while it runs.
    pub fn start(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.spawn().unwrap()
    }

    /// The command itself, for tests that redirect what this does not.
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Run {
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let writer = self.input.map(|input| {
            let mut stdin = child.stdin.take().unwrap();
            // A run that ends without reading closes the pipe; that is not this test's business.
            std::thread::spawn(move || drop(stdin.write_all(&input)))
        });
        let output = child.wait_with_output().unwrap();
        if let Some(writer) = writer {
            writer.join().unwrap();
        }
        Run {
            status: output.status.code().expect("ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Status 0, exactly this on standard output, nothing on standard error.
    #[track_caller]
    pub fn succeeds_with(&self, stdout: &str) {
        self.is(0, stdout, "");
    }

    /// Status, standard output and standard error as a whole.
    #[track_caller]
    pub fn is(&self, status: i32, stdout: &str, stderr: &str) {
        assert_eq!(self.stdout, stdout, "standard error: {}", self.stderr);
        assert_eq!(self.stderr, stderr);
        assert_eq!(self.status, status);
    }
}

impl Run {
    /// With every verification id and time replaced by `ID` and `TIME`: all that differs between
    /// two runs over the same input.
    pub fn normalised(mut self) -> Run {
        let id = r#"("verification_id": ?)"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}""#;
        let time = r#"("verified_at": ?)"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00""#;
        for (pattern, replacement) in [(id, "$1\"ID\""), (time, "$1\"TIME\"")] {
            let pattern = regex::Regex::new(pattern).unwrap();
            self.stdout = pattern.replace_all(&self.stdout, replacement).into_owned();
        }
        self
    }
}

/// A temporary folder with files.
pub struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    /// With a file, and the folders that lead to it.
    pub fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Sandbox {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    /// With a file that only its owner can read, where there are such bits.
    pub fn with_private(self, name: &str, bytes: impl AsRef<[u8]>) -> Sandbox {
        let sandbox = self.with(name, bytes);
        sandbox.set_mode(name, 0o600);
        sandbox
    }

    /// Changes who may access a file, where there are such bits.
    pub fn set_mode(&self, name: &str, mode: u32) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(self.path(name), permissions).unwrap();
        }
        #[cfg(not(unix))]
        let _ = (name, mode);
    }

    /// With an empty folder.
    pub fn with_folder(self, name: &str) -> Sandbox {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    /// The full path of a name in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The text of a file in it.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of what it holds, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A run of the binary in it.
    pub fn aov(&self, args: &[&str]) -> Aov {
        Aov::new(args).within(self.0.path())
    }
}

/// The tree of a page that is XML too, so that a strict parser takes it. What HTML does not close
/// by itself must not lean on XML's short form.
#[track_caller]
pub fn html(page: &str) -> roxmltree::Document<'_> {
    let short = regex::Regex::new("<([a-z]+)[^<>]*/>").unwrap();
    for found in short.captures_iter(page) {
        let void = ["meta", "input", "wbr", "rect"];
        assert!(void.contains(&&found[1]), "{}", &found[0]);
    }
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).unwrap()
}

/// A file below `tests/vectors/`.
pub fn vector(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
