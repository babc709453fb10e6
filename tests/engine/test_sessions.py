"""Sessions: where one ends, what it was about, and when she speaks of the last one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.stop_words import load_stop_words
from engine.conversation import HistoryTurn
from engine.sessions import PastSession, has_ended, last_time, periods, summarise

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def stop_words() -> frozenset[str]:
    return load_stop_words(Path(__file__).parents[2] / "config" / "stopwords")


def turn(content: str, minutes: float = 0, role: str = "user") -> HistoryTurn:
    return HistoryTurn(role, content, NOW + timedelta(minutes=minutes))


def test_half_an_hour_of_silence_ends_a_session():
    talk = [turn("a", 0), turn("b", 29), turn("c", 59), turn("d", 60)]
    assert [[one.content for one in session] for session in periods(talk)] == [["a", "b"], ["c", "d"]]
    assert periods([]) == ()
    assert not has_ended(NOW, NOW + timedelta(minutes=29))
    assert has_ended(NOW, NOW + timedelta(minutes=30))
    assert len(periods(talk, timedelta(hours=1))) == 1


@pytest.mark.parametrize(
    ("said", "topics"),
    [
        ("The puppy bit the sofa. A puppy is work", {"puppy", "sofa", "work"}),
        ("Ich habe heute den Garten umgegraben, der Garten ist riesig", {"garten", "umgegraben", "riesig"}),
        ("Hoy cociné paella para mi familia", {"cociné", "paella", "familia"}),
        ("À l'école, le professeur parlait d'astronomie", {"école", "professeur", "parlait", "astronomie"}),
        ("A viagem para Recife foi cansativa", {"viagem", "recife", "cansativa"}),
        ("Вчера лодка утонула, лодка старая", {"лодка", "утонула", "вчера", "старая"}),
        ("오늘 여행 계획을 세웠어. 여행", {"오늘", "여행", "계획을", "세웠어"}),
        ("मेरी नाव डूब गई, नाव पुरानी थी", {"मेरी", "पुरानी"}),
        ("京都旅行の話。京都旅行は秋。カメラを買った。カメラは軽い。", {"京都旅行", "カメラ"}),
    ],
)
def test_topics_in_every_script(stop_words: frozenset[str], said: str, topics: set[str]):
    assert set(summarise([turn(said)], stop_words).key_topics) == topics


def test_a_cut_message_ends_with_an_ellipsis(stop_words: frozenset[str]):
    summary = summarise([turn("日" * 300)], stop_words).summary
    assert summary == "日" * 117 + "…"


def session(days: float, summary: str = "You talked about tea and rain.") -> PastSession:
    started = NOW - timedelta(days=days)
    return PastSession(started, started + timedelta(minutes=20), summary)


def test_she_speaks_of_the_last_talk_after_six_hours():
    sessions = [session(2, "older"), session(1, "newest")]
    assert last_time(sessions, NOW - timedelta(hours=6), NOW) is None
    found = last_time(sessions, NOW - timedelta(hours=6, seconds=1), NOW)
    assert found is not None
    assert found.summary == "newest"
    assert last_time(sessions, None, NOW) is None


def test_only_the_three_newest_sessions_are_looked_at():
    empty = [session(days, "") for days in (1, 2)]
    assert last_time([*empty, session(3, "third")], NOW - timedelta(days=1), NOW).summary == "third"
    assert last_time([*empty, session(2.5, ""), session(3, "fourth")], NOW - timedelta(days=1), NOW) is None
