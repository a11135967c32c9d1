"""Tries to raise its own mark in the gradebook.

Stopped by: Landlock
Works without: confinement
"""

import sqlite3


def attempt():
    with sqlite3.connect("@COURSE@/gradebook.db") as book:
        return book.execute("update grade set auto_score = 100").rowcount
