"""AttnLab's pages and the frame around them: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from attnlab.ui import frame

HERE = Path(__file__).parent

st.set_page_config(page_title="AttnLab", page_icon="🔎", layout="wide", initial_sidebar_state=248)
PAGES = [st.Page(HERE / "pages" / "heads.py", title="Heads", url_path="heads", default=True)]
page = st.navigation(PAGES, position="hidden")
frame.draw(PAGES)
page.run()
