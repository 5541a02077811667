#!/usr/bin/env python3
"""Checks the report pages of a recording without a sampling rate, and of names that are markup."""
import unittest

from page_checks import opened, run_pages
from results import hostile, without_rate


class HostileNames(unittest.TestCase):
    """Checks the page of a file and a column whose names are markup."""

    def test_names_are_text(self):
        count_alerts = "window.alerts = 0; window.alert = () => { ++window.alerts; };"
        with opened(self.result.page, before=count_alerts) as browser:
            self.assertEqual(browser.run("window.alerts"), 0)
            self.assertEqual(browser.run("document.images.length"), 0)
            self.assertEqual(browser.run("document.scripts.length"), 2)
            self.assertEqual(browser.run("find('h1').textContent"), "<img src=x onerror=alert(1)>.csv")
            self.assertIn("</script><script>alert(2)</script>", browser.run("document.body.innerText"))

    def test_a_script_that_came_in_nevertheless_is_not_run(self):
        count_alerts = "window.alerts = 0; window.alert = () => { ++window.alerts; };"
        with opened(self.result.page, before=count_alerts) as browser:
            browser.run("""(() => {
                const script = document.createElement('script'), part = document.createElement('div');
                script.textContent = 'alert(3)';
                part.innerHTML = '<img src="data:," onerror="alert(4)">';
                document.body.append(script, part);
                return pause(100);
            })()""")
            self.assertEqual(browser.run("window.alerts"), 0)


class WithoutRate(unittest.TestCase):
    """Checks the page of a result without a sampling rate."""

    def test_it_cannot_be_corrected(self):
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('[data-act=correct], .of-correcting, .corrections').length"), 0)


if __name__ == "__main__":
    run_pages({"without_rate": without_rate, "hostile": hostile}, {HostileNames: "hostile", WithoutRate: "without_rate"})
