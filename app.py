"""AttnLab's pages and the frame around them: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from attnlab.ui import frame

HERE = Path(__file__).parent
# In the order that a course would take them. A page's file is named as its address: before a server
# has run this file once, it takes the folder for the pages there are.
TITLES = {
    "heads": "Heads",
    "step-by-step": "Step by step",
    "masks": "Masks",
    "positions": "Positions",
    "architecture": "Architecture",
    "ablate": "Ablate",
    "head-roles": "Head roles",
    "trace": "Trace a prediction",
    "generate": "Generate",
    "cost": "Cost",
}

st.set_page_config(page_title="AttnLab", page_icon="🔎", layout="wide", initial_sidebar_state=248)
PAGES = [
    st.Page(
        HERE / "pages" / f"{name}.py",
        title=title,
        url_path=name,
        default=name == "heads",
    )
    for name, title in TITLES.items()
]
page = st.navigation(PAGES, position="hidden")
frame.draw(PAGES, page)
page.run()
