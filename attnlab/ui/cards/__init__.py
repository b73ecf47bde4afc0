"""The cards of the Heads page, each in a file of its own.

A card draws a scene; what is clicked in it ends up in the selection, by a callback.
"""
