"""The panels of the Positions page, one module each."""
