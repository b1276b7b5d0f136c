# SPDX-License-Identifier: Apache-2.0
"""A gateway on the path, by the words of sim/gateway/README.md."""

import math
from contextlib import suppress

from arqlink.errors import UserError
from arqlink.gateway.gateway import Gateway

SYNTAX = "MODE[,WORD,…]"
OF_GATEWAY = ("cache", "flows", "queue", "mtu", "idle")
"""Words that are of the whole gateway: the others are of the class of all flows."""
SLOT_BYTES = 2048


def _number(text):
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    raise UserError(f"'{text}' is not a number.")


def _whole(text):
    try:
        return int(text)
    except ValueError:
        raise UserError(f"'{text}' is not a whole number.") from None


def _ports(text):
    first, _, last = text.partition("-")
    return [_whole(first), _whole(last or first)]


READ = (
    dict.fromkeys(("cache", "flows", "queue", "mtu", "dupacks", "dscp"), _whole)
    | dict.fromkeys(("idle", "reserve", "min_rto", "max_rto", "give_up"), _number)
    | dict.fromkeys(("local", "remote", "advertise", "sender"), str)
    | {"ports": _ports}
)
"""How the value of a word is read."""


def read(word):
    """Name and value of a word, as the description has them."""
    name, _, value = word.partition("=")
    if word == "both":
        return name, True
    if name not in READ:
        raise UserError(f"'{word}' is nothing that a gateway has; there are both, {', '.join(READ)}.")
    if not value:
        raise UserError(f"'{name}' of the gateway needs a value: write {name}=VALUE.")
    return name, READ[name](value)


def flow_class(mode, words):
    """A class of flows, and what is done with them."""
    return {"mode": mode} | dict(map(read, words))


def description(text, packet_bytes):
    """Of the gateway `MODE[,WORD,…]`, for packets of so many bytes. Raises UserError."""
    mode, *words = text.split(",")
    values = flow_class(mode, words)
    described = {name: values.pop(name) for name in OF_GATEWAY if name in values} | {"classes": [values]}
    if "cache" in described:
        described["slot"] = max(SLOT_BYTES, packet_bytes)
    Gateway(described)
    return described


def words(text):
    """MODE and the words with a value, as name -> value."""
    mode, *given = text.split(",")
    return mode, dict(word.split("=", 1) for word in given if "=" in word)
