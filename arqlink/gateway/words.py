# SPDX-License-Identifier: Apache-2.0
"""A gateway on the path, by the words of sim/gateway/README.md."""

from arqlink.errors import UserError
from arqlink.gateway.gateway import Gateway

SYNTAX = "MODE[,WORD,…]"
OF_GATEWAY = ("cache", "flows", "queue", "idle")
"""Words that are lines of their own in a description: the others are of the class of all flows."""
SLOT_BYTES = 2048


def description(text, packet_bytes):
    """The lines that describe the gateway `MODE[,WORD,…]`, for packets of so many bytes. Raises UserError."""
    mode, *words = text.split(",")
    of_class = [word for word in words if word.partition("=")[0] not in OF_GATEWAY]
    values = {name: value for name, _, value in (word.partition("=") for word in words) if name in OF_GATEWAY}
    if empty := [name for name, value in values.items() if not value]:
        raise UserError(f"'{empty[0]}' of the gateway needs a value: write {empty[0]}=N.")
    if "cache" in values:
        values["cache"] += f" {max(SLOT_BYTES, packet_bytes)}"
    lines = [*(f"{name} {value}" for name, value in values.items()), " ".join(["class", mode, *of_class])]
    Gateway("\n".join(lines))
    return lines


def words(text):
    """MODE and the words with a value, as name -> value."""
    mode, *given = text.split(",")
    return mode, dict(word.split("=", 1) for word in given if "=" in word)
