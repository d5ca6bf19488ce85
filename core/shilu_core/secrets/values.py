"""Is the value that stands where a secret would stand a secret, or something else in its place?"""

from __future__ import annotations

import math
import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"""(?ix)
    ^<[^<>]*>$ | ^\{\{.*\}\}$ | ^\[[^\]]*\]$ | ^__\w+__$ | ^%\w+%$ | ^\{[\w .-]*\}$     # <your-key>, {{ key }}, %KEY%
    | x{4,} | \*{3,} | •{2,} | \.{3} | … | ●{2,} | _{4,} | -{5,} | \#{4,} | ^[x*.•?_-]+$
    | ^(?:your|my|the|insert|enter|put|paste|replace|add|some|any|user)[-_ ][\w -]*$
    | (?:^|[-_])(?:placeholder|redacted|masked|hidden|changeme|change[-_]me|replace[-_]?me|todo|tbd|fixme|dummy|omitted|removed)(?:$|[-_])
    | ^(?:example|sample|fake|dummy|none|null|nil|undefined|empty|unset|true|false|yes|no|required|optional|string|str|bytes|int|
        integer|number|text|char|varchar|boolean|bool|object|any|void|type|field|value|key|secret|password|passwd|pwd|token|n/a|na|
        here|foo|bar|baz|foobar|abc|abcd|xyz|test|insert|default|unknown|secretstr|self|this|cls|const|let|var|function|return)$
    | 占位|示例|脱敏|已隐藏|你的|您的|妳的|佔位|範例|脫敏
    """
)
_REFERENCE = re.compile(
    r"""(?x)
    ^\$ | ^%[A-Z_]+% | ^@ | ^!(?:Ref|Sub|GetAtt|vault|secret)\b | ^&\w+$
    | ^(?:~|\.{1,2})?/[\w.@/ -]*$ | ^[A-Za-z]:\\ | ^file: | ^(?:op|vault|ssm|env|secret|secrets|arn|keychain|keyring|sops|gcp|gsm|akv|kms|doppler|bws)[:/]
    | ^(?:process\.env|os\.environ|os\.getenv|getenv|import\.meta|Deno\.env|ENV\[|env[.(\[]|System\.|config[.(\[]|settings[.(\[]|secrets?[.\[(]|self\.|ctx\.|this\.|args\.|vars?\.|data\.|options?\.|params?\.|req\.|request\.|response\.|res\.|state\.)
    | ^[A-Za-z_][\w.]*\(                                   # a call: getpass(), read_secret("x")
    | ^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$                      # the name of an environment variable
    | ^projects/ | ^[\w-]+(?:/[\w.-]+)+$                    # a place in a store: prod/db/password
    | ^https?://[^@\s]*$
    | \.(?:pem|key|crt|cer|p12|pfx|json|ya?ml|toml|env|txt|md|gpg|age|kdbx|conf|ini|netrc|py|js|ts|go|rs|sh)$
    """
)
# Names of things that are neither: algorithms, formats, programs that keep secrets.
_TERM = re.compile(
    r"""(?ix)^(?:1password|bitwarden|keepass(?:xc)?|lastpass|dashlane|keychain|vault|hashicorp|doppler|infisical|sops|age|gpg|yubikey|
    jwt|jws|jwe|oauth2?(?:\.\d)?|oidc|saml2?|ldap|totp|hotp|2fa|mfa|bearer|basic|digest|pkce|fido2?|webauthn|passkeys?|
    bcrypt|scrypt|argon2(?:id|i|d)?|pbkdf2|md5|sha-?\d*(?:[-_/]?\d+)?|hmac(?:[-_]?sha-?\d+)?|[hrep]s(?:256|384|512)|ed25519|ed448|x25519|rsa(?:[-_]?\d+)?|
    aes(?:[-_]?\d+)?(?:[-_]?(?:gcm|cbc|ctr))?|ecdsa|secp256[kr]1|p-?(?:256|384|521)|chacha20(?:-poly1305)?|base(?:16|32|58|62|64)(?:url)?|hex|utf-?8|ascii|ascii85|
    uuid(?:v?\d)?|ulid|nanoid|k8s|kubernetes|aws|gcp|azure|github|gitlab|env|dotenv|\.env|\.netrc|\.pgpass|win32|libsecret|pass|gopass)$"""
)
_UNIT = re.compile(
    r"(?i)^\d+(?:[.,]\d+)?(?:k|m|ms|s|sec|min|h|hr|d|w|day|days|hours?|minutes?|seconds?|weeks?|months?|years?|x|%|kb|mb|gb|kib|mib|b|bit|bits|bytes?|chars?|characters?|digits?)?$"
)
_VERSION = re.compile(r"(?i)^v?\d+(?:\.\d+){1,3}(?:[-+.]?(?:rc|a|b|alpha|beta|dev|post)?\d*)?$")
_DATE = re.compile(r"^\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?(?:T.*)?$|^\d{1,2}:\d{2}(?::\d{2})?$")
_UUID = re.compile(r"(?i)^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$")
_HEX = re.compile(r"(?i)^(?:0x)?[0-9a-f]+$")
_HOST = re.compile(
    r"(?i)^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^localhost(?::\d+)?$|^[\w.+-]+@[\w-]+\.[\w.]+$"
)
_CLASSES = tuple(re.compile(kind) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w]|_"))
_DEFAULTS = frozenset(
    [
        "changeme",
        "change-me",
        "change_me",
        "changeit",
        "letmein",
        "password",
        "passw0rd",
        "admin",
        "root",
        "guest",
        "default",
        "123456",
        "secret",
    ]
)


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits for each."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def is_placeholder(value: str) -> bool:
    """Stands for a secret without being one: `<your-key>`, `xxxx`, `****`, `REDACTED`."""
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) == 1


def is_default(value: str) -> bool:
    """A word such as `changeme`: a placeholder in an example, a password where an account is said to have it."""
    return value.lower() in _DEFAULTS


def is_reference(value: str) -> bool:
    """Says where the secret is kept: a variable, a path, a store's address, a call."""
    return bool(_REFERENCE.search(value))


def is_date(value: str) -> bool:
    """A day or a time of day."""
    return bool(_DATE.match(value))


def is_measure(value: str) -> bool:
    """A number with or without a unit, a version, a date."""
    return bool(_UNIT.match(value) or _VERSION.match(value) or _DATE.match(value))


def is_term(value: str) -> bool:
    """An algorithm, a format, the name of a program, a host or an address."""
    return bool(_TERM.match(value) or _HOST.match(value))


def is_identifier(value: str) -> bool:
    """A UUID or a hexadecimal digest."""
    return bool(_UUID.match(value) or (_HEX.match(value) and len(value) in (7, 8, 12, 32, 40, 64, 96, 128)))


def classes(value: str) -> int:
    """How many of lower case, upper case, digits and signs occur."""
    return sum(1 for kind in _CLASSES if kind.search(value))


def is_no_secret(value: str) -> bool:
    """Any of the things that stand where a secret would stand, and are none."""
    return is_placeholder(value) or is_reference(value) or is_term(value)


def is_random(value: str, *, length: int = 20, bits: float = 3.4) -> bool:
    """Looks drawn by a machine: long, letters and digits mixed, characters spread."""
    if len(value) < length or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    return entropy(value) >= bits and longest_word(value) <= max(7, len(value) // 3)


def longest_word(value: str) -> int:
    """Length of the longest run of letters in one case, as words have them."""
    return max((len(run) for run in re.findall(r"[a-z]+|[A-Z]+", value)), default=0)
