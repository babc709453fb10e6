import pytest

from engine.heuristics import analyse_message, is_non_latin_dominant
from engine.keywords import Keywords

CLEARLY_POSITIVE = [
    "I had such a lovely evening with you",
    "not bad at all!",
    "no thanks, I'm stuffed",
    "I can't stop laughing",
    "best. day. ever. :D",
    "xD",
    "❤️",
    "Ich freue mich so auf morgen",
    "Das war wunderschön, danke!",
    "mir geht es heute gut",
    "Estoy muy feliz hoy",
    "¡Qué bonito!",
    "hoy me siento muy bien",
    "Je suis tellement heureuse aujourd'hui",
    "c'est super, merci",
    "l'amour, j'aime ça",
    "Estou muito feliz hoje",
    "você é incrível",
    "que dia legal, não foi? eu adorei",
]
CLEARLY_NEGATIVE = [
    "I am not happy",
    "I'm not very happy about it",
    "I didn't enjoy it",
    "I don’t love this",
    "never a good sign",
    "that was awful :(",
    "💔",
    "I have had a bad day",
    "Ich bin nicht glücklich",
    "Ich bin traurig und müde",
    "Ich liebe das nicht.",
    "No estoy feliz",
    "me duele la cabeza",
    "Je ne suis pas content",
    "je n'aime pas ça",
    "j'ai mal dormi",
    "Não estou feliz",
    "que dia horrível",
    "estou com dor de cabeça",
]
NEUTRAL = [
    "Mein Kind ist in der Schule",
    "Wir fahren mal ins Bad und dann nach Hause",
    "Ich war heute im Kindergarten",
    "Kannst du mir die Liste schicken",
    "Das Brot ist von gestern",
    "die Karten sind auf dem Tisch, oder",
    "Je mange du pain avec du fromage",
    "Il est dans la voiture avec mes clefs",
    "Hay que salir más temprano hoy",
    "El tren llega a las nueve",
    "Eu vou no parque com meu cachorro",
    "o ônibus chega às nove",
    "the toll road is closed",
    "my cousin reads legal documents and the content of the file",
    "he works at the mission near the market",
    "see https://example.com/a for the address",
    "the ratio is 3:2 and the list:(one, two)",
    "the fund pays interest, the goods are late",
    "the meeting is at half past ten",
    "the boa is in its tank",
    "sorry, I am late",
    "we heard an echo in the ruins",
    "da war gestern nichts los",
    "ich würde lieber den Zug nehmen",
    "pour the milk, then look at example.com",
    "Zum Mitnehmen, bitte",
    "a mission, an ambassador, a crypto market",
]


@pytest.mark.parametrize("text", CLEARLY_POSITIVE)
def test_clearly_positive(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).sentiment > 0.3


@pytest.mark.parametrize("text", CLEARLY_NEGATIVE)
def test_clearly_negative(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).sentiment < -0.3


@pytest.mark.parametrize("text", NEUTRAL)
def test_words_that_only_look_like_keywords_are_neutral(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).sentiment == 0


def test_a_negation_ends_with_its_clause(keywords: Keywords):
    assert analyse_message("that is not it, great", keywords).sentiment == 1
    assert analyse_message("no but good", keywords).sentiment == 1


@pytest.mark.parametrize(
    "text",
    [
        "What's up",
        "WHY not",
        "how are you",
        "Warum kommst du so spät",
        "¿Qué haces",
        "Pourquoi pas",
        "Quem é você",
        "真的？",
        "you know?",
    ],
)
def test_questions(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).is_question


@pytest.mark.parametrize("text", ["tell me why", "Ich weiß warum", "dime dónde", "whatever", "", "…"])
def test_not_questions(text: str, keywords: Keywords):
    assert not analyse_message(text, keywords).is_question


@pytest.mark.parametrize(
    "text",
    [
        "I think life has a meaning",
        "Ich denke oft an meine Kindheit und meine Familie",
        "A veces pienso en la vida y la muerte",
        "je pense à mon enfance et à la mort",
        "eu acho que a vida e a morte são um sonho",
    ],
)
def test_three_markers_make_a_message_deep(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).topic_depth == "deep"


@pytest.mark.parametrize(
    "text",
    ["mein Herz klopft", "tengo el corazón roto", "j'ai le cœur lourd", "estou com saudade", "I miss you"],
)
def test_emotional_words(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).has_emotional_content


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("hey, I’m Alex", "User said: I'm Alex"),
        ("i am a   nurse in Porto", "User said: i am a nurse"),
        ("I'm not sure. I really love old maps! bye", "User preference: I really love old maps"),
        ("My name is Søren", "User said: My name is Søren"),
        ("Ich heiße Jürgen", "User said: Ich heiße Jürgen"),
        ("me llamo Ángel", "User said: me llamo Ángel"),
        ("j'adore le thé. Et toi ?", "User preference: j'adore le thé"),
        ("İ am here, my name is Deniz", "User said: my name is deniz"),
    ],
)
def test_the_stand_in_for_a_memory(text: str, fact: str, keywords: Keywords):
    assert analyse_message(text, keywords).extracted_facts == (fact,)


@pytest.mark.parametrize("text", ["I'm so", "him I am", "you like tea", "I am", "I like", "I like . "])
def test_no_stand_in_where_nothing_is_said(text: str, keywords: Keywords):
    assert analyse_message(text, keywords).extracted_facts == ()


def test_letters_that_are_typed_as_two_are_joined(keywords: Keywords):
    assert analyse_message("Das war scho\u0308n", keywords).sentiment == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ありがとう ok", True),
        ("Спасибо", True),
        ("你好世", False),
        ("ａｂｃｄ", False),
        ("ñandú é", False),
        ("𝓗𝓲 you", False),
    ],
)
def test_non_latin_dominance(text: str, expected: bool):
    assert is_non_latin_dominant(text) is expected


def test_a_non_latin_message_has_no_sentiment_but_the_rest(keywords: Keywords):
    analysis = analyse_message("love これ大好きなんだよね 😊", keywords)
    assert (analysis.sentiment, analysis.has_emotional_content, analysis.non_latin_dominant) == (
        0,
        True,
        True,
    )


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece",
    [
        "i am ",
        "'",
        "a'",
        " ",
        "not happy ",
        ":",
        "<",
        "😀",
        "i like ",
        "é",
        "x",
        "my name is the ",
        "((",
        "i\t",
        "İ",
    ],
)
def test_hostile_messages_end(piece: str, keywords: Keywords):
    text = (piece * 60_000)[:60_000]
    assert -1 <= analyse_message(text, keywords).sentiment <= 1


def test_a_long_run_of_the_same_word_counts_as_words_and_one_entry(keywords: Keywords):
    assert analyse_message("sad " * 3 + "glad", keywords).sentiment == pytest.approx(-1 / 3)
