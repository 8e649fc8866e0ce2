"""condens serve under load: 10,000 requests of 32 clients, and what is malformed or huge.

usage: python benchmarks/serving.py build/release/cli/condens NOTE > benchmarks/SERVING.md

Clients are threads of four processes on the machine of the server, which they share: a client sends its next request
when it has the answer, over one connection. Every answer is compared with what `condens predict` prints. The memory of
the server is read from /metrics: after 1,000 requests that warm it up, after the load, and after what is malformed.
Needs the standard library alone.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import platform
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import date
from pathlib import Path

CLIENTS, PROCESSES = 32, 4
REQUESTS = int(os.environ.get("CONDENS_REQUESTS", "10000"))
WARM = 1000
WORDS = ["mean", "quantiles=.05,.5,.95"]
HEADERS = {"Content-Type": "application/json"}
DATA = Path(__file__).resolve().parent.parent / "data" / "geyser.csv"


def bodies(rows):
    """Sixteen bodies, and for each the table with the same rows."""
    numbers = random.Random(0)
    tables = [[round(numbers.uniform(1, 5.5), 3) for _ in range(rows)] for _ in range(16)]
    return [
        (json.dumps([{"duration": x} for x in own]), "duration\n" + "".join(f"{x}\n" for x in own)) for own in tables
    ]


def client(port, cases, count, seconds, errors):
    """Asks `count` times; appends the seconds of each answer, and what was wrong."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    target = "/predict?" + "&".join(WORDS)
    for i in range(count):
        body, expected = cases[i % len(cases)]
        begin = time.perf_counter()
        try:
            connection.request("POST", target, body, HEADERS)
            reply = connection.getresponse()
            found = reply.read().decode()
            if (reply.status, found) != (200, expected):
                errors.append(f"{reply.status}: {found[:80]}")
        except OSError as error:
            errors.append(repr(error))
            connection.close()
        seconds.append(time.perf_counter() - begin)
    connection.close()


def clients(port, cases, counts, results):
    """Some clients as threads of this process."""
    seconds, errors = [], []
    threads = [threading.Thread(target=client, args=(port, cases, count, seconds, errors)) for count in counts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((seconds, errors))


def load(port, cases, requests):
    """Seconds of all answers, errors, and the seconds that all took together."""
    counts = [requests // CLIENTS + (k < requests % CLIENTS) for k in range(CLIENTS)]
    results = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=clients, args=(port, cases, counts[k::PROCESSES], results))
        for k in range(PROCESSES)
    ]
    begin = time.perf_counter()
    for worker in workers:
        worker.start()
    seconds, errors = [], []
    for _ in workers:
        own_seconds, own_errors = results.get()
        seconds += own_seconds
        errors += own_errors
    took = time.perf_counter() - begin
    for worker in workers:
        worker.join()
    return sorted(seconds), errors, took


def megabytes(port):
    """Memory of the server, by what it says itself."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    line = next(own for own in text.splitlines() if own.startswith("process_resident_memory_bytes "))
    return float(line.split()[1]) / 1e6


def status_of(port, request):
    """The status with which some bytes are answered; "closed" where they are not."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        except OSError:
            return "closed"
    return answer[9:12].decode() if answer.startswith(b"HTTP/1.1 ") else "closed"


def post(body, length=None):
    """A request as bytes."""
    head = f"POST /predict HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return head.encode() + body


def hostile():
    """Names, and how to make request i of each kind."""
    numbers = random.Random(1)
    good = json.dumps([{"duration": 2}, {"duration": 3.5}]).encode()

    def broken(_):
        body = bytearray(good)
        body[numbers.randrange(len(body))] = numbers.randrange(128, 256)
        return post(bytes(body))

    return {
        "a byte of the body that is no UTF-8": (1000, broken),
        "half a body of JSON": (1000, lambda i: post(good[: 1 + i % (len(good) - 1)])),
        "lists in lists, 100,000 deep": (20, lambda _: post(b"[" * 100_000)),
        "an object of 300,000 columns": (5, lambda _: post(json.dumps({str(k): k for k in range(300_000)}).encode())),
        "10,001 rows": (20, lambda _: post(json.dumps([{"duration": 2}] * 10_001).encode())),
        "a body of 9,000,000 bytes": (20, lambda _: post(b" " * 9_000_000)),
        "a length of 10^12 bytes": (20, lambda _: post(b"[", 10**12)),
        "a header of 100,000 bytes": (20, lambda _: b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n"),
        "random bytes": (1000, lambda _: numbers.randbytes(200) + b"\r\n\r\n"),
    }


def main():
    """Prints the page."""
    program, note = sys.argv[1], " ".join(sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "geyser.json")
        subprocess.run([program, "fit", str(DATA), "--target", "waiting", "-o", model], check=True, capture_output=True)
        server = subprocess.Popen(
            [program, "serve", model, "--port", "0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            port = int(server.stdout.readline().rsplit(":", 1)[1])
            report(program, model, port, note)
        finally:
            server.terminate()
            server.wait(60)
    print(f"\nThe server ended with exit code {server.returncode} when it was told to.")


def report(program, model, port, note):
    """All of it, against a running server."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    machine = f"{processor()}, {os.cpu_count()} cores, which server and clients share"
    print("# condens serve under load\n")
    print(f"Written by `benchmarks/serving.py`; {date.today()}; commit {commit}; {machine}; {note}.\n")
    print(
        f"{REQUESTS:,} requests of {CLIENTS} clients at a time, one connection each, for the mean and three quantiles "
    )
    print(
        "of LSCDE on `data/geyser.csv`; every answer is compared with that of `condens predict`. Milliseconds at the "
    )
    print("client.\n")
    print("| rows of a request | wrong answers | requests a second | p50 | p99 | longest | memory before | after |")
    print("|---|---|---|---|---|---|---|---|")
    for rows in (1, 100):
        cases = []
        for body, table in bodies(rows):
            words = [part for word in WORDS for part in ("--" + word).split("=")]
            predict = [program, "predict", model, "-", "--json", *words]
            cases.append((body, subprocess.run(predict, input=table, stdout=subprocess.PIPE, text=True).stdout))
        load(port, cases, WARM)
        before = megabytes(port)
        seconds, errors, took = load(port, cases, REQUESTS)
        milliseconds = [1000 * seconds[int(q * (len(seconds) - 1))] for q in (0.5, 0.99, 1.0)]
        cells = [f"{rows}", f"{len(errors)}", f"{len(seconds) / took:,.0f}", *(f"{own:.1f}" for own in milliseconds)]
        print("| " + " | ".join(cells) + f" | {before:.1f} MB | {megabytes(port):.1f} MB |")
        for error in errors[:3]:
            print(error, file=sys.stderr)
    print("\nRequests that cannot be answered, one connection each:\n")
    print("| request | times | answered by | memory after |")
    print("|---|---|---|---|")
    for name, (times, make) in hostile().items():
        found = {}
        for i in range(times):
            status = status_of(port, make(i))
            found[status] = found.get(status, 0) + 1
        statuses = ", ".join(f"{status} ({count:,})" for status, count in sorted(found.items()))
        print(f"| {name} | {times:,} | {statuses} | {megabytes(port):.1f} MB |")


def processor():
    """Its name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ", 1)[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
