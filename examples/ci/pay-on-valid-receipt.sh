#!/bin/sh
# Pays on a receipt, once. Refuses everything else, and says why.
#
#   pay-on-valid-receipt.sh ISSUER REQUEST RECEIPT LEDGER COMMAND [ARGUMENT...]
#
# ISSUER   the host whose receipts you accept, such as verify.sarnai.dev
# REQUEST  your own: your schema, bounds and rules, and the output that was delivered to you
# RECEIPT  what came with the output: a file with one receipt
# LEDGER   a folder with an entry for every receipt that was paid on; keep it
# COMMAND  what makes the payment; it gets the receipt's verification_id as its last argument
#
# With AOV_AGENT_CARD, a file or URL, the issuer's key is taken from that agent-card. Without it,
# aov must know the issuer.
#
# Exit status: 0 paid, 1 refused, 2 the payment's command failed.
set -eu

refuse() {
  printf 'not paid: %s\n' "$1" >&2
  exit 1
}

[ $# -ge 5 ] || refuse "usage: $0 ISSUER REQUEST RECEIPT LEDGER COMMAND [ARGUMENT...]"
issuer=$1 request=$2 receipt=$3 ledger=$4
shift 4
[ -n "$issuer" ] || refuse "no issuer is named"
[ -f "$request" ] || refuse "there is no request $request"
[ -f "$receipt" ] || refuse "there is no receipt $receipt"
[ -d "$ledger" ] || refuse "there is no folder $ledger"

status=0
checked=$(
  aov check-receipt --format ndjson "--issuer=$issuer" --require all "--request=$request" \
    ${AOV_AGENT_CARD:+"--agent-card=$AOV_AGENT_CARD"} -- "$receipt"
) || status=$?
case $status in
  0) ;;
  1)
    printf '%s\n' "$checked" >&2
    refuse "the receipt is false, of another issuer, or of another request"
    ;;
  3)
    printf '%s\n' "$checked" >&2
    refuse "the receipt proves nothing"
    ;;
  *) refuse "the receipt could not be checked" ;;
esac

# One line, for one receipt. What stands before "claimed" is proved. No text in the data can look
# like a member, for the quotes in it are escaped.
case $checked in
  *'
'*) refuse "this is more than one receipt" ;;
esac
proved=${checked%%'"claimed":'*}
case $proved in
  *'"verdict":"valid"'*) ;;
  *) refuse "the receipt is not valid" ;;
esac
case $proved in
  *'"result":"pass"'*) ;;
  *) refuse "the receipt is genuine, and says that the checks failed" ;;
esac
id=$(printf '%s\n' "$proved" | sed -n 's/.*"verification_id":"\([0-9A-Za-z-]*\)".*/\1/p')
[ -n "$id" ] || refuse "the receipt has no usable verification_id"

# Making a folder succeeds once, also for two runs at the same time.
if ! mkdir "$ledger/$id" 2>/dev/null; then
  [ -d "$ledger/$id" ] || refuse "$ledger cannot be written to"
  refuse "this receipt was paid on before: $ledger/$id"
fi
if ! "$@" "$id"; then
  printf 'the command for the payment failed; before you remove %s, find out if it paid\n' \
    "$ledger/$id" >&2
  exit 2
fi
