"""The cards of the page Generate."""
