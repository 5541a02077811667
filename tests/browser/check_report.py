#!/usr/bin/env python3
"""Checks the report pages of results in headless Chromium, as the tests in this folder check those that they make.

  tests/browser/check_report.py RESULT...
"""
import pathlib
import sys

from page_checks import check_pages
from stored_result import Result

check_pages({pathlib.Path(path).resolve().name: Result(path) for path in sys.argv[1:]})
