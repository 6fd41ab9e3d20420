//! Where results go: standard output, or a file that is written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use agent_output_verifier::key::holds_secret_key;
use anyhow::Result;
use zeroize::Zeroizing;

use super::keys::MAX_KEY_FILE;
use super::trouble::{Trouble, path_name, shown};

/// The destination of results.
pub(crate) enum Output {
    /// Standard output; flushed with every write, since a reader may wait for the first result.
    Stdout(io::Stdout),
    /// A temporary file beside the final one, renamed into place at the end.
    Replace { file: BufWriter<tempfile::NamedTempFile>, path: PathBuf, disk: Disk },
    /// Something that is there and is no regular file, such as a pipe or a device.
    Special { file: File, path: PathBuf },
}

/// How a write ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    Done,
    /// The reader has gone; nothing more will be read.
    Closed,
}

impl Output {
    /// Opens the destination before any work is done.
    pub(crate) fn open(path: Option<&Path>) -> Result<Output> {
        let Some(path) = path else {
            return Ok(Output::Stdout(io::stdout()));
        };
        let name = path_name(path);
        let trouble = |error: &io::Error| Trouble::of_io("write", &name, error);
        let special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        if special {
            let file = open_special(path).map_err(|error| trouble(&error))?;
            return Ok(Output::Special { file, path: path.to_owned() });
        }
        refuse_key(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = temporary()
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(|error| trouble(&error))?;
        keep_mode(path, file.as_file()).map_err(|error| trouble(&error))?;
        let disk = Disk { replaces: path.exists(), written: 0, sent: 0 };
        Ok(Output::Replace { file: BufWriter::new(file), path: path.to_owned(), disk })
    }

    /// Writes bytes, and lets a waiting reader see them.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<Written> {
        if bytes.is_empty() {
            return Ok(Written::Done);
        }
        let result = match self {
            Output::Stdout(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Output::Replace { file, disk, .. } => {
                let written = file.write_all(bytes);
                disk.send(file.get_ref().as_file(), bytes.len() as u64);
                written
            }
            Output::Special { file, .. } => file.write_all(bytes),
        };
        match result {
            Ok(()) => Ok(Written::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Written::Closed),
            Err(error) => Err(Trouble::of_io("write", &self.name(), &error).into()),
        }
    }

    fn name(&self) -> String {
        match self {
            Output::Stdout(_) => "standard output".to_owned(),
            Output::Replace { path, .. } | Output::Special { path, .. } => path_name(path),
        }
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Result<()> {
        let name = self.name();
        let Output::Replace { file, path, .. } = self else {
            return Ok(());
        };
        let finished = file.into_inner().map_err(io::IntoInnerError::into_error);
        let finished = finished.and_then(|file| file.persist(path).map_err(|error| error.error));
        finished.map_err(|error| Trouble::of_io("write", &name, &error))?;
        Ok(())
    }
}

/// What of a file is on its way to the disk.
///
/// Before a file takes the place of another, some file systems (ext4 among them) send all of it to the
/// disk, so that no crash leaves an empty one. Left to the end, that would be a quarter of the time
/// of a run with a response a line.
pub(crate) struct Disk {
    /// Whether the file takes the place of another.
    replaces: bool,
    written: u64,
    sent: u64,
}

impl Disk {
    /// Bytes that are sent at once.
    const PIECE: u64 = 4 * 1024 * 1024;

    /// Takes note of bytes that were written, and has the system send what is worth it.
    fn send(&mut self, file: &File, bytes: u64) {
        self.written += bytes;
        let unsent = self.written - self.sent;
        if !self.replaces || unsent < Disk::PIECE {
            return;
        }
        // Nothing depends on it. What it is for by its name, dropping pages from memory, does not come to
        // pages on their way.
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(
            file,
            self.sent,
            std::num::NonZeroU64::new(unsent),
            rustix::fs::Advice::DontNeed,
        );
        #[cfg(not(target_os = "linux"))]
        let _ = file;
        self.sent = self.written;
    }
}

/// Opens a pipe or a device. A file that has come in its place meanwhile is left as it is: what is
/// written whole is written beside it.
fn open_special(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).open(path)?;
    if file.metadata()?.is_file() {
        return Err(io::Error::other("it was replaced while it was opened"));
    }
    Ok(file)
}

/// Refuses to replace a signing key, which nothing could bring back.
fn refuse_key(path: &Path) -> Result<(), Trouble> {
    // What cannot be read here is no key that this user signs with.
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_KEY_FILE as usize + 2));
    let read = file.take(MAX_KEY_FILE + 1).read_to_end(&mut text);
    if read.is_ok() && text.len() as u64 <= MAX_KEY_FILE && holds_secret_key(&text) {
        let message =
            format!("{} is a signing key and is not overwritten", shown(&path_name(path)));
        return Err(Trouble::new(message, "Name another file."));
    }
    Ok(())
}

/// Gives the new file who may access the one that it replaces. A link is replaced itself: what it
/// leads to has no say.
fn keep_mode(path: &Path, new: &File) -> io::Result<()> {
    #[cfg(unix)]
    if let Ok(metadata) = path.symlink_metadata()
        && metadata.is_file()
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        new.set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (path, new);
    Ok(())
}

/// Temporary files with the mode that a new file should have.
fn temporary() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The umask narrows it, as for any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_in_the_place_of_a_device_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "mine").unwrap();
        let error = open_special(&path).unwrap_err();
        assert_eq!(error.to_string(), "it was replaced while it was opened");
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        assert!(open_special(Path::new("/dev/null")).is_ok());
    }
}
