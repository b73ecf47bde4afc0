"""Everything that knows about Streamlit: the selection and its URL, caches, the gate, components."""
