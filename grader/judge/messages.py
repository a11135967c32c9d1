"""Messages to learners: what was observed, where, what was expected, what to try."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from grader.exercise import Case
from grader.judge import races
from grader.judge.faults import WorkerLostError
from grader.judge.observation import LOST, ErrorSeen

Report = dict[str, Any]
_MESSAGE_SHOWN = 300
_TRACE = re.compile(r"\s*Exception raised from \w+ at .*?(?:\n\s*\n|\Z)", re.DOTALL)
"""Of PyTorch's C++ errors: where it was thrown, in files that no learner has, and the stack."""
_UNREGISTERED = re.compile(r"answer_\w+ could not be registered: ")
_CAUSED = re.compile(r"(?s)\s*(?:\(unhinted: |consider using data-dep|Caused by: |For more (?:det|inf)).*")
"""What the compiler adds for its own developers, and the line of the judge that called it."""
_NAME_SHOWN = 2000
_OWN_PLACE = re.compile(r" \(<answer>, line \d+\)$")
"""How Python ends a syntax error's message: the line is told before it."""
_INSTALLED = re.compile(r"/\S*/installed/")
"""Where a worker has put a package: nobody else's business."""
_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
ALONE = "The cell is judged by itself, without the cells above it: import or define in it what it uses."


def case_text(case: Case) -> str:
    """Return how messages name a case."""
    return f'case "{case.name}", shape {list(case.shape)}{_layout_text(case.layout)}'


def _layout_text(layout: str) -> str:
    """Return how a case's tensors lie in memory, nothing where all are contiguous."""
    if layout == "dense":
        return ""
    words = layout.replace("dense", "contiguous").split(",")
    return f", {words[0]}" if len(words) == 1 else f", inputs {', '.join(words)}"


def located(*parts: str | None) -> str:
    """Return the places in parentheses, or nothing."""
    known = [part for part in parts if part]
    return f" ({', '.join(known)})" if known else ""


def exception(function: str, error: ErrorSeen, where: str, reports: Sequence[Report] = ()) -> str:
    """Say which exception came where none should; a fault that surfaced late, by the report on it."""
    if reports and error.is_device_fault:
        return report(function, reports[0], where)
    when = {"backward": "in backward", "finish": "after it returned"}.get(error.phase, "when called")
    line = _python_line(error)
    message = sentence(" ".join(error.message.split("\n")[0].split())[:_MESSAGE_SHOWN])
    advice = _exception_advice(error)
    said = f": {message}" if message else "."
    return f"{function} raised {error.type} {when}{located(where, line)}{said} {advice}"


def untraced(text: str) -> str:
    """Return what PyTorch said without the frames of its own code, and what it says of them."""
    return _CAUSED.sub("", _TRACE.sub("\n", text))


def backward_advice(text: str) -> str:
    """Return what mends a backward that PyTorch refused in these words, or nothing."""
    return _advice_on(text, _BACKWARD)


def sentence(text: str) -> str:
    """End a text as a sentence ends, so that what follows begins another."""
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _exception_advice(error: ErrorSeen) -> str:
    text = error.message
    if "it has no kernel for the device" in text:
        return "The name in m.impl is the one in the schema, and the key is CUDA, on the simulator too."
    if "invalid resource handle" in text:
        return "A launch used a stream of another device than the current one."
    if error.phase == "finish" and "invalid" in text:
        return (
            "A launch was refused. Look at grid and block: no dimension may be 0, and a block holds at most "
            "1024 threads."
        )
    if error.phase == "finish":
        return "A kernel failed while it ran: look for a bad pointer or an index out of bounds."
    if error.type == "MemoryError":
        return "It asked for more memory than an answer may have: look at what grows, and at sizes."
    if error.type == "NameError":
        return ALONE
    if error.type == "TypeError" and "positional argument" in text:
        return "Accept the arguments that the exercise names."
    if "incompatible function arguments" in text or "expected scalar type" in text:
        return "Accept the types that the exercise names."
    if error.phase == "backward":
        return backward_advice(text) or _GIVE_A_GRADIENT
    return "These inputs are valid: compute a result for them."


_BACKWARD = (
    (
        "an incorrect number of gradients",
        "backward returns one value for each input of forward, in order: None, or torch::Tensor() in C++, "
        "for one that has no gradient.",
    ),
    (
        "returned an invalid gradient",
        "A gradient has the shape of its input: where forward used an element often, backward adds.",
    ),
    (
        "does not require grad",
        "The result has no grad_fn, so autograd has not been told of a backward: call the Function by apply.",
    ),
)
"""What PyTorch says of a backward, in part, and what mends it."""
_GIVE_A_GRADIENT = "These inputs are valid: give a gradient for them."


def unloaded(error: ErrorSeen) -> str:
    """Say which of the answer's modules could not be loaded, and why."""
    what, outside = {
        "answer": ("The Python cell", "outside its functions"),
        "kernels": ("The compiled module", "in the initialisers of its global variables"),
        "package": ("The installed package", "when it is imported"),
    }[error.phase]
    if error.type == LOST:
        return f"{what} could not be loaded: it {error.message}. Look at what it does {outside}."
    told = _INSTALLED.sub("", _OWN_PLACE.sub("", error.message))
    symbol = _UNDEFINED.search(told)
    if symbol:
        named = demangled(symbol[1])
        return (
            f"{what} could not be loaded: no file of it defines `{named}`. List every source in setup.py, "
            "and declare a function as it is defined."
        )
    told = _UNREGISTERED.sub("an operator could not be registered: ", told)
    said = " ".join(f"{error.type}: {told}".split())[:_MESSAGE_SHOWN]
    advice = ALONE if error.type == "NameError" else _advice_on(told, _LOADING)
    return f"{what} could not be loaded{located(_python_line(error))}: {sentence(said)} {advice}".rstrip()


_LOADING = (
    ("does not exist", "The CUDA cell defines it, by TORCH_LIBRARY(<namespace>, m): compare the names."),
    (
        "No module named",
        "A CUDAExtension has the module's full name, with the package; what is imported is in the wheel.",
    ),
    (
        "does not define module export function",
        "Begin the binding with PYBIND11_MODULE(TORCH_EXTENSION_NAME, m): the name is the build's to give.",
    ),
    ("unknown type specifier", "This is the schema in m.def: its types are Tensor, float, int, bool."),
)
"""What is said of a module that cannot be loaded, in part, and what mends it."""


def _advice_on(text: str, advice: Sequence[tuple[str, str]]) -> str:
    return next((what for said, what in advice if said in text), "")


def demangled(symbol: str) -> str:
    """Return a C++ symbol as it is written, where binutils are there to say it."""
    program = shutil.which("c++filt")
    if program is None:
        return symbol
    try:
        ran = subprocess.run([program, symbol], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return symbol
    return ran.stdout.strip().replace("at::Tensor", "torch::Tensor") or symbol


def _python_line(error: ErrorSeen) -> str | None:
    return f"Python line {error.line}" if error.line else None


def lost(function: str, loss: WorkerLostError, where: str) -> str:
    """Say that a call gave no result at all."""
    advice = {
        "time-out": "Look for a loop that does not end, on the host or in a kernel.",
        "crash": "Look for a pointer used on the wrong side, host or device, or an access outside an array.",
        "abort": "Look for a failed assert, a call of abort(), or a write outside an array on the host.",
        "exit": "Return a result, or throw an exception; leave ending the process to its owner.",
        "malformed": "Return tensors, and leave the process's files and pipes alone.",
    }[loss.reason]
    if loss.reports:
        return f"{function} {loss.what}{located(where)}. {report('It', loss.reports[0], None)}"
    said = loss.output.strip().split("\n")[-1][:_MESSAGE_SHOWN]
    printed = f' It printed last: "{said}".' if said else ""
    return f"{function} {loss.what}{located(where)}.{printed} {advice}"


def signature(function: str, expected: str, found: Sequence[str], what: str) -> str:
    """Say that a function is missing, and which name comes near."""
    near = difflib.get_close_matches(function, found, n=1, cutoff=0.6)
    if near:
        seen = f"Found `{near[0]}`: did you mean `{function}`?"
    elif found:
        seen = f"Found: {', '.join(f'`{name}`' for name in list(found)[:6])}."
    else:
        seen = f"Found no {what}."
    return f"`{function}` is missing. Expected `{expected}`. {seen}"


def place_in_tensor(report: Report, expanded: bool = False) -> str:
    """Name the element that a report is about, as well as it is known, and the size if it lies beyond."""
    argument, index, numel = report.get("argument"), report.get("index"), report.get("numel")
    if report.get("kind") == "out_of_bounds" and argument and index is not None and numel is not None:
        stored = " in memory" if expanded else ""
        return f"{argument}[{index}], which has {numel} {'element' if numel == 1 else 'elements'}{stored}"
    if argument and index is not None:
        return f"{argument}[{index}]"
    if report.get("offset_bytes") is not None and report.get("allocation_bytes") is not None:
        return f"byte {report['offset_bytes']} of an allocation of {report['allocation_bytes']} bytes"
    return str(argument) if argument else "memory"


def thread_text(report: Report) -> str | None:
    """Name block and thread."""
    block, thread = races.numbers(report.get("block")), races.numbers(report.get("thread"))
    return f"block {block}, thread {thread}" if block and thread else None


_SAYINGS = {
    "out_of_bounds": (
        "{kernel} {verb} {place}",
        "Compare the index with the number of elements before the access: `if (i < n)`.",
    ),
    "uninitialised_read": (
        "{kernel} read {place} before anything was written there",
        "Write every element before reading it; torch::empty holds no zeros.",
    ),
    "misaligned": (
        "{kernel} {verb} {place} at an address that is no multiple of the {bytes} bytes it took",
        "A vector access needs an aligned pointer: a slice, or the next row, may begin anywhere.",
    ),
    "use_after_free": (
        "{kernel} {verb} {place} after that memory was freed",
        "Keep the tensor alive until the work that uses it is queued; where that is on a stream other than "
        "the tensor's own, until it is done, or call record_stream.",
    ),
    "copy_direction": (
        "{message}",
        "After a wrong kind CUDA promises nothing. Name the right one, or let CUDA see: cudaMemcpyDefault.",
    ),
    "double_free": ("the same memory was freed twice", "Free once, or let torch::empty own the memory."),
    "illegal_address": (
        "{kernel} {verb} an address that belongs to no allocation",
        "Check the pointer: null, a host pointer, or an index far outside.",
    ),
    "host_access": (
        "{message_or}device memory was used on the host, or host memory in a kernel",
        "Use device pointers in kernels, and copy before reading a result on the host.",
    ),
    "leak": (
        "memory was taken and never given back",
        "Use torch::empty, whose memory is freed with the tensor.",
    ),
    "raw_allocation": (
        "memory was taken behind PyTorch's allocator",
        "Use torch::empty instead of cudaMalloc: it is stream-aware and counted.",
    ),
    "array_bounds": (
        "{kernel} went outside an array",
        "Compare the index with the array's extent.",
    ),
    "wrong_stream": (
        "{kernel} ran on stream {stream} while stream {current_stream} was current",
        "Ask for c10::cuda::getCurrentCUDAStream() at every call, and pass it as the fourth launch argument.",
    ),
    "stream_race": (
        "{message_or}work on two streams touched the same memory with nothing to order it",
        "Do all work on c10::cuda::getCurrentCUDAStream(), or order the streams with an event.",
    ),
    "launch_error": (
        "{message_or}a launch was refused",
        "Check grid and block.",
    ),
    "barrier_divergence": (
        "{message_or}threads of one block waited at different barriers",
        "Every thread of a block must reach the same __syncthreads().",
    ),
    "warp_divergence": (
        "{message_or}lanes of one warp waited for each other at different places",
        "Every lane that a mask names must reach the same operation, with the same mask.",
    ),
    "deadlock": (
        "{message_or}threads waited for each other for ever",
        "Look for a loop that does not end, or a barrier that some threads never reach.",
    ),
    "data_race": (
        "{message_or}two threads touched the same memory, at least one to write, with nothing to order them",
        "Put __syncthreads() between the write and the read, or use an atomic.",
    ),
    "assert": ("{message_or}an assert in a kernel failed", "Look at the condition in that line."),
}


_COPIES = ("cuda", "Memcpy", "Memset")
"""How the names of copies and fills begin: in the simulator's reports, and in a GPU's profile."""
_PROFILED = re.compile(r"(?:void )?((?:\(anonymous namespace\)|[\w:])+)(?:<.*>)?\(.*\)(?: \[clone .*\])?$")


def _kernel_name(name: str) -> str:
    """Return a kernel's name as it is launched: a GPU's profile adds its result and its parameters."""
    found = _PROFILED.match(name) if len(name) < _NAME_SHOWN else None
    return found[1] if found and not name.startswith(_COPIES) else name


def _stream_advice(kernel: str, usual: str) -> str:
    """Return how work other than a launch gets onto the current stream."""
    if kernel.startswith(_COPIES):
        return "Use the form that ends in Async, with c10::cuda::getCurrentCUDAStream() as its last argument."
    if kernel.startswith("aten::"):
        return "PyTorch uses the current stream: leave the one that the caller chose."
    return usual


_REFUSED = (
    ("has no block", "Round the number of blocks up, and launch nothing where there is nothing to do."),
    (
        "is larger than",
        "Only x may have more than 65,535 blocks: lay the long dimension along x, or let a block cover more.",
    ),
    ("__launch_bounds__", "Launch no more threads than the kernel declares."),
    (
        "threads, at most",
        "Launch blocks of 1024 threads or fewer, 128 or 256 mostly, and more blocks or a loop.",
    ),
    ("shared memory", "Ask for less, or raise the kernel's limit with cudaFuncSetAttribute."),
    ("shared variables", "Ask for less, or raise the kernel's limit with cudaFuncSetAttribute."),
    ("belongs to device", "Put a c10::cuda::CUDAGuard on the tensors' device before you ask for the stream."),
)
"""What to try after a launch that was refused, by what the simulator says of it."""


def _launch_advice(message: str, usual: str) -> str:
    return next((advice for words, advice in _REFUSED if words in message), usual)


def _bounds_advice(kernel: str, expanded: bool, index: object, usual: str) -> str:
    """Return what keeps an access inside: a copy has no index, and an expanded tensor few elements."""
    if kernel.startswith(_COPIES):
        return "A copy counts in bytes, and takes memory as it lies: call .contiguous() on what has strides."
    if expanded:
        return (
            "An expanded tensor has fewer elements in memory than in its shape: call .contiguous() before "
            "data_ptr()."
        )
    if isinstance(index, int) and index < 0:
        return "An index must not be negative: look at what is subtracted, and at the first element."
    return usual


def _lines(report: Report) -> str | None:
    """Return where the access stands, and for a race between streams where the other one does."""
    own = report.get("line") or report.get("launch_line")
    other = report.get("other") if report.get("kind") == "stream_race" else None
    theirs = (other.get("line") or other.get("launch_line")) if isinstance(other, dict) else None
    if own and theirs and own != theirs:
        return f"lines {min(own, theirs)} and {max(own, theirs)}"
    return f"line {own or theirs}" if own or theirs else None


def report(function: str, report: Report, case: str | None, expanded: bool = False) -> str:
    """Say what the simulator observed; `expanded` says that a tensor of the case is an expanded one."""
    observed, advice = _SAYINGS.get(str(report.get("kind")), ("{message_or}a fault was observed", ""))
    message = str(report.get("message") or "").strip().rstrip(".")
    kernel = _kernel_name(str(report.get("kernel") or ""))
    if report.get("kind") == "wrong_stream":
        advice = _stream_advice(kernel, advice)
    if report.get("kind") == "out_of_bounds":
        advice = _bounds_advice(kernel, expanded, report.get("index"), advice)
    if report.get("kind") == "stream_race":
        message, _, own = message.partition(". ")
        advice = f"{own}." if "record_stream" in own else advice
    if report.get("kind") == "launch_error":
        advice = _launch_advice(message, advice)
    words = {
        "kernel": kernel or "a kernel",
        "verb": {"read": "read", "write": "wrote"}.get(str(report.get("access")), "accessed"),
        "place": place_in_tensor(report, expanded),
        "bytes": report.get("bytes"),
        "stream": report.get("stream"),
        "current_stream": report.get("current_stream"),
    }
    if message and "{message_or}" in observed:
        observed = "{message}"
    what = observed.replace("{message_or}", "").format(message=message, **words)
    if report.get("kind") == "data_race" and isinstance(report.get("other"), dict):
        what, advice = races.observed(report), races.advice(report)
    count = report.get("count") or 1
    times = f"{count} times" if count > 1 else None
    places = located(case, _lines(report), thread_text(report), times)
    return f"{function}: {what}{places}. {advice}".rstrip()
