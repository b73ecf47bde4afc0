"""The cards of the page Cost, one module each."""
