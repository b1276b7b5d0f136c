# SPDX-License-Identifier: Apache-2.0
"""`arqlink paths`: tables of channels over satellites."""

from arqlink_research.paths import tables


def paths():
    """Print the tables of docs/channels.md: shadowing, geostationary and low orbits, bit errors.

    Example: arqlink paths
    """
    for table in tables.TABLES:
        print("\n".join(table()), end="\n\n")
