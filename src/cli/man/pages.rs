//! What man pages say beyond the definition of the command line: a page for each command.
//!
//! What stands between backquotes is set in bold. A test holds every example against the
//! definition.

/// A term, and what there is to say of it.
pub(super) type Entry = (&'static str, &'static str);

/// The parts of a page that the definition does not hold.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Page {
    /// Paragraphs
    pub(super) description: &'static [&'static str],
    pub(super) statuses: &'static [Entry],
    pub(super) environment: &'static [Entry],
    pub(super) files: &'static [Entry],
    /// Commands, and what they do
    pub(super) examples: &'static [Entry],
}

/// The page of a command; `aov` is that of the whole.
pub(super) fn page(name: &str) -> Option<Page> {
    Some(match name {
        "aov" => AOV,
        "verify" => VERIFY,
        "hash" => HASH,
        "attest" => ATTEST,
        "check-receipt" => CHECK_RECEIPT,
        "keygen" => KEYGEN,
        "agent-card" => AGENT_CARD,
        "template" => TEMPLATE,
        "completions" => COMPLETIONS,
        "man" => MAN,
        #[cfg(feature = "serve")]
        "serve" => SERVE,
        _ => return None,
    })
}

const NO_COLOR: Entry =
    ("NO_COLOR", "If set and not empty, nothing is coloured, unless `--color always` says so.");
const CLICOLOR_FORCE: Entry = (
    "CLICOLOR_FORCE",
    "If set, not empty and not 0, reports are coloured also where they do not go to a terminal. \
     `NO_COLOR` wins over it.",
);
const TERM: Entry = ("TERM", "If it is `dumb`, nothing is coloured by default.");
const SOURCE_DATE_EPOCH: Entry = (
    "SOURCE_DATE_EPOCH",
    "The time that receipts bear, in seconds since 1970, where `--timestamp` is not given. It \
     makes a run reproducible.",
);
const KEY_VARIABLE: Entry = (
    "any name",
    "With `--key env:NAME` the variable `NAME` holds the content of the key file, as continuous \
     integration keeps secrets.",
);
const KEY_FILE: Entry = (
    "aov-signing-key.json",
    "The key file that `aov keygen` writes unless it is told another name. It holds a secret: only \
     its owner may read it, and it has no place in a repository.",
);
/// What settles the colour of reports, and of what is said of wrong options.
const COLOURS: &[Entry] = &[NO_COLOR, CLICOLOR_FORCE, TERM];

const DONE: Entry = ("0", "It was done.");

const AOV: Page = Page {
    description: &[
        "`aov` checks the JSON that an AI agent delivers against what its buyer asked for: a JSON \
         Schema, bounds, rules between fields, and the state of the text itself. It says pass or \
         fail, and for each failed check the place, what was expected, what was found and a way to \
         mend it.",
        "The seller can sign that as a receipt (`aov attest`), and the buyer can check the receipt \
         before paying (`aov check-receipt`). All of it runs on your own machine and comes to the \
         same verdict for the same input. Nothing touches the network unless you ask for an \
         issuer's key to be fetched.",
        "Results go to standard output, everything else to standard error. The name `-` is \
         standard input, once at most. Patterns that a shell left alone are expanded.",
        "The exit status is that of the worst input, in the order 2, 1, 3, 0. Only 0 is a pass.",
    ],
    statuses: &[
        ("0", "Passed or valid."),
        ("1", "Failed or invalid."),
        ("2", "A usage error, or input that cannot be read. It says nothing of the input itself."),
        ("3", "It could not be decided."),
    ],
    environment: &[NO_COLOR, CLICOLOR_FORCE, TERM, SOURCE_DATE_EPOCH],
    files: &[KEY_FILE],
    examples: &[
        (
            "aov verify -s schema.json -r rules.json output.json",
            "Check an output against a schema and rules:",
        ),
        (
            "aov attest --key aov-signing-key.json -t template.json \\\n    -o receipt.json output.json",
            "Check it against a template, and sign what was found:",
        ),
        (
            "aov check-receipt --issuer issuer.example --fetch receipt.json",
            "Check a receipt of an issuer whom you accept:",
        ),
    ],
};

const VERIFY: Page = Page {
    description: &[
        "Checks each OUTPUT against a schema (`-s`), rules (`-r`) and bounds (`-b`), or against a \
         template that holds all three (`-t`). With `--request` or `--requests` the output and \
         what it is held against come in one file.",
        "A failed check of the schema always blocks. Bounds and rules block where they are \
         enforced: those of `-r` and `-b` are, unless their file says otherwise; those of a request \
         are, if it says so. Findings on the text itself, such as placeholders, inform only, unless \
         `--strict` is given.",
        "One input gets a full report, several get a line each and a summary. One that cannot be \
         judged does not stop the others.",
    ],
    statuses: &[
        ("0", "Every output passed."),
        ("1", "An output failed."),
        ("2", "A usage error, or an input, schema, rules or template that cannot be used."),
        ("3", "An output could not be decided within the work that a check may take."),
    ],
    environment: COLOURS,
    files: &[
        ("*.json", "What a folder stands for: every such file below it, in order of names."),
        ("*.ndjson, *.jsonl", "The same with `--lines`: one output a line."),
    ],
    examples: &[
        (
            "aov verify -s schema.json -r rules.json output.json",
            "Check an output against a schema and rules:",
        ),
        ("aov verify -t template.json outputs", "Check every file below a folder:"),
        (
            "aov verify -t template.json --lines --format junit \\\n    -o report.xml batch.ndjson",
            "Check a file with an output on each line, with a report for a build server:",
        ),
        ("aov verify -q -t template.json output.json && echo accept", "Only the exit status:"),
        ("aov verify --request request.json --format json", "A whole request, for programs:"),
    ],
};

const HASH: Page = Page {
    description: &[
        "Prints the SHA-256 of each file's canonical form (RFC 8785), which does not depend on \
         white space, on the order of members or on how numbers and strings are spelt. The lines \
         are like those of `sha256sum`.",
        "These are the hashes that responses and receipts have. `--request` prints the four of a \
         whole request.",
    ],
    statuses: &[
        DONE,
        ("1", "With `--check`: the hash is another one."),
        ("2", "A usage error, or a file that cannot be read or is not JSON."),
    ],
    environment: COLOURS,
    files: &[],
    examples: &[
        ("aov hash output.json", "The hash of a value:"),
        ("aov hash --canonical output.json | sha256sum", "The same, step by step:"),
        (
            "aov hash output.json --check \\\n    \
             d4fb804e434eb3ee047068cbb3691ea1e07066928e7e3efc73b94317e53ee305",
            "Compare with a hash that is known:",
        ),
        ("aov hash --request request.json --format json", "All hashes that a receipt has:"),
    ],
};

const ATTEST: Page = Page {
    description: &[
        "Makes the checks that `aov verify` makes, with the same options, and signs the response \
         with Ed25519: a receipt. A failure is signed too, and exits with 1.",
        "A receipt is worth what its issuer is. Buyers need a reason to accept the key: publish an \
         agent-card (`aov agent-card`) at the address that receipts name, or give it to them.",
    ],
    statuses: &[
        ("0", "Every output passed and was signed."),
        ("1", "An output failed; the receipt says so."),
        ("2", "A usage error, or an input or key file that cannot be used."),
        ("3", "An output could not be decided. It gets no receipt."),
    ],
    environment: &[SOURCE_DATE_EPOCH, KEY_VARIABLE, NO_COLOR, CLICOLOR_FORCE, TERM],
    files: &[KEY_FILE],
    examples: &[
        (
            "aov attest --key aov-signing-key.json --request request.json \\\n    -o receipt.json",
            "Sign what a request comes to:",
        ),
        (
            "aov attest --key env:AOV_KEY -t template.json --pair output.json",
            "With a key from a variable, and with the request beside the receipt:",
        ),
        (
            "aov attest --key key.pem --key-version v1 \\\n    \
             --timestamp 2026-01-02T03:04:05Z -t template.json output.json",
            "With a key of OpenSSL, the same bytes in every run:",
        ),
    ],
};

const CHECK_RECEIPT: Page = Page {
    description: &[
        "Checks each RECEIPT step by step: its shape, the key, the issuer, the signature and the \
         time; the hashes and fields of what it is about, where that is given; and with \
         `--recheck` the checks themselves. It says what was proved and what was not.",
        "Whose key it is must be your word, never the receipt's: name the issuer (`--issuer`), or \
         give its card (`--agent-card`) or its key (`--public-key`). Without that a receipt is \
         undecided, however good its signature.",
        "A valid receipt can say that the output failed. Read its result.",
        "Nothing is fetched without `--fetch` or a URL in `--agent-card`. What a receipt names is \
         fetched over https only, from public addresses only, and without redirects to another \
         host or proxies from the environment.",
    ],
    statuses: &[
        ("0", "Every receipt is valid."),
        ("1", "A receipt is invalid."),
        ("2", "A usage error, or a file that cannot be used."),
        (
            "3",
            "A receipt could not be decided: no key, no accepted issuer, or something asked for is \
             missing.",
        ),
    ],
    environment: COLOURS,
    files: &[("*.json", "What a folder stands for: every such file below it.")],
    examples: &[
        (
            "aov check-receipt --agent-card card.json \\\n    --request request.json receipt.json",
            "With a card that you trust, about your own request:",
        ),
        (
            "aov check-receipt --fetch --issuer issuer.example \\\n    \
             --require all --request request.json receipt.json",
            "Before paying: the issuer's key from its own host, and nothing left unchecked:",
        ),
        (
            "aov check-receipt --agent-card card.json \\\n    --requests requests --recheck receipts",
            "A folder of receipts, each with its request found by its hashes, and checked again:",
        ),
    ],
};

const KEYGEN: Page = Page {
    description: &[
        "Makes an Ed25519 key, writes it to a file that only its owner can read, and prints the \
         public half as an agent-card lists it. An existing file is never overwritten.",
        "`--rotate` puts a new key into a key file and keeps the public half of the old one, which \
         receipts signed so far need. Publish the card again after that.",
    ],
    statuses: &[DONE, ("2", "A usage error, or a file that is there or cannot be written.")],
    environment: COLOURS,
    files: &[KEY_FILE],
    examples: &[
        (
            "aov keygen --issuer-name Acme --public-key-url \\\n    \
             https://acme.example/.well-known/agent-card.json",
            "Make a key, with what receipts say of the issuer:",
        ),
        ("aov keygen --rotate aov-signing-key.json", "Renew it:"),
    ],
};

const AGENT_CARD: Page = Page {
    description: &[
        "Prints an agent-card with all public keys of a key file, the present one and earlier ones. \
         Publish it at the address that receipts name as that of their public key: `aov \
         check-receipt --fetch` looks for it there.",
    ],
    statuses: &[DONE, ("2", "A usage error, or a key file that cannot be used.")],
    environment: &[KEY_VARIABLE, NO_COLOR, CLICOLOR_FORCE, TERM],
    files: &[KEY_FILE],
    examples: &[(
        "aov agent-card --key aov-signing-key.json > agent-card.json",
        "Print the card to publish:",
    )],
};

#[cfg(feature = "serve")]
const SERVE: Page = Page {
    description: &[
        "Answers over HTTP with the hosted service's routes, errors and headers, and as tools over \
         MCP at `/mcp`. Every answer to a check is a signed receipt. The first line on standard \
         output names the address; the log goes to standard error and holds nothing that was \
         submitted.",
        "Every check of an agent is recorded in the ledger before it is answered: the time, the \
         agent, the result and the hashes, never the output. Agents whose id begins with `test-` \
         are not recorded.",
        "With `--stdio` it speaks MCP over standard input and output, for a client that starts it \
         as a process of its own. With `--pay-to` checks beyond the free ones are charged for.",
        "SIGINT and SIGTERM end it when the requests under way are answered; a second signal ends \
         it at once.",
    ],
    statuses: &[
        ("0", "It was told to stop, and every request under way was answered."),
        ("2", "A usage error, or an address, a key file or a ledger that cannot be used."),
    ],
    environment: &[
        KEY_VARIABLE,
        (
            "AOV_FACILITATOR_AUTHORIZATION",
            "What the facilitator is sent as `Authorization`, where it wants one.",
        ),
        (
            "XDG_DATA_HOME, HOME",
            "Where the user's data folder is, in which the key and the ledger are kept by default.",
        ),
    ],
    files: &[
        (
            "aov/signing-key.json",
            "In the user's data folder: the key, made on the first start unless `--key` names one.",
        ),
        (
            "aov/ledger.sqlite3",
            "In the user's data folder: the ledger, unless `--ledger` names one.",
        ),
    ],
    examples: &[
        ("aov serve", "On this machine only:"),
        (
            "aov serve --public-url https://verify.example --trust-proxy",
            "Behind a proxy that speaks TLS:",
        ),
        ("aov serve --stdio", "As an MCP server that a client starts:"),
    ],
};
const TEMPLATE: Page = Page {
    description: &[
        "Infers a verification template from sample outputs, for `aov verify -t`: a schema with \
         kinds, required members, formats and enumerations; rules for sums, orders, references and \
         unique ids; and bounds for what is never negative.",
        "It never rejects a sample. What could be chance is left out: a rule needs names that mean \
         it, or several groups of values. The order of samples and of their members does not \
         matter. Standard error says what was inferred and what the samples leave open.",
        "One sample gives a start, ten give a better one. Read the template before you rely on it: \
         what no sample shows, it cannot ask for.",
    ],
    statuses: &[
        DONE,
        (
            "2",
            "A usage error, or a sample that cannot be read; the template is inferred from the \
             others.",
        ),
    ],
    environment: COLOURS,
    files: &[
        ("*.json", "What a folder stands for: every such file below it."),
        ("*.ndjson, *.jsonl", "The same with `--lines`: one sample a line."),
    ],
    examples: &[
        ("aov template samples -o template.json", "From every file below a folder:"),
        ("aov template --lines -q samples.ndjson", "From a file with a sample on each line:"),
    ],
};

const COMPLETIONS: Page = Page {
    description: &[
        "Prints a script that lets a shell complete commands, options, their values and names of \
         files. Put it where the shell looks for it.",
    ],
    statuses: &[DONE, ("2", "A usage error.")],
    environment: COLOURS,
    files: &[
        (
            "~/.local/share/bash-completion/completions/aov",
            "Where bash looks, if the package bash-completion is there.",
        ),
        (
            "a folder of $fpath, as _aov",
            "Where zsh looks. `compinit` has to run after the folder is in `fpath`.",
        ),
        ("~/.config/fish/completions/aov.fish", "Where fish looks."),
        ("$PROFILE", "What PowerShell runs when it starts; append the script there."),
        ("~/.config/elvish/rc.elv", "What elvish runs when it starts; append the script there."),
    ],
    examples: &[
        (
            "aov completions bash > ~/.local/share/bash-completion/completions/aov",
            "Set them up for bash:",
        ),
        ("aov completions fish > ~/.config/fish/completions/aov.fish", "Set them up for fish:"),
    ],
};

const MAN: Page = Page {
    description: &["Prints the man page of a COMMAND, or that of `aov` itself, as text for `man`."],
    statuses: &[DONE, ("2", "A usage error, or a command that there is not.")],
    environment: COLOURS,
    files: &[(
        "~/.local/share/man/man1",
        "Where `man` looks for pages of one user, as `aov.1`, `aov-verify.1` and so on.",
    )],
    examples: &[
        ("aov man verify | man -l -", "Read a page without setting it up:"),
        ("aov man > ~/.local/share/man/man1/aov.1", "Set one up:"),
    ],
};
