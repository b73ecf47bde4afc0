"""Analyses, written against ``Runner``: they hold for every model in AttnLab."""
