//! Requirements from files: reading, parsing, compiling, with faults named by file and line.

use std::path::PathBuf;

use agent_output_verifier::json::Document;
use agent_output_verifier::request::{
    InvalidRequest, Overrides, Requirements, RuleSet, Supplied, check_id, read_template,
};
use anyhow::Result;

use super::args::RequirementArgs;
use super::input::{Input, claim_stdin, read_file};
use super::trouble::{Trouble, Troubles, of_invalid_request};

/// The files that requirements are read from.
#[derive(Default)]
pub(crate) struct Files {
    schema: Option<Source>,
    rules: Option<Source>,
    bounds: Option<Source>,
    template: Option<Source>,
}

struct Source {
    name: String,
    bytes: Vec<u8>,
}

impl Source {
    fn read(path: Option<&PathBuf>) -> Result<Option<Source>, Trouble> {
        path.map(|path| Ok(Source { name: Input::of_path(path).name(), bytes: read_file(path)? }))
            .transpose()
    }

    fn parse(&self) -> Result<Document<'_>, Trouble> {
        Document::parse(&self.bytes).map_err(|error| Trouble::of_read_error(&self.name, &error))
    }
}

/// Checks what clap cannot: ids, and standard input named once.
pub(crate) fn check_args(args: &RequirementArgs, outputs: &[PathBuf]) -> Result<()> {
    claim_stdin(args.files().chain(outputs).map(PathBuf::as_path))?;
    for (option, id) in [("--task-id", &args.task_id), ("--agent-id", &args.agent_id)] {
        if let Some(id) = id
            && let Err(problem) = check_id(id)
        {
            let help = "Give 1 to 200 characters.";
            return Err(Trouble::new(format!("{option} {problem}"), help).into());
        }
    }
    Ok(())
}

/// The options that replace what requests and files say.
pub(crate) fn overrides(args: &RequirementArgs) -> Overrides {
    Overrides { enforce_rules: args.enforcement(), strict_content_check: args.strict }
}

impl Files {
    /// Reads all files that the arguments name.
    pub(crate) fn read(args: &RequirementArgs) -> Result<Files> {
        Ok(Files {
            schema: Source::read(args.schema.as_ref())?,
            rules: Source::read(args.rules.as_ref())?,
            bounds: Source::read(args.bounds.as_ref())?,
            template: Source::read(args.template.as_ref())?,
        })
    }

    /// Parses them.
    pub(crate) fn parse(&self) -> Result<Documents<'_>> {
        let mut troubles = Vec::new();
        let [schema, rules, bounds, template] =
            [&self.schema, &self.rules, &self.bounds, &self.template].map(|source| {
                let parsed = source.as_ref().map(Source::parse).transpose();
                parsed.unwrap_or_else(|trouble| {
                    troubles.push(trouble);
                    None
                })
            });
        let documents = Documents { files: self, schema, rules, bounds, template };
        if troubles.is_empty() { Ok(documents) } else { Err(Troubles(troubles).into()) }
    }
}

/// The parsed files.
pub(crate) struct Documents<'f> {
    files: &'f Files,
    schema: Option<Document<'f>>,
    rules: Option<Document<'f>>,
    bounds: Option<Document<'f>>,
    template: Option<Document<'f>>,
}

impl Documents<'_> {
    /// Compiles the requirements.
    pub(crate) fn compile(&self, overrides: Overrides) -> Result<Requirements<'_>> {
        self.check_bounds_once()?;
        let supplied = self.supplied().map_err(|error| self.troubles(&error))?;
        let supplied = overrides.apply(supplied);
        Ok(Requirements::compile(supplied).map_err(|error| self.troubles(&error))?)
    }

    fn supplied(&self) -> Result<Supplied<'_>, InvalidRequest> {
        if let Some(template) = &self.template {
            return read_template(template.root());
        }
        let set = match &self.rules {
            Some(rules) => RuleSet::read(rules.root())?,
            None => RuleSet::default(),
        };
        let bounds = self.bounds.as_ref().map(Document::root);
        let given = set.rules.is_some() || set.bounds.is_some() || bounds.is_some();
        Ok(Supplied {
            schema: self.schema.as_ref().map(Document::root),
            rules: set.rules,
            bounds: bounds.or(set.bounds),
            enforce_rules: set.enforce_rules.unwrap_or(given),
            strict_content_check: false,
        })
    }

    /// Refuses bounds both in the rules file and in a file of their own.
    fn check_bounds_once(&self) -> Result<()> {
        let in_rules = self.rules.as_ref().and_then(|rules| rules.root().get("bounds"));
        if in_rules.is_some() && self.bounds.is_some() {
            let help = "Remove the bounds from one of the two files.";
            return Err(Trouble::new("--rules and --bounds both give bounds", help).into());
        }
        Ok(())
    }

    fn troubles(&self, error: &InvalidRequest) -> Troubles {
        let pairs = [
            (&self.files.template, &self.template),
            (&self.files.schema, &self.schema),
            (&self.files.rules, &self.rules),
            (&self.files.bounds, &self.bounds),
        ];
        let named: Vec<(&str, &Document<'_>)> = pairs
            .into_iter()
            .filter_map(|(file, document)| Some((file.as_ref()?.name.as_str(), document.as_ref()?)))
            .collect();
        Troubles(of_invalid_request(error, &named, None))
    }
}
