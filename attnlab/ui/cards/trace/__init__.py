"""The cards of the page Trace a prediction, one module each."""
