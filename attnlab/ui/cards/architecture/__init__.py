"""The panels of the Architecture page, one module each."""
