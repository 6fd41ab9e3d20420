//! `aov verify`.

use std::io::{self, IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use agent_output_verifier::json::Buffers;
use agent_output_verifier::request::Detail;
use anyhow::Result;

use super::Status;
use super::args::{ColorChoice, DetailArg, Format, Verify};
use super::input::{Block, Blocks, Input, Wanted as WantedFiles, expand, lines};
use super::judge::{Against, Judge, Judged, Name, Wanted};
use super::output::{Output, Written};
use super::pool;
use super::render::{Renderer, Style, Totals};
use super::requirements::{Files, check_args, overrides};
use super::trouble::Trouble;

/// Runs the command.
pub(crate) fn run(args: &Verify, color: ColorChoice) -> Result<Status> {
    let requirements = &args.requirements;
    check_args(requirements, &args.outputs)?;
    let asked = requirements.requests
        || [&requirements.request, &requirements.schema, &requirements.rules]
            .into_iter()
            .chain([&requirements.bounds, &requirements.template])
            .any(Option::is_some);
    if !asked {
        let help = "Give one of --schema, --rules, --bounds, --template, --request or --requests.";
        return Err(Trouble::new("there is nothing to check against", help).into());
    }
    let inputs = inputs(args)?;
    let many = args.lines || inputs.len() > 1;
    if many && requirements.task_id.is_some() {
        let help = "Leave it out; each input then has its own name as its task id.";
        return Err(Trouble::new("--task-id is for one input", help).into());
    }

    let files = Files::read(requirements)?;
    let documents = files.parse()?;
    let whole_requests = requirements.requests || requirements.request.is_some();
    let compiled =
        if whole_requests { None } else { Some(documents.compile(overrides(requirements))?) };
    let judge = Judge {
        against: match &compiled {
            Some(compiled) => Against::Shared(compiled),
            None => Against::Requests(overrides(requirements)),
        },
        task_id: requirements.task_id.as_deref(),
        agent_id: requirements.agent_id.as_deref(),
        detail: args.detail.map(|detail| match detail {
            DetailArg::Full => Detail::Full,
            DetailArg::Compact => Detail::Compact,
        }),
        wanted: if args.quiet && args.format == Format::Human && args.output.is_none() {
            Wanted::Verdict
        } else {
            Wanted::Report
        },
    };
    let renderer = Renderer {
        format: args.format,
        many,
        quiet: args.quiet && args.output.is_none(),
        style: Style::new(color, args.output.is_none()),
    };
    let output = Output::open(args.output.as_deref())?;
    let jobs = match args.jobs {
        Some(jobs) => usize::from(jobs),
        // One document is one job.
        None if many => std::thread::available_parallelism().map_or(1, usize::from),
        None => 1,
    };
    let run = Run { judge: &judge, renderer, fail_fast: args.fail_fast };
    run.all(inputs, args.lines, jobs, output)
}

fn inputs(args: &Verify) -> Result<Vec<Input>> {
    if let Some(request) = &args.requirements.request {
        return Ok(vec![if request.as_os_str() == "-" {
            Input::Stdin
        } else {
            Input::File(request.clone())
        }]);
    }
    if !args.outputs.is_empty() {
        let wanted = if args.lines { WantedFiles::Lines } else { WantedFiles::Documents };
        return Ok(expand(&args.outputs, wanted));
    }
    let requirements = &args.requirements;
    let files = [&requirements.schema, &requirements.rules, &requirements.bounds];
    let mut files = files.into_iter().chain([&requirements.template]).flatten();
    if io::stdin().is_terminal() || files.any(|path| path.as_os_str() == "-") {
        let help = "Name files, a folder, or - for standard input.";
        return Err(Trouble::new("there is no output to check", help).into());
    }
    Ok(vec![Input::Stdin])
}

struct Run<'r> {
    judge: &'r Judge<'r>,
    renderer: Renderer,
    fail_fast: bool,
}

/// Work for one thread.
enum Job {
    Whole(Input),
    Lines { name: Arc<str>, block: Block },
    Fault { name: String, trouble: Trouble },
}

/// What became of a job.
#[derive(Default)]
struct Done {
    out: Vec<u8>,
    err: Vec<u8>,
    totals: Totals,
    worst: Option<Status>,
}

impl Run<'_> {
    fn all(&self, inputs: Vec<Input>, lines: bool, jobs: usize, output: Output) -> Result<Status> {
        let mut source = Source::new(inputs, lines);
        let mut sink =
            Sink { output, renderer: self.renderer, totals: Totals::default(), worst: None };
        let mut result = sink.put(self.renderer.begin().as_bytes());
        if result.is_ok() {
            pool::run(
                jobs,
                || source.next(),
                |job| self.work(job),
                |done| {
                    let stop = self.fail_fast && done.worst > Some(Status::Passed);
                    result = sink.take(done);
                    match &result {
                        Ok(Written::Done) if !stop => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                },
            );
        }
        let worst = sink.worst.unwrap_or(Status::Passed);
        if result? == Written::Closed {
            return Ok(worst);
        }
        if sink.totals.all() == 0 {
            let help = "Check the input; a run that checks nothing is never a success.";
            return Err(Trouble::new("no line with a value; nothing was checked", help).into());
        }
        let end = self.renderer.end(sink.totals);
        if sink.put(end.as_bytes())? == Written::Done {
            sink.output.finish()?;
        }
        Ok(worst)
    }

    fn work(&self, job: Job) -> Done {
        let mut done = Done::default();
        match job {
            Job::Whole(input) => {
                let name = input.name();
                let name = Name { input: &name, line: None };
                let mut show = |judged: Judged<'_>| self.show(name, &judged, &mut done);
                match input.read() {
                    Ok(bytes) => {
                        self.judge.judge(&bytes, name, Buffers::default(), &mut show);
                    }
                    Err(trouble) => self.judge.unreadable(name, trouble, &mut show),
                }
            }
            Job::Lines { name, block } => {
                let mut buffers = Buffers::default();
                for (number, line) in lines(&block) {
                    let name = Name { input: &name, line: Some(number) };
                    let mut show = |judged: Judged<'_>| self.show(name, &judged, &mut done);
                    buffers = self.judge.judge(line, name, buffers, &mut show);
                    if self.fail_fast && done.worst > Some(Status::Passed) {
                        break;
                    }
                }
            }
            Job::Fault { name, trouble } => {
                let name = Name { input: &name, line: None };
                let mut show = |judged: Judged<'_>| self.show(name, &judged, &mut done);
                self.judge.unreadable(name, trouble, &mut show);
            }
        }
        done
    }

    fn show(&self, name: Name<'_>, judged: &Judged<'_>, done: &mut Done) {
        let status = judged.status();
        if done.totals.all() > 0 {
            done.out.extend_from_slice(self.renderer.between().as_bytes());
        }
        done.totals.count(status);
        done.worst = done.worst.max(Some(status));
        self.renderer.item(name, judged, &mut done.out);
        if let Judged::Unusable { troubles, .. } = judged {
            for trouble in troubles {
                done.err.extend_from_slice(format!("{trouble}\n").as_bytes());
            }
        }
    }
}

/// Where jobs come from.
struct Source {
    inputs: std::vec::IntoIter<Input>,
    lines: bool,
    open: Option<(Arc<str>, Blocks)>,
}

impl Source {
    fn new(inputs: Vec<Input>, lines: bool) -> Source {
        Source { inputs: inputs.into_iter(), lines, open: None }
    }

    fn next(&mut self) -> Option<Job> {
        loop {
            if let Some((name, blocks)) = &mut self.open {
                match blocks.next() {
                    Ok(Some(block)) => {
                        return Some(Job::Lines { name: Arc::clone(name), block });
                    }
                    Ok(None) => self.open = None,
                    Err(error) => {
                        let trouble = Trouble::of_io("read", name, &error);
                        let name = name.to_string();
                        self.open = None;
                        return Some(Job::Fault { name, trouble });
                    }
                }
                continue;
            }
            let input = self.inputs.next()?;
            if !self.lines {
                return Some(Job::Whole(input));
            }
            match input.open() {
                Ok(source) => self.open = Some((input.name().into(), Blocks::new(source))),
                Err(trouble) => {
                    return Some(Job::Fault { name: input.name(), trouble });
                }
            }
        }
    }
}

/// Where results go, in order.
struct Sink {
    output: Output,
    renderer: Renderer,
    totals: Totals,
    worst: Option<Status>,
}

impl Sink {
    fn put(&mut self, bytes: &[u8]) -> Result<Written> {
        self.output.write(bytes)
    }

    fn take(&mut self, done: Done) -> Result<Written> {
        if !done.err.is_empty() {
            // Where standard error is gone there is nobody left to tell.
            let _ = io::stderr().write_all(&done.err);
        }
        let between = if self.totals.all() > 0 && done.totals.all() > 0 {
            self.renderer.between()
        } else {
            ""
        };
        self.totals.add(done.totals);
        self.worst = self.worst.max(done.worst);
        if self.put(between.as_bytes())? == Written::Closed {
            return Ok(Written::Closed);
        }
        self.put(&done.out)
    }
}
