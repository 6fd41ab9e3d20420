# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_aov_global_optspecs
    string join \n color= h/help V/version
end

function __fish_aov_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_aov_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_aov_using_subcommand
    set -l cmd (__fish_aov_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c aov -n "__fish_aov_needs_command" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_needs_command" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_needs_command" -s V -l version -d 'Print version'
complete -c aov -n "__fish_aov_needs_command" -f -a "verify" -d 'Check outputs against a schema, bounds and rules'
complete -c aov -n "__fish_aov_needs_command" -f -a "hash" -d 'Print canonical hashes, or the canonical form itself'
complete -c aov -n "__fish_aov_needs_command" -f -a "attest" -d 'Check outputs as verify does, and sign what was found'
complete -c aov -n "__fish_aov_needs_command" -f -a "check-receipt" -d 'Check receipts: signature, issuer, and what they are about'
complete -c aov -n "__fish_aov_needs_command" -f -a "keygen" -d 'Make a signing key'
complete -c aov -n "__fish_aov_needs_command" -f -a "agent-card" -d 'Print an agent-card with a key file\'s public keys'
complete -c aov -n "__fish_aov_needs_command" -f -a "serve" -d 'Answer over HTTP in place of the hosted service'
complete -c aov -n "__fish_aov_needs_command" -f -a "template" -d 'Infer a verification template from sample outputs'
complete -c aov -n "__fish_aov_needs_command" -f -a "completions" -d 'Print a script that completes command lines in a shell'
complete -c aov -n "__fish_aov_needs_command" -f -a "man" -d 'Print a man page'
complete -c aov -n "__fish_aov_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand verify" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand verify" -l request -d 'A whole request in one file, in place of OUTPUT' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -s s -l schema -d 'The JSON Schema [default: anything is allowed]' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -s r -l rules -d 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -s b -l bounds -d 'The bounds, by path; enforced' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -s t -l template -d 'A verification-template/1 file in place of schema, rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -l task-id -d 'The check\'s name, for one input [default: the input\'s path]' -r
complete -c aov -n "__fish_aov_using_subcommand verify" -l agent-id -d 'The label of the agent that made the output' -r
complete -c aov -n "__fish_aov_using_subcommand verify" -l detail -d 'The shape of responses [default: full, or what the request says]' -r -f -a "full\t''
compact\t''"
complete -c aov -n "__fish_aov_using_subcommand verify" -s o -l report -d 'Write the results to a file, whole or not at all' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify" -l jobs -d 'Worker threads [default: one for each core]' -r
complete -c aov -n "__fish_aov_using_subcommand verify" -l format -d 'The format of the report' -r -f -a "human\t'For people'
json\t'One indented response; an array of them for several inputs'
ndjson\t'One response a line'
junit\t'JUnit XML, a test case for each input'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'GitHub workflow commands, which annotate files'
markdown\t'Markdown for a job\'s summary'
html\t'A page for browsers, in one file that needs nothing from elsewhere'"
complete -c aov -n "__fish_aov_using_subcommand verify" -l requests -d 'Every OUTPUT (with --lines: every line) is a whole request'
complete -c aov -n "__fish_aov_using_subcommand verify" -l enforce-rules -d 'Let bounds and rules block, whatever the file says'
complete -c aov -n "__fish_aov_using_subcommand verify" -l no-enforce-rules -d 'Let bounds and rules inform only, whatever the file says'
complete -c aov -n "__fish_aov_using_subcommand verify" -l strict -d 'Let content findings block (strict_content_check)'
complete -c aov -n "__fish_aov_using_subcommand verify" -l lines -d 'NDJSON: each line that is not blank is one output'
complete -c aov -n "__fish_aov_using_subcommand verify" -l fail-fast -d 'Stop at the first input that does not pass'
complete -c aov -n "__fish_aov_using_subcommand verify" -s q -l quiet -d 'Print no report for people; errors and the exit status remain'
complete -c aov -n "__fish_aov_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand hash" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand hash" -l request -d 'Print the four hashes of a whole request' -r -F
complete -c aov -n "__fish_aov_using_subcommand hash" -l check -d 'Compare with this hash: status 0 or 1' -r
complete -c aov -n "__fish_aov_using_subcommand hash" -l format -d 'The format of the hashes' -r -f -a "human\t'As sha256sum prints them'
json\t'As JSON'"
complete -c aov -n "__fish_aov_using_subcommand hash" -l canonical -d 'Print the canonical bytes themselves, nothing added'
complete -c aov -n "__fish_aov_using_subcommand hash" -l lines -d 'NDJSON: one hash for each line that is not blank'
complete -c aov -n "__fish_aov_using_subcommand hash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand attest" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand attest" -l request -d 'A whole request in one file, in place of OUTPUT' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -s s -l schema -d 'The JSON Schema [default: anything is allowed]' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -s r -l rules -d 'A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the object says otherwise' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -s b -l bounds -d 'The bounds, by path; enforced' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -s t -l template -d 'A verification-template/1 file in place of schema, rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -l task-id -d 'The check\'s name, for one input [default: the input\'s path]' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l agent-id -d 'The label of the agent that made the output' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l detail -d 'The shape of responses [default: full, or what the request says]' -r -f -a "full\t''
compact\t''"
complete -c aov -n "__fish_aov_using_subcommand attest" -s o -l report -d 'Write the results to a file, whole or not at all' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -l jobs -d 'Worker threads [default: one for each core]' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l key -d 'The key file, - for standard input, or env:NAME for a variable' -r -F
complete -c aov -n "__fish_aov_using_subcommand attest" -l key-version -d 'The key\'s version, for PEM keys' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l issuer-name -d 'What receipts call the issuer [default: the key file\'s]' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l public-key-url -d 'Where the agent-card is published [default: the key file\'s]' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l timestamp -d 'The time that receipts bear, for reproducible runs [default: SOURCE_DATE_EPOCH, or now]' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l verification-id -d 'The id of the check, for one input' -r
complete -c aov -n "__fish_aov_using_subcommand attest" -l format -d 'The format of the receipts' -r -f -a "json\t'One indented receipt; an array of them for several inputs'
ndjson\t'One receipt a line'"
complete -c aov -n "__fish_aov_using_subcommand attest" -l requests -d 'Every OUTPUT (with --lines: every line) is a whole request'
complete -c aov -n "__fish_aov_using_subcommand attest" -l enforce-rules -d 'Let bounds and rules block, whatever the file says'
complete -c aov -n "__fish_aov_using_subcommand attest" -l no-enforce-rules -d 'Let bounds and rules inform only, whatever the file says'
complete -c aov -n "__fish_aov_using_subcommand attest" -l strict -d 'Let content findings block (strict_content_check)'
complete -c aov -n "__fish_aov_using_subcommand attest" -l lines -d 'NDJSON: each line that is not blank is one output'
complete -c aov -n "__fish_aov_using_subcommand attest" -l fail-fast -d 'Stop at the first input that does not pass'
complete -c aov -n "__fish_aov_using_subcommand attest" -s q -l quiet -d 'Print no report for people; errors and the exit status remain'
complete -c aov -n "__fish_aov_using_subcommand attest" -l insecure-key-permissions -d 'Take a key file that others can read'
complete -c aov -n "__fish_aov_using_subcommand attest" -l pair -d 'Print {"receipt": …, "request": …}, which check-receipt takes'
complete -c aov -n "__fish_aov_using_subcommand attest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l request -d 'The request that the receipt is about' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l output -d 'The output alone' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l schema -d 'The schema alone' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l rules -d 'The rules alone: a list, or an object with rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l bounds -d 'The bounds alone' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l requests -d 'A folder or NDJSON file of requests; each receipt finds its own' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l agent-card -d 'Take the key from this agent-card, and accept it as the issuer\'s' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l public-key -d 'This very public key, and accept it as the issuer\'s' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l key-version -d 'The only key version that --public-key is for' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l issuer -d 'Accept this issuer (repeatable)' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l require -d 'These steps must have passed, else undecided; all: every one but recheck' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l now -d 'The time to judge by [default: now]' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -s o -l report -d 'Write the results to a file, whole or not at all' -r -F
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l jobs -d 'Worker threads [default: one for each core]' -r
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l format -d 'The format of the report' -r -f -a "human\t'For people'
json\t'One indented result; an array of them for several receipts'
ndjson\t'One result a line'
junit\t'JUnit XML, a test case for each receipt'
markdown\t'Markdown for a job\'s summary'
html\t'A page for browsers, in one file that needs nothing from elsewhere'"
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l fetch -d 'Get the agent-card that the receipt names; nothing is fetched without this'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l offline -d 'Refuse anything that would touch the network'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l recheck -d 'Make the checks again and compare'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l lines -d 'NDJSON: each line is a receipt, or a {"receipt": …, "request": …} pair'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -l fail-fast -d 'Stop at the first input that does not pass'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -s q -l quiet -d 'Print no report for people; errors and the exit status remain'
complete -c aov -n "__fish_aov_using_subcommand check-receipt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand keygen" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand keygen" -s o -l key-file -d 'The key file to write; never over an existing one' -r -F
complete -c aov -n "__fish_aov_using_subcommand keygen" -l key-version -d 'The key\'s version [default: v1-DATE]' -r
complete -c aov -n "__fish_aov_using_subcommand keygen" -l issuer-name -d 'What receipts call the issuer' -r
complete -c aov -n "__fish_aov_using_subcommand keygen" -l public-key-url -d 'Where the agent-card is published' -r
complete -c aov -n "__fish_aov_using_subcommand keygen" -l rotate -d 'Renew this key file: a new key, and the old one\'s public half kept' -r -F
complete -c aov -n "__fish_aov_using_subcommand keygen" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand agent-card" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand agent-card" -l key -d 'The key file, - for standard input, or env:NAME for a variable' -r -F
complete -c aov -n "__fish_aov_using_subcommand agent-card" -l key-version -d 'The key\'s version, for PEM keys' -r
complete -c aov -n "__fish_aov_using_subcommand agent-card" -l insecure-key-permissions -d 'Take a key file that others can read'
complete -c aov -n "__fish_aov_using_subcommand agent-card" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand serve" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand serve" -l listen -d 'The address to listen on; port 0 picks a free one' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l public-url -d 'What documents and receipts call this server [default: the address listened on]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l key -d 'The key file, or env:NAME for a variable [default: one in the user\'s data folder, made on the first start]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l key-version -d 'The key\'s version, for PEM keys' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l issuer-name -d 'What receipts call the issuer' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l ledger -d 'Where checks are recorded, or :memory: [default: a file in the user\'s data folder]' -r -F
complete -c aov -n "__fish_aov_using_subcommand serve" -l free-per-day -d 'Checks that a client address may make free each UTC day [default: no limit]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l pay-to -d 'Charge with x402, in USDC paid to this address; eip155:8453 is Base, solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana, eip155:84532 Base Sepolia (repeatable) [default: nothing is charged]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l facilitator -d 'Who verifies and settles payments; what it wants to be told in Authorization is taken from the variable AOV_FACILITATOR_AUTHORIZATION' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l price -d 'What a check costs beyond the free ones' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l score-price -d 'What the look-up of a score costs, where there is one' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l free-max-body -d 'With payments on, larger requests are paid for even while free checks remain' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l max-body -d 'The largest request body' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l cors-origin -d 'Let web pages of this origin use the server; * for all (repeatable) [default: none]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l log-format -d 'The form of the log, which goes to standard error' -r -f -a "text\t'A line for people'
json\t'A JSON object a line'"
complete -c aov -n "__fish_aov_using_subcommand serve" -l insecure-key-permissions -d 'Take a key file that others can read'
complete -c aov -n "__fish_aov_using_subcommand serve" -l trust-proxy -d 'Believe Forwarded and X-Forwarded-For, which a proxy in front must set'
complete -c aov -n "__fish_aov_using_subcommand serve" -l metrics -d 'Serve /metrics for Prometheus'
complete -c aov -n "__fish_aov_using_subcommand serve" -l stdio -d 'Serve MCP over standard input and output in place of HTTP, for a client that starts this process; without an allowance and without payments'
complete -c aov -n "__fish_aov_using_subcommand serve" -s v -l verbose -d 'Log every request; twice, connections too'
complete -c aov -n "__fish_aov_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand template" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand template" -s o -l template-file -d 'Write the template to a file, whole or not at all' -r -F
complete -c aov -n "__fish_aov_using_subcommand template" -l lines -d 'NDJSON: each line that is not blank is one sample'
complete -c aov -n "__fish_aov_using_subcommand template" -s q -l quiet -d 'Do not say what was inferred; errors remain'
complete -c aov -n "__fish_aov_using_subcommand template" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand completions" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand completions" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand man" -l color -d 'When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand man" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "verify" -d 'Check outputs against a schema, bounds and rules'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "hash" -d 'Print canonical hashes, or the canonical form itself'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "attest" -d 'Check outputs as verify does, and sign what was found'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "check-receipt" -d 'Check receipts: signature, issuer, and what they are about'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "keygen" -d 'Make a signing key'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "agent-card" -d 'Print an agent-card with a key file\'s public keys'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "serve" -d 'Answer over HTTP in place of the hosted service'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "template" -d 'Infer a verification template from sample outputs'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "completions" -d 'Print a script that completes command lines in a shell'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "man" -d 'Print a man page'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from verify hash attest check-receipt keygen agent-card serve template completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
