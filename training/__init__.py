"""Recipes of the small models that we train ourselves; their weights ship in `attnlab`.

Each is a package with one command, `python -m training.NAME`, and a seed. Nothing in `attnlab`
imports from here.

    dates    a date written in one of many ways → ISO, an encoder-decoder that shows cross-attention
    schemes  five small decoders that differ in nothing but their positions, three seeds each
    recall   five small models that differ in their mixers alone, on associative recall
"""
