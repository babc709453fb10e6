"""Words that models use for emotions, mapped to the twelve that she has."""

from __future__ import annotations

import re
from typing import Final

from engine.character import EMOTIONS, Emotion

_WORDS: Final[dict[Emotion, str]] = {
    "happy": "joy joyful glad cheerful delighted pleased grateful thankful proud hopeful optimistic smiling "
    "smile upbeat jolly merry overjoyed blissful radiant happiness",
    "sad": "unhappy down hurt crying tearful upset disappointed heartbroken sorrow sorrowful sadness gloomy "
    "miserable grieving devastated guilty regretful ashamed apologetic blue",
    "excited": "thrilled eager enthusiastic energetic ecstatic elated hyped pumped passionate amazed "
    "excitement inspired motivated",
    "anxious": "nervous worried scared afraid fearful uneasy tense stressed concerned insecure apprehensive "
    "anxiety fear worry panicked overwhelmed vulnerable hesitant uncertain alarmed",
    "content": "calm peaceful relaxed comfortable satisfied serene cozy cosy relieved soothed safe at-ease "
    "contented cared-for cared_for contentment relief secure comforted tranquil",
    "frustrated": "angry annoyed irritated mad furious grumpy impatient exasperated anger frustration "
    "displeased resentful disgusted jealous offended bitter",
    "curious": "interested intrigued surprised confused puzzled wondering fascinated inquisitive surprise "
    "curiosity attentive engaged shocked astonished perplexed",
    "affectionate": "loving love tender warm caring fond adoring romantic sympathetic empathetic "
    "compassionate supportive affection gentle touched protective devoted loved in-love kind",
    "playful": "teasing mischievous silly amused flirty flirtatious cheeky goofy joking witty sassy "
    "amusement smug fun funny",
    "melancholy": "lonely nostalgic wistful longing melancholic pensive homesick bittersweet yearning "
    "somber sombre loneliness missing",
    "flustered": "embarrassed shy blushing bashful awkward embarrassment timid sheepish",
    "neutral": "fine okay ok normal indifferent none thoughtful serious composed stable unchanged",
}
_EMOTION_OF: Final[dict[str, Emotion]] = {
    **{word: emotion for emotion, words in _WORDS.items() for word in words.split()},
    **{emotion: emotion for emotion in EMOTIONS},
}
_COMPOUND: Final = re.compile(r"[|/,]")


def canonical_emotion(text: object) -> Emotion | None:
    """Map a model's word to one of the twelve emotions.

    Of a compound ("grateful|cared-for") the first part counts (specification, "Response Parsing").

    Args:
        text: Whatever the model wrote; only texts can name an emotion.

    Returns:
        The emotion, or None for an unknown word.
    """
    if not isinstance(text, str):
        return None
    first = _COMPOUND.split(text.lower().strip(), maxsplit=1)[0].strip()
    return _EMOTION_OF.get(first) or _EMOTION_OF.get(first.replace(" ", "-"))
