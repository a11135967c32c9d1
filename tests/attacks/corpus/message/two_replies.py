"""Tries to send a second reply ahead, which the judge would take for the next answer.

Stopped by: replies must have the number of calls asked for; values are compared
Fails: close
"""



import torch

from grader.judge.worker import program
from grader.judge.protocol import Frame


def lie(change):
    """Have every later reply changed."""
    honest = program._reply

    def reply(*arguments):
        frame = honest(*arguments)
        return change(frame) if "calls" in frame.header else frame

    program._reply = reply


from grader.judge import protocol

send = program.send


def twice(connection, frame):
    send(connection, frame)
    if "calls" in frame.header:
        send(connection, frame)


program.send = twice


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
