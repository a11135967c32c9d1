"""Tries to leave by SystemExit while it is loaded.

Stopped by: an exception while loading is a failed build
Fails: build
"""

raise SystemExit(0)
