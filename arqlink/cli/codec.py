# SPDX-License-Identifier: Apache-2.0
"""`arqlink codec encode|decode`: the erasure code on files, through the RTL."""

import sys
from typing import Annotated

import typer

from arqlink import files
from arqlink.cli.options import Waves
from arqlink.errors import UserError
from arqlink.report.progress import progress_bar
from arqlink.run import codec as coder

codec = typer.Typer(no_args_is_help=True, help="Encode a file into N shares and restore it from any K, through the simulated RTL codec.")

K = Annotated[int, typer.Option(help="Units of a stripe that hold data; this many shares restore the file.")]
N = Annotated[int, typer.Option(help="Units of a stripe, so shares in all.")]
Unit = Annotated[int, typer.Option(help="Bytes in a unit.")]
Preset = Annotated[str, typer.Option(help="Evaluation points of the code: zfec, rfc5510 or cauchy.")]


@codec.command()
def encode(
    in_path: Annotated[str, typer.Argument(metavar="IN", help="File to encode; - is standard input.")],
    out: Annotated[list[str], typer.Argument(metavar="OUT", help="A prefix for OUT.00, OUT.01 …, or N names.")],
    k: K,
    n: N,
    unit: Unit = 1024,
    preset: Preset = "zfec",
    waves: Waves = None,
):
    """Encode a file into N shares.

    Each share says what it is, and has a hash of itself and of the file.

    Example: arqlink codec encode --k 4 --n 6 --unit 1024 photo.raw photo
    """
    coder.check(preset, k, n, unit)
    if len(out) == 1 and n > 1:
        if out[0] == files.STANDARD:
            raise UserError(f"{n} shares cannot all go to standard output; give a prefix or {n} names.")
        out = coder.share_paths(out[0], n)
    with progress_bar("frames") as progress:
        coder.encode(in_path, out, k, n, unit, preset, coder.Watch(progress, waves))


@codec.command()
def decode(
    shares: Annotated[list[str], typer.Argument(metavar="SHARES", help="At least K of them; - is standard input.")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="File to write; - is standard output.", show_default=False)] = None,
    waves: Waves = None,
):
    """Restore a file from any K of its shares, whatever they are named.

    Bad shares are named, and left out where enough others are given.

    Example: arqlink codec decode photo.00 photo.02 photo.04 photo.05 -o restored.raw
    """
    if output is None:
        raise UserError("Name the file to write with -o; all other names are of shares.")
    with progress_bar("frames") as progress:
        left_out = coder.decode(shares, output, coder.Watch(progress, waves))
    for sentence in left_out:
        print(sentence, file=sys.stderr)
