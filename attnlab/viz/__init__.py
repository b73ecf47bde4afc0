"""Pictures: numpy and strings in; a component payload out. No streamlit here."""
