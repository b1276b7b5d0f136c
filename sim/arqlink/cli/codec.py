# SPDX-License-Identifier: Apache-2.0
"""`arqlink codec encode|decode`: the erasure code on files, through the RTL."""

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from arqlink.cli.options import Waves
from arqlink.errors import UserError
from arqlink.report.progress import progress_bar
from arqlink.run import codec

codec_app = typer.Typer(no_args_is_help=True, help="Encode a file into N shares and restore it from any K, through the simulated RTL codec.")

K = Annotated[int, typer.Option(help="Units of a stripe that hold data; this many shares restore the file.")]
N = Annotated[int, typer.Option(help="Units of a stripe, so shares in all.")]
Unit = Annotated[int, typer.Option(help="Bytes in a unit.")]
Preset = Annotated[str, typer.Option(help="Evaluation points of the code: zfec, rfc5510 or cauchy.")]


def _guarded(function, *arguments, **options):
    """Runs a codec function; what the user can mend becomes one sentence."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"'{error.filename}': {error.strerror}.") from None


@codec_app.command()
def encode(
    in_path: Annotated[Path, typer.Argument(metavar="IN", help="File to encode.")],
    out: Annotated[list[Path], typer.Argument(metavar="OUT", help="A prefix for OUT.00, OUT.01 …, or N names.")],
    k: K,
    n: N,
    unit: Unit = 1024,
    preset: Preset = "zfec",
    waves: Waves = None,
):
    """Encode a file into N shares.

    The length and the SHA-256 of the file go into OUT.json.

    Example: arqlink codec encode --k 4 --n 6 --unit 1024 photo.raw photo
    """
    _guarded(codec.check, k, n, unit, preset)
    if len(out) == 1 and n > 1:
        out = codec.share_paths(out[0], n)
    with progress_bar("frames") as progress:
        sidecar = _guarded(codec.encode, in_path, out, k, n, unit, preset, codec.Watch(progress, waves))
    print(sidecar)


@codec_app.command()
def decode(
    paths: Annotated[list[Path], typer.Argument(metavar="SHARES OUT", help="At least K shares, then the file to write.")],
    k: K,
    n: N,
    unit: Unit = 1024,
    preset: Preset = "zfec",
    index: Annotated[str | None, typer.Option(metavar="0,3,…", help="Indices of the shares; otherwise from their suffixes .NN.")] = None,
    size: Annotated[int | None, typer.Option(help="Length of the file in bytes; otherwise from OUT.json.")] = None,
    waves: Waves = None,
):
    """Restore a file from any K of its shares.

    Example: arqlink codec decode --k 4 --n 6 --unit 1024 photo.00 photo.02 photo.04 photo.05 restored.raw

    Example: arqlink codec decode --k 2 --n 3 --index 0,2 --size 5000 first third restored
    """
    *shares, out_path = paths
    if not shares:
        raise UserError("Give the shares first and then the file to write.")
    try:
        indices = [int(word) for word in index.split(",")] if index else None
    except ValueError:
        raise UserError(f"--index is '{index}'; it must be a list of numbers such as 0,3,5.") from None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with progress_bar("frames") as progress:
            _guarded(codec.decode, shares, out_path, k, n, unit, preset, indices, size, codec.Watch(progress, waves))
    for warning in caught:
        print(warning.message, file=sys.stderr)
