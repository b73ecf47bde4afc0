"""Whether the Hub can be reached, asked once and quickly.

Without a network, transformers tries for half a minute before it says so. Asking first costs a
fraction of a second, and offline the copies of the user's own cache still load.
"""

from __future__ import annotations

import os
import urllib.error
import urllib.request

from huggingface_hub import constants

SECONDS = 4.0


def reachable() -> bool:
    """Whether the Hub answers; False where the environment says to stay offline.

    Proxies of the environment are honoured. Any answer counts, an error page too.
    """
    if constants.HF_HUB_OFFLINE or os.environ.get("TRANSFORMERS_OFFLINE") == "1":
        return False
    try:
        urllib.request.urlopen(constants.ENDPOINT, timeout=SECONDS).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
