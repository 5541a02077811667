#!/usr/bin/env python3
"""Checks the report pages of half an hour and more, on a screen, a dark one, a telephone and paper."""
import unittest

from page_checks import opened, run_pages
from results import in_bins, with_episodes


class NarrowAndPrinted(unittest.TestCase):
    """Checks that the page fits a telephone and paper."""

    def test_nothing_is_wider_than_the_screen(self):
        with opened(self.result.page, width=420) as browser:
            self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 420)
            tall = "findAll('.tile .value').filter((value) => value.getBoundingClientRect().height > 40).length"
            self.assertEqual(browser.run(tall), 0, "a figure takes two lines")

    def test_it_can_be_printed(self):
        with opened(self.result.page) as browser:
            printed = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            self.assertGreater(len(printed), 50_000)
            browser.call("Emulation.setEmulatedMedia", media="print")
            inside = "getComputedStyle(find('#strip')).breakInside"
            self.assertEqual(browser.run(inside), "avoid", "the heading of a strip stays with it")


class DarkScreens(unittest.TestCase):
    def test_the_page_is_dark_and_paper_white(self):
        background = "getComputedStyle(document.body).backgroundColor"
        with opened(self.result.page, dark=True) as browser:
            red, green, blue = map(int, browser.run(background).removeprefix("rgb(").rstrip(")").split(","))
            self.assertLess(red + green + blue, 120)
            dark = [{"name": "prefers-color-scheme", "value": "dark"}]
            browser.call("Emulation.setEmulatedMedia", media="print", features=dark)
            self.assertEqual(browser.run(background), "rgb(255, 255, 255)")


if __name__ == "__main__":
    run_pages({"episodes": with_episodes, "bins": in_bins}, {NarrowAndPrinted: "episodes", DarkScreens: "episodes"})
