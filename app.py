"""AttnLab's pages and the frame around them: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from attnlab.ui import frame

HERE = Path(__file__).parent
# In the order that a course would take them; each name is the page's file and its address.
TITLES = {"heads": "Heads", "step_by_step": "Step by step", "architecture": "Architecture"}

st.set_page_config(page_title="AttnLab", page_icon="🔎", layout="wide", initial_sidebar_state=248)
PAGES = [
    st.Page(
        HERE / "pages" / f"{name}.py",
        title=title,
        url_path=name.replace("_", "-"),
        default=name == "heads",
    )
    for name, title in TITLES.items()
]
page = st.navigation(PAGES, position="hidden")
frame.draw(PAGES, page)
page.run()
