"""Pretrained models: catalogue, loading, probe, and the two tiers in which they are read."""
