"""XSalsa20-Poly1305 with a shared key or between two X25519 keys, as NaCl's secretbox and box do it, and
ChaCha20-Poly1305 (RFC 8439).

Public algorithms, with Python's standard library alone, as slow as that is.
"""

import hashlib
import hmac

NONCE = 24
_PRIME = 2**255 - 19
_CONSTANTS = b"expand 32-byte k"


def _rotate(word, bits):
    return (word << bits | word >> 32 - bits) & 0xFFFFFFFF


_QUARTERS = (
    (0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),
    (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14),
)


def _words(data):
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def _bytes(words):
    return b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in words)


def _start(key, block):
    c, k, n = _words(_CONSTANTS), _words(key), _words(block)
    return [c[0], *k[:4], c[1], *n, c[2], *k[4:], c[3]]


def _rounds(state):
    x = list(state)
    for _ in range(10):
        for a, b, c, d in _QUARTERS:
            x[b] ^= _rotate(x[a] + x[d] & 0xFFFFFFFF, 7)
            x[c] ^= _rotate(x[b] + x[a] & 0xFFFFFFFF, 9)
            x[d] ^= _rotate(x[c] + x[b] & 0xFFFFFFFF, 13)
            x[a] ^= _rotate(x[d] + x[c] & 0xFFFFFFFF, 18)
    return x


def hsalsa20(key, block):
    """32 bytes of a key and 16 bytes."""
    x = _rounds(_start(key, block))
    return _bytes([x[0], x[5], x[10], x[15], *x[6:10]])


def xsalsa20(key, nonce, count):
    """This many bytes of key stream."""
    inner = hsalsa20(key, nonce[:16])
    out = b""
    for number in range((count + 63) // 64):
        start = _start(inner, nonce[16:] + number.to_bytes(8, "little"))
        out += _bytes([a + b for a, b in zip(start, _rounds(start))])
    return out[:count]


def poly1305(key, data):
    """The authenticator of 16 bytes."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(data), 16):
        total = (total + int.from_bytes(data[at : at + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return (total + int.from_bytes(key[16:], "little") & 2**128 - 1).to_bytes(16, "little")


_CHACHA_QUARTERS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)


def chacha20(key, nonce, count):
    """This many bytes of key stream, from block 0 on."""
    out = b""
    for number in range((count + 63) // 64):
        start = [*_words(_CONSTANTS), *_words(key), number, *_words(nonce)]
        x = list(start)
        for _ in range(10):
            for a, b, c, d in _CHACHA_QUARTERS:
                for to, plus, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                    x[to] = x[to] + x[plus] & 0xFFFFFFFF
                    x[turned] = _rotate(x[turned] ^ x[to], bits)
        out += _bytes([a + b for a, b in zip(start, x)])
    return out[:count]


def _padded(data):
    return data + bytes(-len(data) % 16)


def _chacha_tag(stream, sealed, additional):
    lengths = len(additional).to_bytes(8, "little") + len(sealed).to_bytes(8, "little")
    text = _padded(additional) + _padded(sealed) + lengths
    return poly1305(stream[:32], text)


def chacha_seal(key, nonce, plain, additional):
    """The ciphertext and its authenticator."""
    stream = chacha20(key, nonce, 64 + len(plain))
    sealed = bytes(one ^ two for one, two in zip(plain, stream[64:]))
    return sealed + _chacha_tag(stream, sealed, additional)


def chacha_open(key, nonce, sealed, additional):
    """The plaintext; None when it was not sealed with the key, the nonce and the additional bytes."""
    if len(sealed) < 16:
        return None
    data, tag = sealed[:-16], sealed[-16:]
    stream = chacha20(key, nonce, 64 + len(data))
    if not hmac.compare_digest(_chacha_tag(stream, data, additional), tag):
        return None
    return bytes(one ^ two for one, two in zip(data, stream[64:]))


def secretbox_open(key, sealed):
    """The plaintext of nonce, authenticator and ciphertext; None when it was not sealed with the key."""
    if len(sealed) < NONCE + 16:
        return None
    nonce, tag, data = sealed[:NONCE], sealed[NONCE : NONCE + 16], sealed[NONCE + 16 :]
    stream = xsalsa20(key, nonce, 32 + len(data))
    if not hmac.compare_digest(poly1305(stream[:32], data), tag):
        return None
    return bytes(one ^ two for one, two in zip(data, stream[32:]))


def x25519(scalar, point):
    """Scalar multiplication (RFC 7748 section 5)."""
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 255) - 1 | 1 << 254
    u = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for bit in range(254, -1, -1):
        if swap ^ (k >> bit & 1):
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = k >> bit & 1
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a % _PRIME, c * b % _PRIME, a * a % _PRIME, b * b % _PRIME
        x3, z3 = (da + cb) ** 2 % _PRIME, u * (da - cb) ** 2 % _PRIME
        x2, z2 = aa * bb % _PRIME, (aa - bb) * (aa + 121665 * (aa - bb)) % _PRIME
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, _PRIME - 2, _PRIME) % _PRIME).to_bytes(32, "little")


def box_keys(seed):
    """The secret and the public key of a seed."""
    secret = hashlib.sha512(seed).digest()[:32]
    return secret, x25519(secret, (9).to_bytes(32, "little"))


def box_open(secret, public, sealed):
    """What the holder of a public key sealed for the holder of a secret key, or the other way round."""
    return secretbox_open(hsalsa20(x25519(secret, public), bytes(16)), sealed)
