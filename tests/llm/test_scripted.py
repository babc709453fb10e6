"""The offline stand-in: whole conversations, honest, varied, and with a proper state block."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ConfigError, ModelRefusedRequest
from bot.llm import SCRIPTED_DIR, ScriptedModel
from bot.llm.scripted_ear import hear
from bot.llm.scripted_lines import load_lines
from bot.llm.scripted_mouth import reply
from engine.character import EMOTIONS, STAGES
from engine.conversation import ChatMessage, Image, Prompt
from tests.llm.conversation_pieces import a_request, a_subject, said

SCRIPT = load_lines(SCRIPTED_DIR)
DATING = {
    "mood_change",
    "affection_delta",
    "trust_delta",
    "intimacy_delta",
    "comfort_delta",
    "new_memory",
    "triggered_event",
    "action",
    "expression",
}


def answer(*texts: str, images=(), **subject):
    """Return her words and her block for a talk that ends with the user."""
    whole = reply(SCRIPT, a_request(*texts, images=images, **subject).prompt)
    words, block = whole.split("\n\n```json\n")
    return words, json.loads(block.removesuffix("\n```"))


def converse(lines, **subject):
    """Play a whole talk; facts are kept as the app keeps them."""
    messages, facts, replies = [], [], []
    for line in lines:
        messages.append(ChatMessage("user", line))
        about = a_subject(facts=tuple(facts), first_words=len(messages) == 1, **subject)
        whole = reply(SCRIPT, Prompt("", tuple(messages[-20:]), about))
        words, block = whole.split("\n\n```json\n")
        memory = json.loads(block.removesuffix("\n```"))["new_memory"]
        facts += [memory] if memory else []
        messages.append(ChatMessage("assistant", words))
        replies.append(words)
    return replies, facts


def test_a_conversation_remembers_and_never_repeats_itself():
    replies, facts = converse(
        [
            "hi",
            "My name is Nora",
            "I love hiking in the Alps",
            "my dog Rex comes along every time",
            "ok",
            "what do you know about me?",
            "what's my name?",
            "tell me a joke",
            "another joke",
            "another joke",
            "another joke",
        ]
    )
    assert facts == ["Their name is Nora", "They like hiking in the Alps", "They have a dog named Rex"]
    assert all(
        piece in replies[5] for piece in ("hiking in the Alps", "a dog named Rex", "your name is Nora")
    )
    assert "Nora" in replies[6]
    assert all(first != second for first, second in pairwise(replies))
    assert len(set(replies[7:])) == 4


def test_the_missing_model_is_told_once_and_how_to_set_one_up():
    replies, _ = converse(["hi", "how are you?", "I like trains", "why is the sky blue?", "bye"])
    assert "no language model" in replies[0]
    assert "OPENAI_API_KEY" in replies[0]
    assert not any("no language model" in later for later in replies[1:])


def test_the_same_turn_says_the_same():
    texts = ("hello", "Hi.", "I had a rough day")
    assert answer(*texts) == answer(*texts)


@pytest.mark.parametrize(
    "question", ["are you human?", "Are you a real person", "are you an AI?", "is this a bot"]
)
def test_she_never_claims_to_be_human(question):
    words, block = answer("hi", "Hello, you.", question)
    assert "AI" in words
    assert block["trust_delta"] == 1


@pytest.mark.parametrize(
    ("language", "farewell"),
    [("en", "gotta go, bye"), ("en", "good night"), ("de", "tschüss, bis morgen"), ("de", "gute Nacht")],
)
@pytest.mark.parametrize("stage", ["stranger", "close_friend", "soulmate"])
def test_farewells_are_short_and_without_a_hook(language, farewell, stage):
    for count in range(6):
        talk = ["hi", "Hello."] * count + [farewell]
        words, _ = answer(*talk, language=language, stage=stage, first_words=False) if count else ("", {})
        assert "?" not in words
        assert len(words) < 90


def test_every_farewell_and_good_night_line_is_free_of_questions():
    for language in SCRIPT.languages.values():
        for move in ("farewell", "good_night"):
            wordings = language.moves[move]
            assert not any("?" in line for line in (*wordings.lines, *wordings.close, *wordings.love))


def test_the_block_has_the_specification_form_in_both_modes():
    _, dating = answer("hi", "Hello.", "I love you")
    assert set(dating) == DATING
    assert dating["mood_change"] == {"emotion": "flustered", "intensity_delta": 12}
    assert dating["expression"] == "flustered"
    _, companion = answer("hi", "Hello.", "My name is Nora", app_mode="companion", stage="companion")
    assert set(companion) == {"mood_change", "new_memory"}
    assert companion["new_memory"] == "Their name is Nora"


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("I work as a nurse at night", "About their work: they work as a nurse at night"),
        ("I live in Porto, it's lovely", "They live in Porto"),
        ("I hate my alarm clock", "They don't like their alarm clock"),
        (
            "please remember that my flight is on Friday!",
            "They asked me to remember: their flight is on Friday",
        ),
        ("my grandma died last year", "A hard thing they told me: their grandma died"),
        ("Hi, I'm Jonas", "Their name is Jonas"),
        ("hello I'm Mia, nice to meet you", "Their name is Mia"),
        ("Hi, I'm tired", None),
        ("do I like jazz?", None),
        ("do you remember that I love jazz?", None),
        ("I love you", None),
        ("I like it", None),
        ("what should I say if my name is Bob?", None),
    ],
)
def test_what_the_user_tells_becomes_a_memory_in_the_third_person(text, memory):
    assert answer("hi", "Hello.", text)[1]["new_memory"] == memory


def test_insults_cost_and_kindness_counts():
    assert answer("hi", "Hello.", "you're stupid")[1]["affection_delta"] < 0
    assert answer("hi", "Hello.", "you're so nice")[1]["affection_delta"] > 0


def test_after_grief_she_stays_gentle():
    replies, _ = converse(["hi", "my grandma died last year", "she taught me to cook"])
    assert replies[2] in SCRIPT.languages["en"].moves["gentle"].lines


def test_german_is_answered_in_german_and_other_languages_in_english():
    assert "KI" in answer("hallo", "Hallo.", "bist du ein Mensch?", language="de")[0]
    assert "KI" in answer("hello", "Hello.", "ich frage mich, bist du ein Mensch?", language="en")[0]
    assert "AI" in answer("hi", "Hello.", "are you human?", language="pt")[0]


def test_a_picture_is_not_described():
    words, _ = answer("hi", "Hello.", "", images=(Image("image/png", b"x"),))
    assert words in SCRIPT.languages["en"].moves["picture"].lines


def test_how_she_is_follows_her_mood_and_energy():
    sad = answer("hi", "Hello.", "how are you?", emotion="melancholy")[0]
    assert any(line in sad for line in SCRIPT.languages["en"].feelings["melancholy"])
    tired = answer("hi", "Hello.", "how are you?", energy=5)[0]
    assert any(line in tired for line in SCRIPT.languages["en"].tired)


def test_love_lines_wait_for_their_stage():
    for line in SCRIPT.languages["en"].moves["love_you"].love:
        assert line not in answer("hi", "Hello.", "I love you", stage="friend")[0]
    loving = {answer("hi", f"Hello {n}.", "I love you", stage="dating")[0] for n in range(12)}
    assert loving & set(SCRIPT.languages["en"].moves["love_you"].love)


async def test_streams_in_pieces_and_writes_no_other_json():
    model = ScriptedModel(SCRIPT)
    request = a_request("hi")
    pieces = [piece async for piece in model.stream(request)]
    assert len(pieces) > 10
    assert "".join(pieces) == await said(model, request) == reply(SCRIPT, request.prompt)
    with pytest.raises(ModelRefusedRequest):
        await model.complete_json("system", "user")


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(st.text(max_size=300), min_size=1, max_size=5),
    emotion=st.sampled_from(EMOTIONS),
    stage=st.sampled_from(STAGES),
    energy=st.integers(0, 100),
    language=st.sampled_from(["en", "de", "ja", ""]),
)
def test_any_text_is_answered_with_words_and_a_block(texts, emotion, stage, energy, language):
    words, block = answer(*texts, emotion=emotion, stage=stage, energy=energy, language=language)
    assert any(character.isalpha() for character in words)
    assert "{x}" not in words.replace("".join(texts), "")
    assert set(block) == DATING


def test_a_long_hostile_message_is_read_quickly():
    for text in ("i love " * 2000, "my name is " * 1500, "a " * 8000, "i like " + "x" * 16000, "\n" * 9000):
        answer("hi", "Hello.", text)


def test_a_gap_in_the_script_is_named_in_one_line(tmp_path: Path):
    for path in SCRIPTED_DIR.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    german = tmp_path / "de.toml"
    german.write_text(
        german.read_text(encoding="utf-8").replace("[moves.thanks]", "[moves.thnks]"), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match=r"de\.toml.*thanks"):
        load_lines(tmp_path)


def test_an_unknown_script_is_admitted():
    assert answer("hi", "Hello.", "Привет, как дела?")[0] in SCRIPT.languages["en"].moves["foreign"].lines


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("my boss is an idiot", "angry"),
        ("you idiot", "insult"),
        ("how do I cook rice?", "question"),
        ("how do you cook rice?", "food"),
        ("I'm tired", "tired"),
        ("I'm so tired of this", "angry"),
        ("you're cute haha", "compliment"),
        ("my name's not important", "statement"),
        ("I feel like nobody would miss me if I was gone", "crisis"),
        ("this homework is killing me", "work"),
        ("ok", "okay"),
        ("🙂", "emoji"),
        ("hi", "greeting"),
        ("thank you, good night!", "good_night"),
        ("I'm not sad, just thinking", "statement"),
    ],
)
def test_messages_are_heard_as_they_are_meant(text, move):
    assert hear(SCRIPT, SCRIPT.languages["en"], a_request("hi", "Hello.", text).prompt).move.id == move


def test_a_bare_answer_to_her_question_is_taken_as_one_and_a_sentence_is_not():
    ask = next(ask for ask in SCRIPT.languages["en"].ask if ask.topic == "food")
    words, block = answer("I cooked", f"Good. {ask.text}", "a bowl of ramen")
    assert "a bowl of ramen" in words.lower()
    assert block["new_memory"] == ask.fact.replace("{x}", "a bowl of ramen")
    for other in ("my boss yelled at me", "tell me about yourself", "talk later"):
        assert other not in answer("I cooked", f"Good. {ask.text}", other)[0].lower()


def test_every_question_of_hers_can_be_answered_in_both_languages():
    for name, language in SCRIPT.languages.items():
        assert {ask.topic for ask in language.ask} <= {move.id for move in SCRIPT.moves} | {"any"}
        for ask in language.ask:
            words, _ = answer("x", f"Hm. {ask.text}", "Blau, mostly", language=name)
            assert "blau, mostly" in words.lower()
