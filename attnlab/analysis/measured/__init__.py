"""What attention costs on this machine: time and memory, measured in processes of their own.

``ways`` says what can be measured, ``child`` is the process that measures, ``apart`` starts it and
listens, ``slopes`` fits how the figures grow.
"""
