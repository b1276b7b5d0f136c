# SPDX-License-Identifier: Apache-2.0
"""Drawings of matplotlib as SVG."""

import io


def svg(name, size, draw):
    """SVG of what `draw(axes)` draws, of `size` in inches; the same on each machine, as letters stay text and nothing is dated."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure, axes = plt.subplots(figsize=size)
        draw(axes)
        text = io.StringIO()
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
