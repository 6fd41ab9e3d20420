
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'aov' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'aov'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'aov' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check outputs against a schema, bounds and rules')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print canonical hashes, or the canonical form itself')
            [CompletionResult]::new('attest', 'attest', [CompletionResultType]::ParameterValue, 'Check outputs as verify does, and sign what was found')
            [CompletionResult]::new('check-receipt', 'check-receipt', [CompletionResultType]::ParameterValue, 'Check receipts: signature, issuer, and what they are about')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a signing key')
            [CompletionResult]::new('agent-card', 'agent-card', [CompletionResultType]::ParameterValue, 'Print an agent-card with a key file''s public keys')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Answer over HTTP in place of the hosted service')
            [CompletionResult]::new('template', 'template', [CompletionResultType]::ParameterValue, 'Infer a verification template from sample outputs')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a script that completes command lines in a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;verify' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'A whole request in one file, in place of OUTPUT')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The JSON Schema [default: anything is allowed]')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema [default: anything is allowed]')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'The bounds, by path; enforced')
            [CompletionResult]::new('--bounds', '--bounds', [CompletionResultType]::ParameterName, 'The bounds, by path; enforced')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'A verification-template/1 file in place of schema, rules and bounds')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'A verification-template/1 file in place of schema, rules and bounds')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'The check''s name, for one input [default: the input''s path]')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'The label of the agent that made the output')
            [CompletionResult]::new('--detail', '--detail', [CompletionResultType]::ParameterName, 'The shape of responses [default: full, or what the request says]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Worker threads [default: one for each core]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format of the report')
            [CompletionResult]::new('--requests', '--requests', [CompletionResultType]::ParameterName, 'Every OUTPUT (with --lines: every line) is a whole request')
            [CompletionResult]::new('--enforce-rules', '--enforce-rules', [CompletionResultType]::ParameterName, 'Let bounds and rules block, whatever the file says')
            [CompletionResult]::new('--no-enforce-rules', '--no-enforce-rules', [CompletionResultType]::ParameterName, 'Let bounds and rules inform only, whatever the file says')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Let content findings block (strict_content_check)')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'NDJSON: each line that is not blank is one output')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first input that does not pass')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;hash' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'Print the four hashes of a whole request')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Compare with this hash: status 0 or 1')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format of the hashes')
            [CompletionResult]::new('--canonical', '--canonical', [CompletionResultType]::ParameterName, 'Print the canonical bytes themselves, nothing added')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'NDJSON: one hash for each line that is not blank')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;attest' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'A whole request in one file, in place of OUTPUT')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The JSON Schema [default: anything is allowed]')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema [default: anything is allowed]')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'The bounds, by path; enforced')
            [CompletionResult]::new('--bounds', '--bounds', [CompletionResultType]::ParameterName, 'The bounds, by path; enforced')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'A verification-template/1 file in place of schema, rules and bounds')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'A verification-template/1 file in place of schema, rules and bounds')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'The check''s name, for one input [default: the input''s path]')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'The label of the agent that made the output')
            [CompletionResult]::new('--detail', '--detail', [CompletionResultType]::ParameterName, 'The shape of responses [default: full, or what the request says]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Worker threads [default: one for each core]')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key file, - for standard input, or env:NAME for a variable')
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The key''s version, for PEM keys')
            [CompletionResult]::new('--issuer-name', '--issuer-name', [CompletionResultType]::ParameterName, 'What receipts call the issuer [default: the key file''s]')
            [CompletionResult]::new('--public-key-url', '--public-key-url', [CompletionResultType]::ParameterName, 'Where the agent-card is published [default: the key file''s]')
            [CompletionResult]::new('--timestamp', '--timestamp', [CompletionResultType]::ParameterName, 'The time that receipts bear, for reproducible runs [default: SOURCE_DATE_EPOCH, or now]')
            [CompletionResult]::new('--verification-id', '--verification-id', [CompletionResultType]::ParameterName, 'The id of the check, for one input')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format of the receipts')
            [CompletionResult]::new('--requests', '--requests', [CompletionResultType]::ParameterName, 'Every OUTPUT (with --lines: every line) is a whole request')
            [CompletionResult]::new('--enforce-rules', '--enforce-rules', [CompletionResultType]::ParameterName, 'Let bounds and rules block, whatever the file says')
            [CompletionResult]::new('--no-enforce-rules', '--no-enforce-rules', [CompletionResultType]::ParameterName, 'Let bounds and rules inform only, whatever the file says')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Let content findings block (strict_content_check)')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'NDJSON: each line that is not blank is one output')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first input that does not pass')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('--insecure-key-permissions', '--insecure-key-permissions', [CompletionResultType]::ParameterName, 'Take a key file that others can read')
            [CompletionResult]::new('--pair', '--pair', [CompletionResultType]::ParameterName, 'Print {"receipt": …, "request": …}, which check-receipt takes')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;check-receipt' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'The request that the receipt is about')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The output alone')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The schema alone')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'The rules alone: a list, or an object with rules and bounds')
            [CompletionResult]::new('--bounds', '--bounds', [CompletionResultType]::ParameterName, 'The bounds alone')
            [CompletionResult]::new('--requests', '--requests', [CompletionResultType]::ParameterName, 'A folder or NDJSON file of requests; each receipt finds its own')
            [CompletionResult]::new('--agent-card', '--agent-card', [CompletionResultType]::ParameterName, 'Take the key from this agent-card, and accept it as the issuer''s')
            [CompletionResult]::new('--public-key', '--public-key', [CompletionResultType]::ParameterName, 'This very public key, and accept it as the issuer''s')
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The only key version that --public-key is for')
            [CompletionResult]::new('--issuer', '--issuer', [CompletionResultType]::ParameterName, 'Accept this issuer (repeatable)')
            [CompletionResult]::new('--require', '--require', [CompletionResultType]::ParameterName, 'These steps must have passed, else undecided; all: every one but recheck')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time to judge by [default: now]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the results to a file, whole or not at all')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Worker threads [default: one for each core]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format of the report')
            [CompletionResult]::new('--fetch', '--fetch', [CompletionResultType]::ParameterName, 'Get the agent-card that the receipt names; nothing is fetched without this')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse anything that would touch the network')
            [CompletionResult]::new('--recheck', '--recheck', [CompletionResultType]::ParameterName, 'Make the checks again and compare')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'NDJSON: each line is a receipt, or a {"receipt": …, "request": …} pair')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first input that does not pass')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report for people; errors and the exit status remain')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;keygen' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The key file to write; never over an existing one')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'The key file to write; never over an existing one')
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The key''s version [default: v1-DATE]')
            [CompletionResult]::new('--issuer-name', '--issuer-name', [CompletionResultType]::ParameterName, 'What receipts call the issuer')
            [CompletionResult]::new('--public-key-url', '--public-key-url', [CompletionResultType]::ParameterName, 'Where the agent-card is published')
            [CompletionResult]::new('--rotate', '--rotate', [CompletionResultType]::ParameterName, 'Renew this key file: a new key, and the old one''s public half kept')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;agent-card' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key file, - for standard input, or env:NAME for a variable')
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The key''s version, for PEM keys')
            [CompletionResult]::new('--insecure-key-permissions', '--insecure-key-permissions', [CompletionResultType]::ParameterName, 'Take a key file that others can read')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;serve' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'The address to listen on; port 0 picks a free one')
            [CompletionResult]::new('--public-url', '--public-url', [CompletionResultType]::ParameterName, 'What documents and receipts call this server [default: the address listened on]')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key file, or env:NAME for a variable [default: one in the user''s data folder, made on the first start]')
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The key''s version, for PEM keys')
            [CompletionResult]::new('--issuer-name', '--issuer-name', [CompletionResultType]::ParameterName, 'What receipts call the issuer')
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'Where checks are recorded, or :memory: [default: a file in the user''s data folder]')
            [CompletionResult]::new('--free-per-day', '--free-per-day', [CompletionResultType]::ParameterName, 'Checks that a client address may make free each UTC day [default: no limit]')
            [CompletionResult]::new('--pay-to', '--pay-to', [CompletionResultType]::ParameterName, 'Charge with x402, in USDC paid to this address; eip155:8453 is Base, solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana, eip155:84532 Base Sepolia (repeatable) [default: nothing is charged]')
            [CompletionResult]::new('--facilitator', '--facilitator', [CompletionResultType]::ParameterName, 'Who verifies and settles payments; what it wants to be told in Authorization is taken from the variable AOV_FACILITATOR_AUTHORIZATION')
            [CompletionResult]::new('--price', '--price', [CompletionResultType]::ParameterName, 'What a check costs beyond the free ones')
            [CompletionResult]::new('--score-price', '--score-price', [CompletionResultType]::ParameterName, 'What the look-up of a score costs, where there is one')
            [CompletionResult]::new('--free-max-body', '--free-max-body', [CompletionResultType]::ParameterName, 'With payments on, larger requests are paid for even while free checks remain')
            [CompletionResult]::new('--max-body', '--max-body', [CompletionResultType]::ParameterName, 'The largest request body')
            [CompletionResult]::new('--cors-origin', '--cors-origin', [CompletionResultType]::ParameterName, 'Let web pages of this origin use the server; * for all (repeatable) [default: none]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of the log, which goes to standard error')
            [CompletionResult]::new('--insecure-key-permissions', '--insecure-key-permissions', [CompletionResultType]::ParameterName, 'Take a key file that others can read')
            [CompletionResult]::new('--trust-proxy', '--trust-proxy', [CompletionResultType]::ParameterName, 'Believe Forwarded and X-Forwarded-For, which a proxy in front must set')
            [CompletionResult]::new('--metrics', '--metrics', [CompletionResultType]::ParameterName, 'Serve /metrics for Prometheus')
            [CompletionResult]::new('--stdio', '--stdio', [CompletionResultType]::ParameterName, 'Serve MCP over standard input and output in place of HTTP, for a client that starts this process; without an allowance and without payments')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log every request; twice, connections too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log every request; twice, connections too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;template' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the template to a file, whole or not at all')
            [CompletionResult]::new('--template-file', '--template-file', [CompletionResultType]::ParameterName, 'Write the template to a file, whole or not at all')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'NDJSON: each line that is not blank is one sample')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not say what was inferred; errors remain')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not say what was inferred; errors remain')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;help' {
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check outputs against a schema, bounds and rules')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print canonical hashes, or the canonical form itself')
            [CompletionResult]::new('attest', 'attest', [CompletionResultType]::ParameterValue, 'Check outputs as verify does, and sign what was found')
            [CompletionResult]::new('check-receipt', 'check-receipt', [CompletionResultType]::ParameterValue, 'Check receipts: signature, issuer, and what they are about')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a signing key')
            [CompletionResult]::new('agent-card', 'agent-card', [CompletionResultType]::ParameterValue, 'Print an agent-card with a key file''s public keys')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Answer over HTTP in place of the hosted service')
            [CompletionResult]::new('template', 'template', [CompletionResultType]::ParameterValue, 'Infer a verification template from sample outputs')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a script that completes command lines in a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;help;verify' {
            break
        }
        'aov;help;hash' {
            break
        }
        'aov;help;attest' {
            break
        }
        'aov;help;check-receipt' {
            break
        }
        'aov;help;keygen' {
            break
        }
        'aov;help;agent-card' {
            break
        }
        'aov;help;serve' {
            break
        }
        'aov;help;template' {
            break
        }
        'aov;help;completions' {
            break
        }
        'aov;help;man' {
            break
        }
        'aov;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
