"""The cards of the page Ablate, one module each."""
