"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Time decides no test: a busy machine must not fail a law.
settings.register_profile("inscope", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("inscope")
