"""Every error that AttnLab raises on purpose.

    AttnLabError
    ├── LoadError            a model could not be read
    │   ├── ModelNotFound        no such catalogue name, folder, or packaged model
    │   ├── ModelNotReachable    it exists elsewhere, and there is no network path to it
    │   ├── UnsafeWeights        the weights are not safetensors, or want remote code
    │   └── UnsupportedModel     it loads, but not as a text model that we can run
    ├── RebuildRefused       our transformer cannot be given this model's weights
    ├── InputError           something typed or passed cannot be used
    │   ├── EmptyText
    │   └── TextTooLong
    ├── EditError            an edit is wrong for this model
    │   ├── EditRefused          known before the run
    │   └── EditMissed           it reached no site
    ├── CaptureError         a value was read that is not there
    │   ├── NotCaptured          it was not asked for
    │   └── StageNotAvailable    this model, read in this tier, does not expose it
    ├── GrowthRefused        this model's batch cannot grow on the way
    ├── Cancelled            the caller cancelled the run
    └── Busy                 the gate on concurrent work timed out

The message of each is one sentence that names the value and says what would work, fit to be
shown on a page as it is.
"""


class AttnLabError(Exception):
    """Root of the tree: catch this to catch everything that AttnLab raises on purpose."""


class LoadError(AttnLabError):
    """A model could not be read."""


class ModelNotFound(LoadError):
    """No such catalogue name, local folder or packaged model."""


class ModelNotReachable(LoadError):
    """The model lives on a hub that cannot be reached from here."""


class UnsafeWeights(LoadError):
    """The weights are not safetensors, or the model wants to run code of its own."""


class UnsupportedModel(LoadError):
    """The model loads, but not as a text model that AttnLab can run."""


class RebuildRefused(AttnLabError):
    """Our transformer would not compute what this model computes, so it has not its weights."""


class InputError(AttnLabError, ValueError):
    """Something typed or passed cannot be used."""


class EmptyText(InputError):
    """There is no token to look at."""


class TextTooLong(InputError):
    """The text exceeds what the model, or the limit in force, can take."""


class EditError(AttnLabError):
    """An edit does not fit the model."""


class EditRefused(EditError):
    """Known before the run: this model, in this tier, cannot take this edit."""


class EditMissed(EditError):
    """The run ended and the edit had reached no site, so nothing would have changed."""


class CaptureError(AttnLabError):
    """A value was read that is not there."""


class NotCaptured(CaptureError, LookupError):
    """The value was not asked for in this run."""


class StageNotAvailable(CaptureError):
    """This model, in the tier in which it is read, does not expose the stage."""


class GrowthRefused(AttnLabError):
    """Rows cannot join this model's batch on the way; run them as a plain batch."""


class Cancelled(AttnLabError):
    """The caller cancelled the run; the model is as it was."""


class Busy(AttnLabError):
    """Other sessions kept the model busy for longer than the limit."""
