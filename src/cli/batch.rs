//! Runs over many inputs: what is read is handed to workers in whole texts or blocks of lines, and
//! results come out in the order of the inputs, with bounded memory however many there are.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agent_output_verifier::json::Buffers;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Status;
use super::args::BatchArgs;
use super::input::{Block, Blocks, Input, Wanted, expand, lines, nothing_in};
use super::output::{Output, Written};
use super::pool;
use super::render::{Ending, Frame, Rendered, Totals, Whole};
use super::trouble::Trouble;

/// The name of a text: an input, and the line in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) input: &'a str,
    pub(crate) line: Option<usize>,
}

impl Name<'_> {
    /// `NAME` or `NAME:LINE`
    pub(crate) fn full(self) -> String {
        match self.line {
            Some(line) => {
                let mut full = String::with_capacity(self.input.len() + 12);
                full.push_str(self.input);
                // Writing to a String cannot fail.
                let _ = write!(full, ":{line}");
                full
            }
            None => self.input.to_owned(),
        }
    }

    /// Lines before the text in its input.
    pub(crate) fn line_offset(self) -> usize {
        self.line.map_or(0, |line| line - 1)
    }
}

/// What a command does with each text.
pub(crate) trait Process: Sync {
    /// Takes a text. Gives the buffers back.
    fn text(&self, bytes: &[u8], name: Name<'_>, buffers: Buffers, done: &mut Done) -> Buffers;

    /// Takes a large file piece by piece, where that is enough to judge it; false where it has to be
    /// taken whole.
    fn in_passing(&self, _file: File, _name: Name<'_>, _done: &mut Done) -> bool {
        false
    }

    /// Takes an input that could not be read.
    fn unreadable(&self, name: Name<'_>, trouble: Trouble, done: &mut Done);

    /// Makes what was put off until there was more of it: the signatures of what is in `done`. Called
    /// before `done` is shown.
    fn settle(&self, _done: &mut Done) {}

    /// What is around the items.
    fn frame(&self) -> &Frame;
}

/// What became of a job.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) out: Rendered,
    err: Vec<u8>,
    totals: Totals,
    worst: Option<Status>,
    /// Bytes of lines that were worked through.
    bytes: u64,
}

impl Done {
    /// Adds an item: its status, and what is shown of it by `write`.
    pub(crate) fn item(
        &mut self,
        status: Status,
        between: &str,
        write: impl FnOnce(&mut Rendered),
    ) {
        if self.totals.all() > 0 {
            self.out.bytes.extend_from_slice(between.as_bytes());
        }
        self.totals.count(status);
        self.worst = self.worst.max(Some(status));
        write(&mut self.out);
    }

    /// Tells of trouble on standard error.
    pub(crate) fn tell(&mut self, troubles: &[Trouble]) {
        for trouble in troubles {
            self.err.extend_from_slice(format!("{trouble}\n").as_bytes());
        }
    }

    fn is_clean(&self) -> bool {
        self.worst <= Some(Status::Passed)
    }
}

/// The inputs that arguments name; standard input where they name none, unless it is a terminal or
/// `taken` by something else.
pub(crate) fn inputs(
    arguments: &[PathBuf],
    lines: bool,
    taken: bool,
    what: &str,
) -> Result<Vec<Input>> {
    if !arguments.is_empty() {
        return Ok(expand(arguments, if lines { Wanted::Lines } else { Wanted::Documents }));
    }
    if taken || io::stdin().is_terminal() {
        let help = "Name files, a folder, or - for standard input.";
        return Err(Trouble::new(format!("there is no {what} to check"), help).into());
    }
    Ok(vec![Input::Stdin])
}

/// Set by an interrupt (SIGINT, SIGTERM): the run ends with what was judged so far reported.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How a run is done.
pub(crate) struct Run<'r> {
    pub(crate) process: &'r dyn Process,
    pub(crate) args: &'r BatchArgs,
    /// Whether inputs are lines of texts.
    pub(crate) lines: bool,
    /// Bytes that the last block of lines came to, as the next one will.
    usual: AtomicUsize,
}

/// Work for one thread.
enum Job {
    Whole(Input),
    Lines { name: Arc<str>, block: Block },
    Fault { name: String, trouble: Trouble },
}

impl<'r> Run<'r> {
    pub(crate) fn new(process: &'r dyn Process, args: &'r BatchArgs, lines: bool) -> Run<'r> {
        Run { process, args, lines, usual: AtomicUsize::new(0) }
    }

    /// Runs over all inputs and gives the worst status.
    pub(crate) fn all(&self, inputs: Vec<Input>, output: Output) -> Result<Status> {
        let frame = self.process.frame();
        let many = frame.many;
        let workers = match self.args.jobs {
            // One document is one job, which needs no other thread.
            _ if !many => 0,
            Some(jobs) => usize::from(jobs),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        if many {
            // Where no handler can be had, an interrupt ends the process as it always does.
            let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        }
        let progress = Progress { bar: self.bar(many, &inputs), lines: self.lines };
        let mut source = Source::new(inputs, self.lines);
        let mut sink = Sink {
            output,
            frame,
            whole: Whole::of(frame.format),
            totals: Totals::default(),
            worst: None,
        };
        let mut result = sink.put(frame.begin().as_bytes());
        if result.is_ok() {
            pool::run(
                workers,
                move || source.next(),
                |job| self.work(job),
                |done| {
                    let stop = self.args.fail_fast && !done.is_clean();
                    let bytes = done.bytes;
                    result = progress.bar.suspend(|| sink.take(done));
                    progress.advance(bytes, sink.totals.all());
                    match &result {
                        Ok(Written::Done) if !stop => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                },
                &INTERRUPTED,
            );
        }
        progress.bar.finish_and_clear();
        let mut worst = sink.worst.unwrap_or(Status::Passed);
        if result? == Written::Closed {
            return Ok(worst);
        }
        let interrupted = INTERRUPTED.load(Ordering::Relaxed);
        if interrupted {
            // What was not reached is not passed.
            worst = worst.max(Status::Undecided);
            eprintln!("interrupted: {} judged, the rest not", sink.totals.all());
        }
        if sink.end(interrupted)? == Written::Done {
            sink.output.finish()?;
        }
        Ok(worst)
    }

    /// A bar on standard error, where that is a terminal and there is something to wait for.
    fn bar(&self, many: bool, inputs: &[Input]) -> ProgressBar {
        // Results on the same terminal are progress enough.
        let results_shown = self.args.report.is_none() && io::stdout().is_terminal();
        if !many || self.args.quiet || results_shown || !io::stderr().is_terminal() {
            return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        }
        let (length, template) = if self.lines {
            match inputs.iter().map(Input::size).sum::<Option<u64>>() {
                Some(bytes) => (Some(bytes), "{bar:30} {msg} ({binary_bytes_per_sec}, {eta} left)"),
                None => (None, "{spinner} {msg} ({binary_bytes_per_sec})"),
            }
        } else {
            (Some(inputs.len() as u64), "{bar:30} {pos} of {len} ({per_sec}, {eta} left)")
        };
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| {
            // The templates above are right; a bare bar would do.
            ProgressStyle::default_bar()
        }))
    }

    fn work(&self, job: Job) -> Done {
        let mut done = Done::default();
        self.work_through(job, &mut done);
        self.process.settle(&mut done);
        done
    }

    fn work_through(&self, job: Job, done: &mut Done) {
        match job {
            Job::Whole(input) => {
                let name = input.name();
                let name = Name { input: &name, line: None };
                if let Some(file) = input.open_large()
                    && self.process.in_passing(file, name, done)
                {
                    return;
                }
                match input.read() {
                    Ok(bytes) => {
                        self.process.text(&bytes, name, Buffers::default(), done);
                    }
                    Err(trouble) => self.process.unreadable(name, trouble, done),
                }
            }
            Job::Lines { name, block } => {
                done.bytes = block.bytes.len() as u64;
                done.out.bytes.reserve(self.usual.load(Ordering::Relaxed));
                let mut buffers = Buffers::default();
                for (number, line) in lines(&block) {
                    let name = Name { input: &name, line: Some(number) };
                    buffers = self.process.text(line, name, buffers, done);
                    if self.args.fail_fast && !done.is_clean() {
                        break;
                    }
                }
                self.usual.store(done.out.bytes.len(), Ordering::Relaxed);
            }
            Job::Fault { name, trouble } => {
                let name = Name { input: &name, line: None };
                self.process.unreadable(name, trouble, done);
            }
        }
    }
}

/// How far a run is: by bytes where inputs are lines, since nobody knows how many those are.
struct Progress {
    bar: ProgressBar,
    lines: bool,
}

impl Progress {
    /// Adds the bytes of a job; `items` are all that are judged so far.
    fn advance(&self, bytes: u64, items: u64) {
        if self.bar.is_hidden() {
            return;
        }
        if self.lines {
            self.bar.set_message(format!("{items} checked"));
            self.bar.inc(bytes);
        } else {
            self.bar.set_position(items);
        }
    }
}

/// Where jobs come from.
struct Source {
    inputs: std::vec::IntoIter<Input>,
    lines: bool,
    open: Option<Open>,
}

/// The input whose lines are being read.
struct Open {
    name: Arc<str>,
    blocks: Blocks,
    /// Whether no line so far has held a value.
    empty: bool,
}

impl Source {
    fn new(inputs: Vec<Input>, lines: bool) -> Source {
        Source { inputs: inputs.into_iter(), lines, open: None }
    }

    fn next(&mut self) -> Option<Job> {
        loop {
            if let Some(open) = &mut self.open {
                match open.next() {
                    Some(job) => return Some(job),
                    None => self.open = None,
                }
            }
            let input = self.inputs.next()?;
            if !self.lines {
                return Some(Job::Whole(input));
            }
            match input.open() {
                Ok(source) => {
                    let blocks = Blocks::new(source);
                    self.open = Some(Open { name: input.name().into(), blocks, empty: true });
                }
                Err(trouble) => return Some(Job::Fault { name: input.name(), trouble }),
            }
        }
    }
}

impl Open {
    fn next(&mut self) -> Option<Job> {
        let trouble = match self.blocks.next() {
            Ok(Some(block)) => {
                self.empty = self.empty && lines(&block).next().is_none();
                return Some(Job::Lines { name: Arc::clone(&self.name), block });
            }
            // What had no value is told once; after it the input is at its end.
            Ok(None) if std::mem::take(&mut self.empty) => nothing_in(&self.name),
            Ok(None) => return None,
            Err(error) => Trouble::of_io("read", &self.name, &error),
        };
        Some(Job::Fault { name: self.name.to_string(), trouble })
    }
}

/// Where results go, in order.
struct Sink<'r> {
    output: Output,
    frame: &'r Frame,
    /// What a format that needs the whole run keeps of it.
    whole: Option<Whole>,
    totals: Totals,
    worst: Option<Status>,
}

impl Sink<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<Written> {
        self.output.write(bytes)
    }

    fn take(&mut self, done: Done) -> Result<Written> {
        let several = self.totals.all() > 0 && done.totals.all() > 0;
        let between = if several { self.frame.between() } else { "" };
        self.totals.add(done.totals);
        self.worst = self.worst.max(done.worst);
        if !done.err.is_empty() {
            // Where standard error is gone there is nobody left to tell.
            let _ = io::stderr().write_all(&self.frame.told(done.err));
        }
        if let Some(whole) = &mut self.whole {
            whole.take(done.out.pieces, done.out.tally)?;
        }
        if self.put(between.as_bytes())? == Written::Closed {
            return Ok(Written::Closed);
        }
        self.put(&done.out.bytes)
    }

    /// Writes what comes behind the last item, or all of it for a format that needs the whole.
    fn end(&mut self, interrupted: bool) -> Result<Written> {
        let Some(whole) = self.whole.take() else {
            return self.put(self.frame.end(self.totals).as_bytes());
        };
        let Frame { command, words, .. } = *self.frame;
        let ending = Ending::new(command, words, self.totals, interrupted);
        whole.finish(ending, &mut |bytes| self.output.write(bytes))
    }
}
