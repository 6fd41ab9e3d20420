#!/usr/bin/env bash
# How time and peak memory grow with the work: lines, documents, schemas, rules, values.
#
#   benches/growth.sh [-r RUNS] [-g GROUP,...] [-m LIMIT] [AOV] > growth.tsv
#
# AOV is a release build (default: target/release/aov). -g names groups, -m leaves out work of more items
# than LIMIT. Needs bash, awk and, for peak memory, GNU time. All work is made here: lines are piped and
# not stored but for the shortest, documents lie in a folder that is removed in the end, in which 1 GB
# has to fit.
#
# cpu is the time of the processor (user and system, all threads), wall the clock's; both of the median
# of RUNS (5). Short runs are repeated until 0.2 s are full. ns/item is the processor's time without
# that of a run that does nothing (the row start), by item: a line, a byte of a document, a keyword, a
# rule, a value.
set -euo pipefail

RUNS=5 ONLY= LIMIT=100000000000
while getopts r:g:m: option; do
  case $option in
    r) RUNS=$OPTARG ;;
    g) ONLY=$OPTARG ;;
    m) LIMIT=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
AOV=${1:-target/release/aov}
[ -x "$AOV" ] || { echo "there is no $AOV: cargo build --release --locked" >&2; exit 2; }
AOV=$(readlink -f "$AOV")
GNU_TIME=$(type -P time || true)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export LC_ALL=C TIMEFORMAT='%R %U %S'

SCHEMA='{"type":"object","required":["invoice_id","currency","line_items","total"],"properties":{"invoice_id":{"type":"string","pattern":"^INV-[0-9]{4}$"},"currency":{"enum":["USD","EUR"]},"line_items":{"type":"array","minItems":1,"items":{"type":"object","required":["sku","qty","line_total"],"properties":{"sku":{"type":"string"},"qty":{"type":"integer","minimum":1},"line_total":{"type":"number","minimum":0}}}},"total":{"type":"number"}}}'
echo "$SCHEMA" > "$WORK/schema.json"
echo "{\"type\":\"array\",\"items\":$SCHEMA}" > "$WORK/array.json"
echo '[{"type":"sum_equals","field":"line_items[].line_total","equals_field":"total"}]' > "$WORK/rules.json"

# invoices COUNT SEPARATOR [BAD]: so many invoices of 1 to 4 items, a thousand different ones over and over;
# with BAD, every one breaks the schema.
invoices() {
  awk -v n="$1" -v separator="$2" -v bad="${3:-}" '
    function random(below) { seed = (seed * 16807) % 2147483647; return seed % below }
    BEGIN {
      seed = 20260101; lines = separator == "\n"
      for (i = 0; i < 1000; i++) {
        items = 1 + random(4); sum = 0; text = ""
        for (j = 0; j < items; j++) {
          qty = 1 + random(20); cents = qty * (100 + random(20000)); sum += cents
          text = text (j ? "," : "") sprintf("{\"sku\":\"SKU-%05d\",\"qty\":%d,\"line_total\":%.2f}", random(50000), qty, cents / 100)
        }
        one[i] = sprintf("{\"invoice_id\":\"INV-%04d\",\"currency\":\"%s\",\"line_items\":[%s],\"total\":%.2f}", random(10000), bad ? "usd" : i % 3 ? "USD" : "EUR", text, sum / 100)
        all = all one[i] (lines || i < 999 ? separator : "")
      }
      for (left = n; left >= 1000; left -= 1000) printf "%s%s", all, (!lines && left > 1000 ? separator : "")
      for (i = 0; i < left; i++) printf "%s%s", one[i], (lines || i < left - 1 ? separator : "")
    }'
}

wanted() { [ -z "$ONLY" ] || [[ ",$ONLY," == *",$1,"* ]]; }

# once INPUT COMMAND...: prints "wall cpu" of one run, in seconds. INPUT is a file that is run on as often
# as 0.2 s hold, or | where the caller pipes. Only the command is timed; its clock includes waiting for
# the pipe.
once() {
  local input=$1 times=1 spent wall user system
  shift
  while :; do
    spent=$({ time {
      for ((i = 0; i < times; i++)); do
        if [ "$input" = "|" ]; then "$@" > /dev/null 2>&1 || [ $? -eq 1 ] || exit 3
        else "$@" < "$input" > /dev/null 2>&1 || [ $? -eq 1 ] || exit 3; fi
      done
    }; } 2>&1)
    read -r wall user system <<< "$spent"
    if [ "$input" = "|" ] || awk "BEGIN { exit !($wall >= 0.2 || $times >= 1024) }"; then break; fi
    times=$((times * 4))
  done
  awk -v w="$wall" -v u="$user" -v s="$system" -v n=$times 'BEGIN { printf "%.9f %.9f\n", w / n, (u + s) / n }'
}

# measure GROUP SIZE ITEMS INPUT COMMAND...: a row. INPUT is a file, or a function whose output is piped.
# Exit status 1 is a verdict, any other an error.
measure() {
  local group=$1 size=$2 items=$3 input=$4 run peak=-
  shift 4
  [ "$items" -le "$LIMIT" ] || return 0
  : > "$WORK/runs"
  for ((run = 0; run < RUNS; run++)); do
    if [ -e "$input" ]; then once "$input" "$@"; else $input | once "|" "$@"; fi >> "$WORK/runs" \
      || { echo "$group $size: the command failed: $*" >&2; return 1; }
  done
  if [ -n "$GNU_TIME" ]; then
    if [ -e "$input" ]; then "$GNU_TIME" -q -o "$WORK/peak" -f %M "$@" < "$input" > /dev/null 2>&1 || true
    else $input | "$GNU_TIME" -q -o "$WORK/peak" -f %M "$@" > /dev/null 2>&1 || true; fi
    peak=$(tail -n 1 "$WORK/peak")
  fi
  sort -g -k2 "$WORK/runs" | awk -v g="$group" -v size="$size" -v items="$items" -v peak="$peak" -v start="$START" '
    { wall[NR] = $1; cpu[NR] = $2 }
    function each(seconds) { return (seconds > start ? seconds - start : 0) * 1e9 / items }
    END {
      m = int((NR + 1) / 2)
      printf "%s\t%s\t%d\t%.6f\t%.6f\t%.1f\t%.1f\t%.1f\t%s\n", g, size, items, wall[m], cpu[m], each(cpu[1]), each(cpu[m]), each(cpu[NR]), (peak == "-" ? "-" : sprintf("%.1f", peak / 1024))
    }'
}

printf 'group\tsize\titems\twall s\tcpu s\tns/item min\tns/item\tns/item max\tpeak MiB\n'

# What every run costs before it does anything.
echo '{}' > "$WORK/empty.json"
echo 'true' > "$WORK/true.json"
START=0
row=$(measure start 1 1 /dev/null "$AOV" verify -q -s "$WORK/true.json" "$WORK/empty.json")
echo "$row"
START=$(cut -f 5 <<< "$row")

# Lines, piped: the verdict alone, a compact response for each, a signed receipt for each; and lines of which
# each fails, with a whole response.
for n in 1000 10000 100000 1000000 10000000; do
  [ "$n" -le "$LIMIT" ] || continue
  lines() { invoices "$n" $'\n'; }
  failing() { invoices "$n" $'\n' bad; }
  all=lines bad=failing
  if [ "$n" -le 10000 ]; then
    # Too short for a pipe's clock: these are run again and again, on a file.
    all=$WORK/lines bad=$WORK/failing
    lines > "$all"
    failing > "$bad"
  fi
  if wanted lines; then
    measure lines "$n" "$n" "$all" "$AOV" verify -q -s "$WORK/schema.json" --lines -
  fi
  if wanted lines-report; then
    measure lines-report "$n" "$n" "$all" "$AOV" verify -s "$WORK/schema.json" --lines --detail compact --format ndjson -
  fi
  if wanted lines-signed && [ "$n" -le 1000000 ]; then
    [ -e "$WORK/key.json" ] || "$AOV" keygen -o "$WORK/key.json" > /dev/null 2>&1
    measure lines-signed "$n" "$n" "$all" "$AOV" attest --key "$WORK/key.json" -s "$WORK/schema.json" -r "$WORK/rules.json" --lines --detail compact --format ndjson -
  fi
  if wanted lines-failing && [ "$n" -le 1000000 ]; then
    measure lines-failing "$n" "$n" "$bad" "$AOV" verify -s "$WORK/schema.json" --lines --format ndjson -
  fi
done

# One document, an array of invoices of 196 bytes: the verdict alone (from 1 MiB on element by element), a
# whole report, and a report of an array whose every element fails. Items are bytes.
for kilobytes in 1 10 100 1000 10000 100000 1000000; do
  wanted document || wanted document-report || wanted document-failing || break
  [ $((kilobytes * 1000)) -le "$LIMIT" ] || continue
  count=$((kilobytes * 51 / 10))
  { printf '['; invoices "$count" ,; printf ']'; } > "$WORK/document.json"
  bytes=$(wc -c < "$WORK/document.json")
  if wanted document; then
    measure document "$kilobytes kB" "$bytes" /dev/null "$AOV" verify -q -s "$WORK/array.json" "$WORK/document.json"
  fi
  if [ "$kilobytes" -le 100000 ]; then
    if wanted document-report; then
      measure document-report "$kilobytes kB" "$bytes" /dev/null "$AOV" verify -s "$WORK/array.json" --format json "$WORK/document.json"
    fi
    if wanted document-failing; then
      { printf '['; invoices "$count" , bad; printf ']'; } > "$WORK/document.json"
      bytes=$(wc -c < "$WORK/document.json")
      measure document-failing "$kilobytes kB" "$bytes" /dev/null "$AOV" verify -s "$WORK/array.json" --format json "$WORK/document.json"
    fi
  fi
  rm -f "$WORK/document.json"
done

# Schemas by their keywords, ten for each member of the output: compiled once, every keyword applied once.
for n in 10 100 1000 10000; do
  wanted schema || break
  awk -v n=$n 'BEGIN {
    printf "{\"type\":\"object\",\"properties\":{"
    for (i = 0; i < n / 10; i++) printf "%s\"member_%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"}],\"type\":\"string\",\"minLength\":1,\"maxLength\":40,\"pattern\":\"^[a-z]+-%d$\",\"not\":{\"const\":\"x-%d\"}}", i ? "," : "", i, i, i, i
    printf "},\"$defs\":{"
    for (i = 0; i < n / 10; i++) printf "%s\"d%d\":{\"enum\":[\"a-%d\",\"value-%d\"],\"type\":\"string\"}", i ? "," : "", i, i, i
    printf "}}"
  }' > "$WORK/large-schema.json"
  awk -v n=$n 'BEGIN {
    printf "{"; for (i = 0; i < n / 10; i++) printf "%s\"member_%d\":\"value-%d\"", i ? "," : "", i, i; printf "}"
  }' > "$WORK/members.json"
  measure schema "$n" "$n" /dev/null "$AOV" verify -q -s "$WORK/large-schema.json" "$WORK/members.json"
done

# rules COUNT: rules of all types over the records of values(), the types in turn.
rules() {
  awk -v n="$1" 'BEGIN {
    printf "["
    for (i = 0; i < n; i++) {
      if (i % 6 == 0) rule = "\"sum_equals\",\"field\":\"rows[].amount\",\"equals_field\":\"total\""
      if (i % 6 == 1) rule = "\"unique\",\"field\":\"rows[].id\""
      if (i % 6 == 2) rule = "\"exists_in\",\"field\":\"rows[].next\",\"in_field\":\"rows[].id\""
      if (i % 6 == 3) rule = "\"gte\",\"field\":\"rows[].amount\",\"value\":0"
      if (i % 6 == 4) rule = "\"lte\",\"field\":\"rows[].from\",\"other_field\":\"rows[].to\""
      if (i % 6 == 5) rule = "\"sum_equals\",\"field\":\"rows[].parts[]\",\"equals_field\":\"rows[].amount\""
      printf "%s{\"type\":%s}", i ? "," : "", rule
    }
    printf "]"
  }'
}

# values COUNT: a document of so many rows.
values() {
  awk -v n="$1" 'BEGIN {
    printf "{\"rows\":["
    for (i = 0; i < n; i++) {
      printf "%s{\"id\":\"row-%d\",\"next\":\"row-%d\",\"amount\":%d.5,\"parts\":[%d,0.25,0.25],\"from\":\"2026-01-01\",\"to\":\"2026-01-%02d\"}", i ? "," : "", i, (i * 7919 + 1) % n, i % 1000, i % 1000, 1 + i % 28
      sum += i % 1000 + 0.5
    }
    printf "],\"total\":%.1f}", sum
  }'
}

# Rules by their number, over 100 rows.
for n in 1 10 100 1000; do
  wanted rules || break
  rules $n > "$WORK/many-rules.json"
  values 100 > "$WORK/rows.json"
  measure rules $n $n /dev/null "$AOV" verify -q -r "$WORK/many-rules.json" "$WORK/rows.json"
done

# Each kind of rule by the values that it is about.
for kind in sum unique exists gte lte sums; do
  for n in 100 1000 10000 100000 1000000; do
    wanted "values-$kind" || wanted values || break
    [ "$n" -le "$LIMIT" ] || continue
    case $kind in sum) at=0 ;; unique) at=1 ;; exists) at=2 ;; gte) at=3 ;; lte) at=4 ;; sums) at=5 ;; esac
    rules 6 | awk -v at=$at '{ n = split(substr($0, 2, length($0) - 2), each, /,\{/); printf "[%s%s]", at ? "{" : "", each[at + 1] }' > "$WORK/one-rule.json"
    values "$n" > "$WORK/rows.json"
    measure "values-$kind" "$n" "$n" /dev/null "$AOV" verify -q -r "$WORK/one-rule.json" "$WORK/rows.json"
  done
done
