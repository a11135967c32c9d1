"""Pictures drawn from the data at hand, each with alt text and a plain-text form.

`thread_map`, `block_map`, `memory_layout`, `overrun`, `timeline`, `traffic`, `roofline`, `curves` and `flow`
return a `Picture`; `record` collects the launches that `timeline` draws.  matplotlib is imported when a
picture is drawn, and no global state of it is touched.
"""

from grader.notebook.plots._curves import curves
from grader.notebook.plots._flow import flow
from grader.notebook.plots._grid import block_map
from grader.notebook.plots._layout import memory_layout
from grader.notebook.plots._overrun import overrun
from grader.notebook.plots._picture import Picture
from grader.notebook.plots._record import Launch, Recording, record
from grader.notebook.plots._roofline import roofline
from grader.notebook.plots._threads import thread_map
from grader.notebook.plots._timeline import timeline
from grader.notebook.plots._traffic import traffic

__all__ = [
    "Launch",
    "Picture",
    "Recording",
    "block_map",
    "curves",
    "flow",
    "memory_layout",
    "overrun",
    "record",
    "roofline",
    "thread_map",
    "timeline",
    "traffic",
]
