"""The hook of one turn: `python -S -E hook.py pre-step --harness claude`, this file alone.

Hands what the harness wrote on standard input to the daemon and prints what the daemon answers; where none
runs it starts one and waits for it within its own limit. Whatever goes wrong, it prints nothing, exits 0 and
leaves one line in `hook.log`; a thread of its own ends it at its time limit even where a read or a file
system hangs. It imports what `json os socket sys time` bring and no
more (`_socket` for `socket`, whose Python half costs 15 ms a turn); `subprocess` only to start the daemon.

The file is self-contained and the same across releases: Codex trusts a hook by its content, so all that may
change, the texts and the rules, lives in the daemon.
"""

import sys
import time

STARTED = time.monotonic()

import _socket  # noqa: E402
import _thread  # noqa: E402
import os  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_MS = 1500  # below every harness's own limit; the daemon's pointer or --limit-ms say otherwise
LONGEST_MS = 8000  # setup gives harnesses at least 10 s
INPUT_BYTES = 8_000_000
LOG_BYTES = 256_000
STARTING_SECONDS = 30  # a daemon that was asked for this recently is not asked for again
YOUNG_SECONDS = 5  # one that was asked for longer ago has much to read, and is not waited for
POLL_SECONDS = 0.015
LONG_AGO = 1e9
MODULUS = (1 << 61) - 1  # a prime: two vaults' paths give two names
WRITING_SECONDS = 0.05  # before the limit, to say in the log what was waited for

FORWARDED = ("UNIFIED_MEMORY_RECALL",)  # settings of the harness's environment that the daemon must know


class Quiet(Exception):
    """Why this turn goes on without recall."""


class Call:
    """What the command line and the environment say."""

    def __init__(self, arguments: list[str]) -> None:
        self.harness = "generic"
        self.vault = os.environ.get("SHILU_VAULT") or os.environ.get("UNIFIED_MEMORY_VAULT", "")
        self.state = os.environ.get("SHILU_STATE_DIR", "") or default_state()
        self.limit = 0
        self.recall = ""
        rest = list(arguments)
        while rest:
            word = rest.pop(0)
            name, equals, value = word.partition("=")
            if name not in ("--harness", "--vault", "--state", "--limit-ms", "--recall"):
                continue
            value = value if equals else (rest.pop(0) if rest else "")
            if name == "--limit-ms":
                self.limit = int(value) if value.isdigit() else 0
            else:
                setattr(self, name[2:], value)


def default_state() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "shilu")
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), "shilu")
    return os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state"), "shilu")


def pointer_of(call: Call) -> dict[str, str]:
    """What the running daemon wrote about itself, as a dict; empty where there is none."""
    try:
        if call.vault:
            with open(os.path.join(os.path.expanduser(call.vault), ".shilu", "id"), encoding="ascii") as stream:
                identity = stream.read(100).strip()
            path = os.path.join(call.state, identity, "daemon")
        else:
            path = os.path.join(call.state, "daemon")
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read(10_000).splitlines()
    except (OSError, ValueError):
        return {}
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def connect(pointer: dict[str, str]) -> tuple[_socket.socket, str]:
    """A connection to the daemon and the headers that open it; raises OSError where nobody listens."""
    if pointer.get("socket") and hasattr(_socket, "AF_UNIX"):
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.connect(pointer["socket"].encode("utf-8", "surrogateescape"))
        return connection, ""
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.connect(("127.0.0.1", int(pointer["port"])))
    return connection, "Authorization: Bearer " + pointer["token"] + "\r\n"


def read_input() -> bytes:
    """All of standard input, at most INPUT_BYTES."""
    if os.isatty(0):
        return b"{}"
    parts: list[bytes] = []
    size = 0
    while size <= INPUT_BYTES:
        part = os.read(0, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise Quiet(f"input of more than {INPUT_BYTES} bytes")


def header(name: str, value: str) -> str:
    kept = value.encode("utf-8", "surrogateescape")
    return (
        name + ": " + "".join(chr(byte) if 32 < byte < 127 and byte != 37 else f"%{byte:02X}" for byte in kept) + "\r\n"
    )


def ask(
    connection: _socket.socket, opening: str, call: Call, body: bytes, deadline: float
) -> tuple[int, dict[str, str], bytes]:
    """The daemon's answer: status, headers (lower case), body."""
    lines = (
        "POST /hook/" + call.harness + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + opening
    )
    lines += f"Content-Length: {len(body)}\r\n"
    lines += f"X-Shilu-Deadline-Ms: {max(1, int((deadline - time.monotonic()) * 1000))}\r\n"
    if call.vault:
        lines += header("X-Shilu-Vault", os.path.abspath(os.path.expanduser(call.vault)))
    if call.recall:
        lines += header("X-Shilu-Flag-Recall", call.recall)
    for name in FORWARDED:
        if name in os.environ:
            lines += header("X-Shilu-Env-" + name.replace("_", "-"), os.environ[name])
    connection.sendall(lines.encode("latin-1") + b"\r\n" + body)
    return read_answer(connection)


def read_answer(connection: _socket.socket) -> tuple[int, dict[str, str], bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(1 << 16)
        if not part:
            raise Quiet("the daemon ended midway")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = int(headers.get("content-length", "0"))
    while len(body) < length:
        part = connection.recv(1 << 16)
        if not part:
            raise Quiet("the daemon ended midway")
        body += part
    return int(lines[0].split(" ")[1]), headers, body


def acknowledge(connection: _socket.socket, opening: str, ticket: str) -> None:
    """Tells the daemon that the turn has the text, so that it isn't repeated; nobody waits for the answer."""
    lines = "POST /shown/" + ticket + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + opening
    connection.sendall((lines + "Content-Length: 2\r\n\r\n{}").encode("latin-1"))


def print_answer(body: bytes) -> bool:
    """Prints all or, once the limit has passed, nothing."""
    if not OUTPUT.acquire(False):
        return False
    while body:
        body = body[os.write(1, body) :]
    return True


class Start:
    """A daemon that was asked for: what is told of it, and whether it may still come."""

    def __init__(self, told: str, seconds: float, end: "Callable[[], int | None]" = lambda: None) -> None:
        self.told, self.seconds, self.end = told, seconds, end

    def may_come(self) -> bool:
        """False once it failed; one that ended well found another that had begun before it."""
        return self.seconds < YOUNG_SECONDS and not self.end()


def marker_of(call: Call) -> str:
    """The file that says since when a daemon of this vault is asked for; the daemon takes it away."""
    name = "starting"
    if call.vault:
        path = os.path.abspath(os.path.expanduser(call.vault)).encode("utf-8", "surrogateescape")
        name += f"-{int.from_bytes(path, 'big') % MODULUS:x}"
    return os.path.join(call.state, name)


def start_daemon(call: Call) -> Start:
    """Asks a daemon to start, at most once in STARTING_SECONDS; never waits for it."""
    os.makedirs(call.state, 0o700, exist_ok=True)
    marker = marker_of(call)
    try:
        found = os.stat(marker)
        age = abs(time.time() - found.st_mtime)  # below nothing where the clock was set back
        if age < STARTING_SECONDS:
            return Start("could not start just now", LONG_AGO) if found.st_size else Start("is starting", age)
        os.remove(marker)
    except OSError:
        pass
    try:
        descriptor = os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return Start("is starting", 0)
    import subprocess

    command = [
        os.environ.get("UNIFIED_MEMORY_PYTHON") or sys.executable,
        "-m",
        "shilu_host.daemon",
        "--state",
        call.state,
        "--marker",
        marker,
    ]
    if call.vault:
        command += ["--vault", os.path.abspath(os.path.expanduser(call.vault))]
    quiet = subprocess.DEVNULL
    try:
        child = subprocess.Popen(
            command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True, cwd=call.state
        )
    except OSError as error:
        os.write(descriptor, b"failed\n")  # as the daemon does itself where it can't run
        return Start(f"can't be started: {error}", LONG_AGO)
    finally:
        os.close(descriptor)
    return Start("was asked to start", 0, child.poll)


def reach(call: Call, pointer: dict[str, str], limit: float) -> tuple[_socket.socket, str]:
    """A connection to the daemon; one that is started for it is waited for, as long as the limit allows."""
    start = None
    while True:
        try:
            if pointer:
                return connect(pointer)
        except (OSError, KeyError, ValueError):
            pass
        if start is None:
            start = start_daemon(call)
        if not start.may_come():
            raise Quiet("no daemon; it " + start.told)
        if time.monotonic() - STARTED > limit - WRITING_SECONDS:
            raise Quiet("timeout: no daemon yet; it " + start.told)
        time.sleep(POLL_SECONDS)
        pointer = pointer_of(call)


def log(call: Call, reason: str) -> None:
    """One line in a log of bounded size; the failure to write it is nobody's business."""
    try:
        os.makedirs(call.state, 0o700, exist_ok=True)
        path = os.path.join(call.state, "hook.log")
        flags = os.O_CREAT | os.O_WRONLY
        try:  # noqa: SIM105 - contextlib would be one import more
            flags |= os.O_TRUNC if os.stat(path).st_size > LOG_BYTES else os.O_APPEND
        except OSError:
            pass
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        spent = int((time.monotonic() - STARTED) * 1000)
        line = f"{when} {call.harness} {spent} ms: {reason[:400]}".replace("\n", " ") + "\n"
        descriptor = os.open(path, flags, 0o600)
        os.write(descriptor, line.encode("utf-8", "backslashreplace"))
        os.close(descriptor)
    except OSError:
        pass


def end_at(limit: list[int], call: Call) -> None:
    """Ends the process at its limit, wherever it hangs."""
    while (left := STARTED + limit[0] / 1000 - time.monotonic()) > 0:
        time.sleep(min(0.05, left))
    if OUTPUT.acquire(False):
        _thread.start_new_thread(log, (call, "timeout: no answer within the limit, the turn goes on without recall"))
        time.sleep(0.02)
    os._exit(0)


OUTPUT = _thread.allocate_lock()  # taken by whoever comes first: the answer or the limit


def turn(call: Call, limit: list[int]) -> None:
    pointer = pointer_of(call)
    if not call.limit and pointer.get("limit-ms", "").isdigit():
        limit[0] = min(int(pointer["limit-ms"]), LONGEST_MS)
    body = read_input()
    os.fstat(1)  # where it is closed, a socket would take its number
    connection, opening = reach(call, pointer, limit[0] / 1000)
    try:
        status, headers, answer = ask(connection, opening, call, body, STARTED + limit[0] / 1000)
    except OSError as error:
        raise Quiet(f"the daemon ended midway: {error}") from None
    if status == 204:
        return
    if status == 409:  # the configuration names another vault by now
        raise Quiet("the daemon serves another vault; the right one " + start_daemon(call).told)
    if status != 200:
        raise Quiet(f"the daemon said {status} {answer[:200].decode('utf-8', 'replace')}")
    if print_answer(answer) and headers.get("x-shilu-ticket"):
        acknowledge(connection, opening, headers["x-shilu-ticket"])


def main(arguments: list[str]) -> None:
    call = Call(arguments)
    limit = [min(call.limit or LIMIT_MS, LONGEST_MS)]
    _thread.start_new_thread(end_at, (limit, call))
    try:
        turn(call, limit)
    except Quiet as reason:
        log(call, str(reason))
    except BaseException as error:
        log(call, f"{type(error).__name__}: {error}")
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
