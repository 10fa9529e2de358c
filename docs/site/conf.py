"""The pages of docs/ as a site: `make site`. Every warning is an error, and nothing in the site comes from elsewhere."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

project = "SchemaMem"
author = "the authors of SchemaMem"
version = release = re.search(r"project\(schemamem VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site", "results/tables"]
nitpicky = False  # annotations name types of NumPy and PyTorch, whose pages are elsewhere

myst_heading_anchors = 3
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # transcripts and formats with ellipses

# The reference is made of the sources: neither the compiled half nor PyTorch has to be there.
autodoc_mock_imports = ["schemamem._core", "torch"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}

html_theme = "furo"
html_title = "SchemaMem"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # it fetches pages, which a browser does not do from files
html_extra_path = [str(ROOT / "build" / "docs")]  # html/: what Doxygen made of include/schemamem
html_theme_options = {"navigation_with_keys": True}
