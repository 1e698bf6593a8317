"""weir next: what an expression means and when it occurs."""

import datetime
import json
import os
import unittest
import zoneinfo

from program import weir


def lines(*arguments):
    done = weir("next", *arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode().splitlines()


def refusal(*arguments, **options):
    done = weir("next", *arguments, **options)
    return done.returncode, done.stdout, done.stderr.decode()


class Next(unittest.TestCase):
    def test_shows_meaning_local_time_and_utc(self):
        self.assertEqual(
            lines("30 2 * * *", "--tz", "Europe/Berlin", "-n", "2", "--after", "2026-07-01"),
            ["at 02:30 every day (Europe/Berlin)", "",
             "Wed  2026-07-01T02:30:00+02:00  2026-07-01T00:30:00Z",
             "Thu  2026-07-02T02:30:00+02:00  2026-07-02T00:30:00Z"])

    def test_remarks_on_both_changes(self):
        shown = "\n".join(lines("30 2 * * *", "--tz", "Europe/Berlin", "-n", "400", "--after",
                                "2026-01-01"))
        self.assertIn("Sun  2026-03-29T03:00:00+02:00  2026-03-29T01:00:00Z  "
                      "02:30 does not exist on this day: runs at 03:00\n", shown)
        self.assertIn("Sun  2026-10-25T02:30:00+02:00  2026-10-25T00:30:00Z  "
                      "02:30 happens twice: the first time\n", shown)

    def test_400_days_are_right_by_another_library(self):
        """C7, case 70 and case 71: each local day once, at 02:30, or at 03:00 where that is none."""
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
        shown = json.loads("".join(lines("30 2 * * *", "--tz", "Europe/Berlin", "-n", "400",
                                         "--after", "2026-01-01", "-o", "json")))
        self.assertEqual(len(shown["next"]), 400)
        day = datetime.date(2026, 1, 1)
        for one in shown["next"]:
            hour, minute = (3, 0) if day in (datetime.date(2026, 3, 29),) else (2, 30)
            wanted = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
            self.assertEqual(one["local"], wanted.isoformat())
            self.assertEqual(one["epoch"], wanted.timestamp())
            self.assertEqual(one["weekday"], wanted.strftime("%a"))
            day += datetime.timedelta(days=1)

    def test_policies(self):
        common = ("30 2 * * *", "--tz", "Europe/Berlin", "-n", "1", "--after")
        self.assertIn("2026-03-30T02:30:00+02:00",
                      lines(*common, "2026-03-28T12:00Z", "--gap", "skip")[2])
        second = lines(*common, "2026-10-24T12:00Z", "--fold=second")[2]
        self.assertIn("2026-10-25T02:30:00+01:00", second)
        self.assertIn("the second time", second)

    def test_says_which_local_times_are_left_out(self):
        # C7, case 70: with skip the night without its hour has no run, and that is said.
        common = ("30 2 * * *", "--tz", "Europe/Berlin", "--gap", "skip", "-n", "2")
        self.assertEqual(
            lines(*common, "--after", "2026-03-28T12:00Z")[2:],
            ["Mon  2026-03-30T02:30:00+02:00  2026-03-30T00:30:00Z  "
             "02:30 does not exist on 2026-03-29: left out",
             "Tue  2026-03-31T02:30:00+02:00  2026-03-31T00:30:00Z"])
        self.assertNotIn("left out", "\n".join(lines(*common, "--after", "2026-03-29T12:00Z")),
                         "what lies before the question was not asked for")
        shown = json.loads("".join(lines(*common, "--after", "2026-03-28", "-o", "json")))
        self.assertEqual([one.get("remark") for one in shown["next"]],
                         [None, "02:30 does not exist on 2026-03-29: left out"])

    def test_says_what_wildcard_hours_leave_out(self):
        shown = lines("*/20 * * * *", "--tz", "Europe/Berlin", "-n", "2", "--after",
                      "2026-03-29 01:20")
        self.assertEqual(
            [line.split("Z", 1)[1] for line in shown[2:]],
            ["", "  02:00 to 02:40 do not exist on this day: left out"])

    def test_a_day_that_is_left_out_and_a_change_of_another_zone_are_told_apart(self):
        shown = lines("0 12 * * *", "--tz", "Pacific/Apia", "--gap", "skip", "-n", "2", "--after",
                      "2011-12-29 00:00")
        self.assertIn("12:00 does not exist on 2011-12-30: left out", shown[3])
        shown = lines("30 2 * * *", "--tz", "Europe/Berlin", "-n", "2", "--after",
                      "2026-03-28T12:00Z")
        self.assertNotIn("left out", "\n".join(shown), "it is shifted")

    def test_an_expression_that_falls_into_each_gap_says_so(self):
        common = ("30 2 * 3 7L", "--tz", "Europe/Berlin", "--gap", "skip")
        last = lines(*common, "--after", "2200-01-01")[-1]
        self.assertRegex(last, r"^no further occurrence; 02:30 does not exist on 2200-03-30: left "
                               r"out, as at \d\d later changes of clocks$")
        shown = json.loads("".join(lines(*common, "--after", "2200-01-01", "-o", "json")))
        self.assertEqual((shown["next"], "no further occurrence; " + shown["remark"]), ([], last))

    def test_json(self):
        shown = json.loads(weir("next", "*/10 * * * *", "--tz", "UTC", "-n1", "-ojson", "--after",
                                "@0").stdout)
        self.assertEqual(shown, {
            "expression": "*/10 * * * *", "zone": "UTC", "meaning": "every 10 minutes (UTC)",
            "gap": "skip", "fold": "both", "next": [
                {"local": "1970-01-01T00:10:00+00:00", "utc": "1970-01-01T00:10:00Z",
                 "epoch": 600, "weekday": "Thu"}]})

    def test_the_zone_is_that_of_the_expression_of_the_flag_of_the_environment(self):
        environment = {**os.environ, "TZ": "Asia/Tokyo"}

        def zone(*arguments):
            return json.loads(weir("next", *arguments, "-o", "json", env=environment).stdout)["zone"]
        self.assertEqual(zone("0 0 * * *"), "Asia/Tokyo")
        self.assertEqual(zone("0 0 * * *", "--tz", "Europe/Paris"), "Europe/Paris")
        self.assertEqual(zone("CRON_TZ=UTC 0 0 * * *", "--tz", "Europe/Paris"), "UTC")

    def test_no_further_occurrence(self):
        self.assertEqual(lines("0 0 29 2 */7", "--tz", "UTC", "--after", "2249-01-01")[-1],
                         "no further occurrence")

    def test_a_bad_expression_is_shown_with_a_caret(self):
        code, out, err = refusal("0 0 * * MONDAY")
        self.assertEqual((code, out), (2, b""))
        self.assertEqual(err, "weir: 'MONDAY' is no day of the week: give 0 to 7, or SUN to SAT\n"
                              "  0 0 * * MONDAY\n"
                              "          ^\n")

    def test_other_mistakes(self):
        for arguments, says in (
                ([], "takes a cron expression"),
                (["30", "2", "*", "*", "*"], "put it in quotes"),
                (["0 0 30 2 *"], "never occurs"),
                (["0 0 * * *", "--tz", "Europe/Berlim"], "did you mean Europe/Berlin?"),
                (["0 0 * * *", "-n", "0"], "give a whole number from 1"),
                (["0 0 * * *", "--gap", "jump"], "give one of shift, skip"),
                (["0 0 * * *", "--fold", "third"], "give one of first, second, both"),
                (["0 0 * * *", "-o", "yaml"], "give one of text, json"),
                (["0 0 * * *", "--after", "tomorrow"], "--after 'tomorrow'"),
                (["0 0 * * *", "--zone", "UTC"], "unknown flag '--zone'")):
            with self.subTest(arguments):
                code, out, err = refusal(*arguments)
                self.assertEqual((code, out), (2, b""))
                self.assertIn(says, err)

    def test_help_has_all_of_it(self):
        text = weir("next", "--help").stdout.decode()
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for word in ("--tz", "--after", "--gap", "--fold", "-n", "-o", "weir next '30 2 * * *'"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
