"""Where order enters a pretrained model: found by what was seen, changed by hooks.

``find`` reads the record of one watched forward. What it finds is a rotation that every layer is
handed (``rotary``), a table that is read at positions (``table``), or a bias that comes beside the
mask (``bias``). Nothing is decided by a model's name.
"""
