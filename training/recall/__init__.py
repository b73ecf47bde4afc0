"""Five small models of equal size on associative recall, three seeds each.

    softmax · window · linear · state space · hybrid

Same task, same random lists in the same order; only the mixers differ (see ``attnlab.recall``), and
the state space, slow to learn this, is trained twice as long. What differs afterwards is what a
memory of a fixed size gives up.

    train.py     the loop
    measure.py   the share of right answers by number of pairs
    card.py      the model card, with the figures that were measured
    __main__.py  all of it: `python -m training.recall` writes attnlab/recall/models
"""
