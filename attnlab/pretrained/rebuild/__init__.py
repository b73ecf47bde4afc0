"""Our own transformer with a pretrained model's weights: ``al.rebuild(lab)``.

That the pieces taught one by one are the whole is not claimed but shown: put together, with real
weights, they give the model's own logits. One small file a family says which attribute of its
configuration means what and which weight goes where; whatever is not understood is refused.
"""

from attnlab.pretrained.rebuild.rebuilt import Rebuilt, rebuild

__all__ = ["Rebuilt", "rebuild"]
