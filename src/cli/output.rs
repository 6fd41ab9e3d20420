//! Where results go: standard output, or a file that is written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::trouble::{Trouble, path_name};

/// The destination of results.
pub(crate) enum Output {
    /// Standard output; flushed with every write, since a reader may wait for the first result.
    Stdout(io::Stdout),
    /// A temporary file beside the final one, renamed into place at the end.
    Replace { file: BufWriter<tempfile::NamedTempFile>, path: PathBuf },
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
            let file = File::options().write(true).open(path).map_err(|error| trouble(&error))?;
            return Ok(Output::Special { file, path: path.to_owned() });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = temporary()
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(|error| trouble(&error))?;
        Ok(Output::Replace { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Writes bytes, and lets a waiting reader see them.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<Written> {
        if bytes.is_empty() {
            return Ok(Written::Done);
        }
        let result = match self {
            Output::Stdout(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Output::Replace { file, .. } => file.write_all(bytes),
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
        let Output::Replace { file, path } = self else {
            return Ok(());
        };
        let finished = file.into_inner().map_err(io::IntoInnerError::into_error);
        let finished = finished.and_then(|file| file.persist(path).map_err(|error| error.error));
        finished.map_err(|error| Trouble::of_io("write", &name, &error))?;
        Ok(())
    }
}

/// Temporary files with the mode that the final file should have.
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
