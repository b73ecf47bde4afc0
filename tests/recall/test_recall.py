"""The task of recall, its models before any training, and answers to what somebody typed."""

import pytest
import torch

from attnlab import recall
from attnlab.errors import InputError
from attnlab.recall import model, shipped, task


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


# --- the task ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pairs", [1, 5, 64])
def test_every_question_has_the_answer_that_the_list_gave(pairs):
    batch = recall.draw(pairs, 7, seeded())
    assert batch.ids.shape == (7, 3 * pairs) and batch.pairs == pairs
    for row, values in zip(batch.ids.tolist(), batch.values.tolist(), strict=True):
        told = dict(zip(row[: 2 * pairs : 2], row[1 : 2 * pairs : 2], strict=True))
        assert len(told) == pairs and max(told) < recall.KEYS <= min(told.values())
        asked = row[2 * pairs :]
        assert sorted(asked) == sorted(told)
        assert [told[key] - recall.KEYS for key in asked] == values


def test_lists_follow_from_the_seed_and_use_everything():
    one, again, other = (recall.draw(9, 300, seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(one.ids, again.ids) and not torch.equal(one.ids, other.ids)
    assert len(one.ids.unique()) == recall.KEYS + recall.VALUES


@pytest.mark.parametrize("pairs", [0, 65, -3])
def test_a_list_that_is_too_long_or_empty_is_refused(pairs):
    with pytest.raises(InputError, match=f"from 1 to 64 pairs, not {pairs}"):
        recall.draw(pairs, 2, seeded())
    with pytest.raises(InputError, match=f"from 1 to 64 pairs, not {pairs}"):
        recall.random_pairs(pairs, 0)


def test_a_random_list_in_words():
    pairs = recall.random_pairs(64, 3)
    assert pairs == recall.random_pairs(64, 3) != recall.random_pairs(64, 4)
    assert len({key for key, _ in pairs}) == 64 == len(set(task.WORDS))
    assert {value for _, value in pairs} <= {str(number) for number in range(1, 33)}
    assert recall.pairs_of(", ".join(f"{key} {value}" for key, value in pairs)) == pairs


@pytest.mark.parametrize(
    "text",
    [
        "cat 3, dog 17",
        "cat: 3; dog=17",
        "cat → 3\ndog->17\n",
        " ,cat   3,, dog : 17,",
    ],
)
def test_a_typed_list(text):
    assert recall.pairs_of(text) == (("cat", "3"), ("dog", "17"))


def test_any_words_may_be_typed():
    assert recall.pairs_of("東京 a b, <b>x</b> \N{PILE OF POO}") == (
        ("東京", "a b"),
        ("<b>x</b>", "\N{PILE OF POO}"),
    )


def test_a_sign_parts_a_key_of_several_words_from_its_value():
    found = recall.pairs_of("hot dog: 3, a b c -> d e, cat = 1 = 2")
    assert found == (("hot dog", "3"), ("a b c", "d e"), ("cat", "1 = 2"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The list is empty"),
        (" , ;\n", "The list is empty"),
        ("cat", "“cat” is no pair; write a key and its value"),
        (": 3", "“: 3” is no pair"),
        ("cat 3 dog 17 owl 5", "“cat 3 dog 17 owl 5” is no pair; .*: cat 3, dog 17"),
        ("cat 3, cat 4", "“cat” is in the list twice"),
        (", ".join(f"k{i} 1" for i in range(65)), "65 pairs; the models know 64 keys"),
        (", ".join(f"k{i} {i}" for i in range(33)), "33 different values; the models know 32"),
    ],
)
def test_a_typed_list_that_cannot_be_read_is_refused_in_a_sentence(text, words):
    with pytest.raises(InputError, match=words):
        recall.pairs_of(text)


# --- the models ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", recall.MODELS)
def test_no_answer_depends_on_what_comes_after(name):
    torch.manual_seed(0)
    net = recall.Recaller(name)
    ids = recall.draw(5, 3, seeded()).ids
    whole = net(ids, 15)
    for n in (1, 7, 14):
        torch.testing.assert_close(net(ids[:, :n], n), whole[:, :n], rtol=1e-4, atol=1e-5)


def test_sizes_differ_by_less_than_a_twentieth():
    counts = [sum(w.numel() for w in recall.Recaller(n).parameters()) for n in recall.MODELS]
    assert max(counts) <= 1.05 * min(counts)


def test_all_but_softmax_keep_about_as_much():
    """Hybrid's one layer of softmax grows; the other four differ in their constants alone."""
    fixed = [recall.kept(name, 500) for name in ("window", "linear", "state-space")]
    assert fixed == [recall.kept(name, 100) for name in ("window", "linear", "state-space")]
    assert max(fixed) <= 1.3 * min(fixed)
    grown = recall.kept("softmax", 500) - recall.kept("softmax", 100)
    assert grown == 4 * (recall.kept("hybrid", 500) - recall.kept("hybrid", 100))
    assert grown == 400 * 4 * 2 * model.WIDTH


@pytest.mark.parametrize("name", ["linear", "state-space"])
def test_what_is_kept_is_what_the_modules_hand_on(name):
    net = recall.Recaller(name)
    mixer = net.mixers[0]
    x = torch.randn(1, 11, model.WIDTH)
    if name == "linear":
        _, state = mixer.attention(x)
        numbers = state.numbers + mixer.convolution(x)[1].numel()
    else:
        numbers = mixer.mixer(x)[1].numbers
    assert recall.kept(name, 11) == 4 * numbers


# --- answers -------------------------------------------------------------------------------------


class Fixed(torch.nn.Module):
    """Finds value number 1 most probable, then 0, then one that no short list has."""

    def forward(self, ids, asked):
        logits = torch.zeros(1, asked, recall.VALUES)
        logits[..., 1], logits[..., 0] = 4.0, 2.0
        logits[:, 1:, 31] = 9.0
        return logits


def test_answers_speak_of_the_typed_words():
    pairs = (("cat", "red"), ("dog", "blue"), ("owl", "red"))
    dog, cat = recall.answers(Fixed(), pairs, ["dog", "cat"])
    assert (dog.key, dog.wanted, dog.value, dog.right) == ("dog", "blue", "blue", True)
    assert list(dog.probabilities) == ["red", "blue"]
    assert dog.probability == dog.probabilities["blue"] > 0.5
    assert (cat.value, cat.right) == (None, False)
    assert [a.key for a in recall.answers(Fixed(), pairs)] == ["cat", "dog", "owl"]


def test_questions_that_make_no_sense_are_refused_in_a_sentence():
    pairs = (("cat", "red"), ("dog", "blue"))
    with pytest.raises(InputError, match="“cow” is not in the list; ask for one of its keys"):
        recall.answers(Fixed(), pairs, ["cow"])
    with pytest.raises(InputError, match="Nothing is asked"):
        recall.answers(Fixed(), pairs, [])
    with pytest.raises(InputError, match="The list is empty"):
        recall.answers(Fixed(), (), ["cat"])
    with pytest.raises(InputError, match=r"no recall model “rnn”; there are softmax, window"):
        recall.load("rnn")
    with pytest.raises(InputError, match="Seeds are 0 to 2; there is no 3"):
        recall.load("softmax", 3)


def test_a_share_of_right_answers():
    batch = task.Batch(torch.zeros(1, 6, dtype=torch.long), torch.tensor([[1, 31]]))
    assert shipped.share_right(Fixed(), batch) == 1.0
    batch = task.Batch(batch.ids, torch.tensor([[0, 31]]))
    assert shipped.share_right(Fixed(), batch) == 0.5
