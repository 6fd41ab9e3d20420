#!/usr/bin/env bash
# Writes the names of the functions that checks of one small output run to build/startup.txt, so that
# the next build puts them side by side. Worth repeating when one-shot memory has grown (see
# docs/performance.md); nothing goes wrong where the list is out of date.
# Needs: cargo build --release --locked, valgrind, nm, awk.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
aov=$PWD/target/release/aov
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

invoice=$PWD/examples/invoice receipt=$PWD/examples/receipt
traced() {
    # A verdict of "no" is an exit status too.
    valgrind -q --tool=callgrind --demangle=no --callgrind-out-file="$work/calls.$((++runs))" \
        "$aov" "$@" > "$work/shown" 2>&1 || [ $? -eq 1 ]
}
runs=0
"$aov" keygen -o "$work/key.json" > "$work/shown" 2>&1
traced verify -q -s "$invoice/schema.json" "$invoice/final.json"
traced verify -s "$invoice/schema.json" -r "$invoice/rules.json" "$invoice/draft.json"
traced attest --key "$work/key.json" -s "$invoice/schema.json" -r "$invoice/rules.json" \
    --format json -o "$work/receipt.json" "$invoice/final.json"
traced hash "$invoice/final.json"
traced check-receipt --offline --agent-card "$receipt/agent-card.json" \
    "$receipt/invoice-7731-final.receipt.json"

# Crate disambiguators and hashes change with the compiler; what they stand behind does not.
general() { sed -E 's/17h[0-9a-f]{16}E.*$/17h*/; s/Cs[0-9A-Za-z]+_/Cs*_/g'; }

cat "$work"/calls.* | sed -nE "s/^c?fn=\([0-9]+\) ([^']*).*/\1/p" | sort -u > "$work/run"
# Size, name, and whether it is among what was run.
nm -S -t d "$aov" | awk 'NF == 4 && $3 ~ /[tTwW]/ && $4 ~ /^_(ZN|R)/ { print $4, $2 + 0 }' |
    sort -u > "$work/sizes"
join -a 1 -o 1.2,1.1,2.1 -e - "$work/sizes" "$work/run" > "$work/functions"
paste -d ' ' <(cut -d ' ' -f 2 "$work/functions" | general) "$work/functions" |
    awk '$4 != "-" { run[$1] += $2 } { all[$1] += $2 }
         # Names that instances share which are not run come last.
         END { for (name in run) print (all[name] > 2 * run[name] + 2048), name }' |
    sort | cut -d ' ' -f 2 > build/startup.txt
wc -l build/startup.txt
