"""What fails again and again is tried after pauses that grow up to a limit."""

from context_index.backoff import Backoff


def test_pauses_double_up_to_the_longest_however_often_something_fails() -> None:
    pauses = Backoff[str](0.5, 60.0)
    seconds = [pauses.record_failure("checker").seconds for _ in range(2_000)]
    assert seconds[:8] == [0.5, 1, 2, 4, 8, 16, 32, 60]
    assert set(seconds[8:]) == {60}
    pauses.record_success("checker")
    assert pauses.record_failure("checker").seconds == 0.5
