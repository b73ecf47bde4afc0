"""AttnLab for a class or the public: `streamlit run hosted.py`.

The same app as `app.py` in its careful form (see `attnlab/ui/hosting.py`), behind security headers,
a limit on sessions, and one sentence instead of a traceback.

    ATTNLAB_SESSIONS     websockets open at a time, 200
    ATTNLAB_MAX_TOKENS   tokens of a text, 512
"""

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

# Before anything of AttnLab is imported, which reads it once.
os.environ["ATTNLAB_HOSTED"] = "1"

from attnlab.ui import hosting

_INDEX = Path(st.__file__).parent / "static" / "index.html"


def apologise(error: Exception) -> bool:
    """One sentence where the page would have been; Streamlit has logged the traceback."""
    st.text(
        "Something unforeseen went wrong, and the server's log has the details. Change the "
        "sentences or reload the page to go on."
    )
    return True


app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[
        Middleware(
            hosting.Guard,
            headers=hosting.security_headers(_INDEX.read_text("utf-8")),
            sessions=int(os.environ.get("ATTNLAB_SESSIONS", "200")),
        )
    ],
    on_script_error=apologise,
)
