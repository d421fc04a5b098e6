"""How Sphinx makes the site of the documents: `make docs` runs it on a copy, beside pages that are generated."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from python_api import as_rst

from schedlab import __version__

project = "schedlab"
author = "The schedlab developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
# Options such as --json keep both dashes.
smartquotes = False
highlight_language = "text"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme = "furo"
html_title = f"schedlab {__version__}"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
# Summaries would be fetched, which a browser refuses for files.
html_show_search_summary = False
html_show_copyright = False
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"


def _docstring(app, what, name, obj, options, lines):
    lines[:] = as_rst(lines)


def setup(app):
    app.connect("autodoc-process-docstring", _docstring)
