from engine.action_gate import ActionGate, resolve_action

ENABLED = ("wave", "bow")


def test_one_animation_at_a_time_and_the_same_one_later():
    gate = ActionGate()
    assert resolve_action("wave", 100, ENABLED, gate) == "wave"
    gate = gate.fired("wave", 100)
    assert resolve_action("bow", 107.9, ENABLED, gate) is None
    assert resolve_action("bow", 108, ENABLED, gate) == "bow"
    assert resolve_action("wave", 119.9, ENABLED, gate) is None
    assert resolve_action("wave", 120, ENABLED, gate) == "wave"


def test_unknown_ids_and_busy_moments_are_skipped():
    assert resolve_action("dance", 0, ENABLED, ActionGate()) is None
    assert resolve_action(None, 0, ENABLED, ActionGate()) is None
    assert resolve_action("wave", 0, ENABLED, ActionGate(), busy=True) is None
