"""Figures without colours, for print: each colour becomes the grey of its luminance; dashes and hatches stay."""

from __future__ import annotations

from typing import Any

#: Luminance of red, green and blue: Rec. 709.
_LUMINANCE = (0.2126, 0.7152, 0.0722)

#: Properties that are colours, of any artist of matplotlib.
_COLOURED = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor", "hatchcolor")


def make_grey(figure: Any) -> None:
    """Replaces the colours of everything in a figure by greys."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    artists = figure.findobj()
    # An annotation's arrow is not among its children.
    artists += [artist.arrow_patch for artist in artists if getattr(artist, "arrow_patch", None) is not None]
    for artist in artists:
        if isinstance(artist, ScalarMappable) and artist.get_array() is not None:
            colours = artist.get_cmap()
            artist.set_cmap(ListedColormap(_grey(colours(range(colours.N)))))
            continue
        for what in _COLOURED:
            read, write = getattr(artist, f"get_{what}", None), getattr(artist, f"set_{what}", None)
            if read is not None and write is not None:
                _replace(read(), write)


def _replace(colours: Any, write: Any) -> None:
    # A word stands for the colour of something else, or for none.
    if colours is None or (isinstance(colours, str) and colours in ("auto", "face", "edge", "none")):
        return
    greys = _grey(colours)
    if len(greys):
        write(greys if len(greys) > 1 else tuple(greys[0]))


def _grey(colours: Any) -> Any:
    """Returns the greys of the same luminance as `colours`."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    from matplotlib.colors import to_rgba_array

    rgba = to_rgba_array(colours).copy()
    rgba[:, :3] = (rgba[:, :3] @ _LUMINANCE)[:, None]
    return rgba
