
use builtin;
use str;

set edit:completion:arg-completer[aov] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'aov'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'aov'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand verify 'Check outputs against a schema, bounds and rules'
            cand hash 'Print canonical hashes, or the canonical form itself'
            cand attest 'Check outputs as verify does, and sign what was found'
            cand check-receipt 'Check receipts: signature, issuer, and what they are about'
            cand keygen 'Make a signing key'
            cand agent-card 'Print an agent-card with a key file''s public keys'
            cand serve 'Answer over HTTP in place of the hosted service'
            cand template 'Infer a verification template from sample outputs'
            cand completions 'Print a script that completes command lines in a shell'
            cand man 'Print a man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;verify'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --request 'A whole request in one file, in place of OUTPUT'
            cand -s 'The JSON Schema [default: anything is allowed]'
            cand --schema 'The JSON Schema [default: anything is allowed]'
            cand -r 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise'
            cand --rules 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise'
            cand -b 'The bounds, by path; enforced'
            cand --bounds 'The bounds, by path; enforced'
            cand -t 'A verification-template/1 file in place of schema, rules and bounds'
            cand --template 'A verification-template/1 file in place of schema, rules and bounds'
            cand --task-id 'The check''s name, for one input [default: the input''s path]'
            cand --agent-id 'The label of the agent that made the output'
            cand --detail 'The shape of responses [default: full, or what the request says]'
            cand -o 'Write the results to a file, whole or not at all'
            cand --report 'Write the results to a file, whole or not at all'
            cand --jobs 'Worker threads [default: one for each core]'
            cand --format 'The format of the report'
            cand --requests 'Every OUTPUT (with --lines: every line) is a whole request'
            cand --enforce-rules 'Let bounds and rules block, whatever the file says'
            cand --no-enforce-rules 'Let bounds and rules inform only, whatever the file says'
            cand --strict 'Let content findings block (strict_content_check)'
            cand --lines 'NDJSON: each line that is not blank is one output'
            cand --fail-fast 'Stop at the first input that does not pass'
            cand -q 'Print no report for people; errors and the exit status remain'
            cand --quiet 'Print no report for people; errors and the exit status remain'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;hash'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --request 'Print the four hashes of a whole request'
            cand --check 'Compare with this hash: status 0 or 1'
            cand --format 'The format of the hashes'
            cand --canonical 'Print the canonical bytes themselves, nothing added'
            cand --lines 'NDJSON: one hash for each line that is not blank'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;attest'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --request 'A whole request in one file, in place of OUTPUT'
            cand -s 'The JSON Schema [default: anything is allowed]'
            cand --schema 'The JSON Schema [default: anything is allowed]'
            cand -r 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise'
            cand --rules 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise'
            cand -b 'The bounds, by path; enforced'
            cand --bounds 'The bounds, by path; enforced'
            cand -t 'A verification-template/1 file in place of schema, rules and bounds'
            cand --template 'A verification-template/1 file in place of schema, rules and bounds'
            cand --task-id 'The check''s name, for one input [default: the input''s path]'
            cand --agent-id 'The label of the agent that made the output'
            cand --detail 'The shape of responses [default: full, or what the request says]'
            cand -o 'Write the results to a file, whole or not at all'
            cand --report 'Write the results to a file, whole or not at all'
            cand --jobs 'Worker threads [default: one for each core]'
            cand --key 'The key file, - for standard input, or env:NAME for a variable'
            cand --key-version 'The key''s version, for PEM keys'
            cand --issuer-name 'What receipts call the issuer [default: the key file''s]'
            cand --public-key-url 'Where the agent-card is published [default: the key file''s]'
            cand --timestamp 'The time that receipts bear, for reproducible runs [default: SOURCE_DATE_EPOCH, or now]'
            cand --verification-id 'The id of the check, for one input'
            cand --format 'The format of the receipts'
            cand --requests 'Every OUTPUT (with --lines: every line) is a whole request'
            cand --enforce-rules 'Let bounds and rules block, whatever the file says'
            cand --no-enforce-rules 'Let bounds and rules inform only, whatever the file says'
            cand --strict 'Let content findings block (strict_content_check)'
            cand --lines 'NDJSON: each line that is not blank is one output'
            cand --fail-fast 'Stop at the first input that does not pass'
            cand -q 'Print no report for people; errors and the exit status remain'
            cand --quiet 'Print no report for people; errors and the exit status remain'
            cand --insecure-key-permissions 'Take a key file that others can read'
            cand --pair 'Print {"receipt": …, "request": …}, which check-receipt takes'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;check-receipt'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --request 'The request that the receipt is about'
            cand --output 'The output alone'
            cand --schema 'The schema alone'
            cand --rules 'The rules alone: a list, or an object with rules and bounds'
            cand --bounds 'The bounds alone'
            cand --requests 'A folder or NDJSON file of requests; each receipt finds its own'
            cand --agent-card 'Take the key from this agent-card, and accept it as the issuer''s'
            cand --public-key 'This very public key, and accept it as the issuer''s'
            cand --key-version 'The only key version that --public-key is for'
            cand --issuer 'Accept this issuer (repeatable)'
            cand --require 'These steps must have passed, else undecided; all: every one but recheck'
            cand --now 'The time to judge by [default: now]'
            cand -o 'Write the results to a file, whole or not at all'
            cand --report 'Write the results to a file, whole or not at all'
            cand --jobs 'Worker threads [default: one for each core]'
            cand --format 'The format of the report'
            cand --fetch 'Get the agent-card that the receipt names; nothing is fetched without this'
            cand --offline 'Refuse anything that would touch the network'
            cand --recheck 'Make the checks again and compare'
            cand --lines 'NDJSON: each line is a receipt, or a {"receipt": …, "request": …} pair'
            cand --fail-fast 'Stop at the first input that does not pass'
            cand -q 'Print no report for people; errors and the exit status remain'
            cand --quiet 'Print no report for people; errors and the exit status remain'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;keygen'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -o 'The key file to write; never over an existing one'
            cand --key-file 'The key file to write; never over an existing one'
            cand --key-version 'The key''s version [default: v1-DATE]'
            cand --issuer-name 'What receipts call the issuer'
            cand --public-key-url 'Where the agent-card is published'
            cand --rotate 'Renew this key file: a new key, and the old one''s public half kept'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;agent-card'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --key 'The key file, - for standard input, or env:NAME for a variable'
            cand --key-version 'The key''s version, for PEM keys'
            cand --insecure-key-permissions 'Take a key file that others can read'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;serve'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --listen 'The address to listen on; port 0 picks a free one'
            cand --public-url 'What documents and receipts call this server [default: the address listened on]'
            cand --key 'The key file, or env:NAME for a variable [default: one in the user''s data folder, made on the first start]'
            cand --key-version 'The key''s version, for PEM keys'
            cand --issuer-name 'What receipts call the issuer'
            cand --ledger 'Where checks are recorded, or :memory: [default: a file in the user''s data folder]'
            cand --free-per-day 'Checks that a client address may make free each UTC day [default: no limit]'
            cand --pay-to 'Charge with x402, in USDC paid to this address; eip155:8453 is Base, solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana, eip155:84532 Base Sepolia (repeatable) [default: nothing is charged]'
            cand --facilitator 'Who verifies and settles payments; what it wants to be told in Authorization is taken from the variable AOV_FACILITATOR_AUTHORIZATION'
            cand --price 'What a check costs beyond the free ones'
            cand --score-price 'What the look-up of a score costs, where there is one'
            cand --free-max-body 'With payments on, larger requests are paid for even while free checks remain'
            cand --max-body 'The largest request body'
            cand --cors-origin 'Let web pages of this origin use the server; * for all (repeatable) [default: none]'
            cand --log-format 'The form of the log, which goes to standard error'
            cand --insecure-key-permissions 'Take a key file that others can read'
            cand --trust-proxy 'Believe Forwarded and X-Forwarded-For, which a proxy in front must set'
            cand --metrics 'Serve /metrics for Prometheus'
            cand --stdio 'Serve MCP over standard input and output in place of HTTP, for a client that starts this process; without an allowance and without payments'
            cand -v 'Log every request; twice, connections too'
            cand --verbose 'Log every request; twice, connections too'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;template'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -o 'Write the template to a file, whole or not at all'
            cand --template-file 'Write the template to a file, whole or not at all'
            cand --lines 'NDJSON: each line that is not blank is one sample'
            cand -q 'Do not say what was inferred; errors remain'
            cand --quiet 'Do not say what was inferred; errors remain'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;completions'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;man'= {
            cand --color 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;help'= {
            cand verify 'Check outputs against a schema, bounds and rules'
            cand hash 'Print canonical hashes, or the canonical form itself'
            cand attest 'Check outputs as verify does, and sign what was found'
            cand check-receipt 'Check receipts: signature, issuer, and what they are about'
            cand keygen 'Make a signing key'
            cand agent-card 'Print an agent-card with a key file''s public keys'
            cand serve 'Answer over HTTP in place of the hosted service'
            cand template 'Infer a verification template from sample outputs'
            cand completions 'Print a script that completes command lines in a shell'
            cand man 'Print a man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;help;verify'= {
        }
        &'aov;help;hash'= {
        }
        &'aov;help;attest'= {
        }
        &'aov;help;check-receipt'= {
        }
        &'aov;help;keygen'= {
        }
        &'aov;help;agent-card'= {
        }
        &'aov;help;serve'= {
        }
        &'aov;help;template'= {
        }
        &'aov;help;completions'= {
        }
        &'aov;help;man'= {
        }
        &'aov;help;help'= {
        }
    ]
    $completions[$command]
}
