"""AttnLab for a class or the public: `streamlit run hosted.py`, or `make host`.

The same app as `app.py` in its careful form (`attnlab/ui/hosting.py`), behind security headers and
a limit on sessions (`attnlab/ui/server.py`), with one sentence instead of a traceback. The README
lists the variables that change its limits.
"""

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

# Before anything of AttnLab is imported, which reads it once.
os.environ["ATTNLAB_HOSTED"] = "1"

from attnlab.ui import hosting, server

_INDEX = Path(st.__file__).parent / "static" / "index.html"


def apologise(error: Exception) -> bool:
    """One sentence where the page would have been; Streamlit has logged the traceback."""
    st.text(f"{hosting.UNFORESEEN} Change the sentences or reload the page to go on.")
    return True


app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[
        Middleware(
            server.Doorkeeper,
            headers=server.security_headers(_INDEX.read_text("utf-8")),
            sessions=int(os.environ.get("ATTNLAB_SESSIONS", "200")),
        )
    ],
    on_script_error=apologise,
)
