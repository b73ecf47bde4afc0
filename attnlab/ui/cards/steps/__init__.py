"""The cards of the page Step by step: by hand, a real head, and why scores are divided by √d."""
