"""Codes of rooms, written from PROTOCOL.md alone: the section Codes of its chapter Room.

CPace on ristretto255 (RFC 9496) with SHA-512. Slow, and not for secrets: nothing here takes the same time for all
inputs. Uses the curve's arithmetic of decode.py.
"""

import hashlib
import hmac

from decode import Refused, need
from decode import _add as add, _times as times, _P as P, _D as D, _ROOT as ROOT

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ23456789"
CHARACTERS = 4
DOMAIN = b"CPaceRistretto255"
BLOCK = 128


# --- The group


def even(value):
    """The one of a number and its negative that counts as not negative."""
    value %= P
    return P - value if value & 1 else value


SQRT_M1 = even(ROOT)
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235


def sqrt_ratio(u, v):
    """Whether u/v is a square, and its root or that of its product with the root of -1."""
    root = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * root * root % P
    if check in (-u % P, -u * SQRT_M1 % P):
        root = root * SQRT_M1 % P
    return check in (u % P, -u % P), even(root)


INVSQRT_A_MINUS_D = sqrt_ratio(1, -1 - D)[1]


def element(data):
    """The element that 32 bytes encode; refused when they encode none."""
    s = int.from_bytes(data, "little")
    need(len(data) == 32 and s < P and not s & 1, "no element")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    is_square, inverse = sqrt_ratio(1, v * u2 * u2 % P)
    x = even(2 * s * inverse * u2)
    y = u1 * inverse * inverse * u2 * v % P
    need(is_square and not (x * y % P) & 1 and y, "no element")
    return (x, y, 1, x * y % P)


def encoded(point):
    """The one encoding of an element."""
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    inverse = sqrt_ratio(1, u1 * u2 * u2 % P)[1]
    one, two = inverse * u1 % P, inverse * u2 % P
    z_inverse = one * two * t % P
    if (t * z_inverse % P) & 1:
        x, y, two = y * SQRT_M1 % P, x * SQRT_M1 % P, one * INVSQRT_A_MINUS_D % P
    if (x * z_inverse % P) & 1:
        y = -y
    return even(two * (z - y)).to_bytes(32, "little")


def mapped(data):
    """An element from 32 bytes of a hash."""
    t = (int.from_bytes(data, "little") & (1 << 255) - 1) % P
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D) % P
    v = (-1 - r * D) * (r + D) % P
    is_square, s = sqrt_ratio(u, v)
    c = -1
    if not is_square:
        s, c = -even(s * t), r
    n = c * (r - 1) * (D - 1) ** 2 - v
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return (w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)


def multiplied(factor, data):
    """An encoded element so many times; refused when that is the neutral one, or there is no element."""
    product = encoded(times(factor, element(data)))
    need(product != bytes(32), "the neutral element")
    return product


# --- CPace


def lengthened(data):
    """Bytes behind their length in LEB128."""
    length, head = len(data), b""
    while length > 127:
        head += bytes([length & 127 | 128])
        length >>= 7
    return head + bytes([length]) + data


def joined(*strings):
    """Several strings, each behind its length."""
    return b"".join(lengthened(one) for one in strings)


def generator(password, channel, session):
    """The element that only those who know the password find."""
    zeros = bytes(max(0, BLOCK - 1 - len(lengthened(password)) - len(lengthened(DOMAIN))))
    hashed = hashlib.sha512(joined(DOMAIN, password, zeros, channel, session)).digest()
    return encoded(add(mapped(hashed[:32]), mapped(hashed[32:])))


def scalar(entropy):
    """A secret number from 32 random bytes."""
    return int.from_bytes(entropy, "little") & (1 << 252) - 1


def session_key(product, session, one, two):
    """The key of both sides, each a share and what it stands for."""
    return hashlib.sha512(joined(DOMAIN + b"_ISK", session, product) + joined(*one) + joined(*two)).digest()


def tag(key, session, side):
    """By what a side shows that it has the key."""
    return hmac.new(hashlib.sha512(b"CPaceMac" + session + key).digest(), joined(*side), "sha512").digest()


# --- Codes


def code(typed):
    """What somebody typed as a code."""
    found = "".join(one.upper() if "a" <= one <= "z" else one for one in typed if one not in " -")
    need(len(found) == CHARACTERS and all(one in ALPHABET for one in found), "no code")
    return found


def exchange(given):
    """What guest and host say to each other: the guest's share, the host's, the guest's tag, the host's."""
    text, session, client, server, guest, host, room, *entropy = given
    base = generator(text.encode(), client + server, session)
    secrets = [scalar(one) for one in entropy]
    shares = [multiplied(one, base) for one in secrets]
    sides = [(share, room + peer) for share, peer in zip(shares, (guest, host))]
    product = multiplied(secrets[0], shares[1])
    need(product == multiplied(secrets[1], shares[0]), "both sides find the same")
    key = session_key(product, session, *sides)
    return shares + [tag(key, session, side) for side in sides]


def draft(password, channel, session, one, two, data):
    """The example of the draft: generator, shares, product and key."""
    base = generator(password, channel, session)
    secrets = [int.from_bytes(entropy, "little") for entropy in (one, two)]
    shares = [multiplied(secret, base) for secret in secrets]
    product = multiplied(secrets[0], shares[1])
    return [base, *shares, product, session_key(product, session, *zip(shares, data))]


def is_element(data):
    """Whether a share can be used at all."""
    try:
        multiplied(2, data)
    except Refused:
        return False
    return True
