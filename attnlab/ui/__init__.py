"""Everything that knows Streamlit: the selection and its URL, caches, the gate, components."""
