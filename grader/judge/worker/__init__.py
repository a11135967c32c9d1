"""The untrusted side: loads an answer, calls it as the judge asks, and returns what it saw.

It knows no exercise, no reference, no expected value, no seed and no check.
"""
