"""Verifies and signs receipts, with nothing but Python's standard library.

Written from docs/receipts.md, RFC 8785 and RFC 8032 alone, so that it shares no code and no mistake
with aov. For tests: the arithmetic takes no care to hide a secret key.

    verify_receipt.py verify CARD RECEIPT...   a line for each: "verified" or "refused: why"
    verify_receipt.py sign SEED < RESPONSE     the receipt; SEED is 64 hex digits
    verify_receipt.py card SEED VERSION        an agent-card with the seed's public key
    verify_receipt.py message < RECEIPT        the bytes that its signature is over
"""

import base64
import binascii
import hashlib
import json
import sys

CONTEXTS = {
    False: "json-schema-verifier/verify-schema-attestation/v1",
    True: "json-schema-verifier/trust-score-attestation/v1",
}
EXTENSION = "urn:json-schema-verifier:extension:attestation:"


class Refused(Exception):
    """Why something does not verify."""


# JSON, read strictly: no member twice, nothing that is not finite.


def members(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Refused("a member stands there twice")
    return dict(pairs)


def finite(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Refused("a number is out of range")
    return number


def no_constant(name):
    raise Refused(f"{name} is not JSON")


def parse(data):
    return json.loads(
        data.decode("utf-8"),
        object_pairs_hook=members,
        parse_float=finite,
        parse_constant=no_constant,
    )


# Canonical form: RFC 8785, but an integer keeps its digits.

SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def canonical_string(text):
    escaped = (SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text)
    return '"' + "".join(escaped) + '"'


def canonical_double(number):
    if number == 0:
        return "0"
    # repr gives the fewest digits that read back as the same double; only their layout is Python's.
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    all_digits = whole + fraction
    digits = all_digits.lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or "0") - (len(all_digits) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        padded = digits.ljust(point, "0")
        text = padded[:point] + ("." + padded[point:] if padded[point:] else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1:+d}"
    return ("-" if number < 0 else "") + text


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return canonical_double(value)
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(f"{canonical_string(n)}:{canonical(value[n])}" for n in names) + "}"


# Ed25519: RFC 8032, section 5.1, with points in extended coordinates.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m = (y1 - x1) * (y2 - x2)
    n = (y1 + x1) * (y2 + x2)
    c = 2 * t1 * t2 * D
    d = 2 * z1 * z2
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    product = NEUTRAL
    while scalar:
        if scalar & 1:
            product = add(product, point)
        point = add(point, point)
        scalar >>= 1
    return product


def encode(point):
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(data):
    """A point from 32 bytes; only its one canonical encoding counts."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        raise Refused("a point is not encoded canonically")
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        raise Refused("no point of the curve")
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def has_small_order(point):
    return encode(multiply(8, point)) == encode(NEUTRAL)


def challenge(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def secret_of(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & (1 << 254) - 8 | 1 << 254, digest[32:]


def public_of(seed):
    return encode(multiply(secret_of(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = secret_of(seed)
    nonce = challenge(prefix, message)
    commitment = encode(multiply(nonce, BASE))
    answer = nonce + challenge(commitment, public_of(seed), message) * scalar
    return commitment + (answer % ORDER).to_bytes(32, "little")


def verify(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        raise Refused("a key has 32 bytes, a signature 64")
    key, commitment = decode(public), decode(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if answer >= ORDER:
        raise Refused("S is not canonical")
    if has_small_order(key) or has_small_order(commitment):
        raise Refused("a point of small order")
    times = challenge(signature[:32], public, message)
    if encode(multiply(answer, BASE)) != encode(add(commitment, multiply(times, key))):
        raise Refused("not this key's signature over these values")


# Receipts.


def decoded(text):
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise Refused(f"not base64: {error}") from error
    if base64.b64encode(data).decode() != text:
        raise Refused("not base64: stray bits or padding")
    return data


def signed_message(receipt):
    attestation = receipt["attestation"]
    response = {name: value for name, value in receipt.items() if name != "attestation"}
    document = {
        "context": CONTEXTS["trust_score" in receipt],
        "algorithm": attestation["algorithm"],
        "key_version": attestation["key_version"],
        "attested_at": attestation["timestamp"],
        "response": response,
    }
    return canonical(document).encode("utf-8")


def key_of(card, version):
    found = {
        entry["publicKey"]
        for extension in card["capabilities"]["extensions"]
        if extension["uri"].startswith(EXTENSION)
        for entry in extension["params"]["publicKeys"]
        if entry["keyVersion"] == version and entry["algorithm"] == "Ed25519"
    }
    if len(found) != 1:
        raise Refused(f"the card has {len(found)} keys of version {version}")
    return decoded(found.pop())


def verify_receipt(card, receipt):
    attestation = receipt["attestation"]
    if attestation["algorithm"] != "Ed25519":
        raise Refused("the algorithm is not Ed25519")
    if attestation["key_version"] != receipt["verify"]["key_version"]:
        raise Refused("the key versions differ")
    at = "scored_at" if "trust_score" in receipt else "verified_at"
    if attestation["timestamp"] != receipt.get(at, attestation["timestamp"]):
        raise Refused("the times differ")
    key = key_of(card, attestation["key_version"])
    verify(key, signed_message(receipt), decoded(attestation["signature"]))


def sign_receipt(seed, response):
    attestation = {
        "algorithm": "Ed25519",
        "key_version": response["verify"]["key_version"],
        "timestamp": response["scored_at" if "trust_score" in response else "verified_at"],
    }
    receipt = {**response, "attestation": attestation}
    signature = sign(seed, signed_message(receipt))
    attestation["signature"] = base64.b64encode(signature).decode()
    return receipt


def card_of(seed, version):
    public = base64.b64encode(public_of(seed)).decode()
    key = {"keyVersion": version, "algorithm": "Ed25519", "publicKey": public}
    return {
        "name": "an independent signer",
        "capabilities": {"extensions": [{"uri": EXTENSION + "v1", "params": {"publicKeys": [key]}}]},
    }


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(command, *arguments):
    if command == "verify":
        card = parse(read(arguments[0]))
        worst = 0
        for path in arguments[1:]:
            try:
                verify_receipt(card, parse(read(path)))
                print("verified")
            except (Refused, LookupError, TypeError, AttributeError, ValueError) as error:
                print(f"refused: {type(error).__name__}: {error}")
                worst = 1
        return worst
    if command == "message":
        answer = signed_message(parse(sys.stdin.buffer.read()))
    elif command == "sign":
        receipt = sign_receipt(bytes.fromhex(arguments[0]), parse(sys.stdin.buffer.read()))
        answer = json.dumps(receipt, indent=2).encode()
    elif command == "card":
        answer = json.dumps(card_of(bytes.fromhex(arguments[0]), arguments[1])).encode()
    else:
        sys.exit(__doc__)
    sys.stdout.buffer.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if sys.argv[1:] else __doc__)
