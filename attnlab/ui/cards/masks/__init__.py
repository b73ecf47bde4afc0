"""The panels of the page Masks, one module each."""
