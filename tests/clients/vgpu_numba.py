# SPDX-License-Identifier: MIT
"""
Plugin of pytest for numba's own tests: what their repository's conftest.py has, which the package
lacks.
"""
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
