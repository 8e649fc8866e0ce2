"""`condens serve`: the same answers as `condens predict`, and a refusal for everything else."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

Row = dict[str, Any]
QUICK = ("--set", "bandwidth=0.5", "--set", "bandwidth_y=0.3", "--set", "regularization=0.1", "--set", "n_centers=30")
HEADERS = {"Content-Type": "application/json"}
CSV = {"Content-Type": "text/csv", "Accept": "text/csv"}


class Server:
    """A running `condens serve` on a free port."""

    def __init__(self, program: str, *arguments: Any) -> None:
        words = [program, "serve", *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.end()
        self.port = int(self.url.rsplit(":", 1)[1])

    def ask(self, method: str, target: str, body: Any = None, headers: Row | None = None) -> tuple[int, str, Any]:
        """Status, body and headers. What is no text is sent as JSON."""
        sent = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, target, sent, headers if headers is not None else HEADERS if body else {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode(), reply.headers

    def refused(self, status: int, words: list[str], *call: Any, **more: Any) -> None:
        """The call is answered by this status and a sentence that has all words."""
        found, text, headers = self.ask(*call, **more)
        assert found == status, (call, text)
        assert headers["Content-Type"] == "application/json"
        error = json.loads(text)
        assert error["status"] == status
        for word in words:
            assert word in error["error"], (word, error["error"])

    def raw(self, text: bytes) -> bytes:
        """What comes back for these bytes until the server closes the connection."""
        with self.connect() as connection:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            return received(connection)

    def connect(self) -> socket.socket:
        """A connection, for bytes of one's own."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def metric(self, name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.ask("GET", "/metrics")[1], re.MULTILINE)
        assert found, name
        return float(found[1])

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """Ends the server, which must end well; what it said on standard error."""
        self.process.send_signal(how)
        try:
            said = self.process.communicate(timeout=60)[1]
        finally:
            self.process.kill()
        assert self.process.returncode == 0, said
        return said


def received(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.fixture(scope="module", params=["CONDENS_COMMAND", "CONDENS_LOWEST_COMMAND"])
def program(request: pytest.FixtureRequest) -> str:
    """The command; and the one of the lowest level, under the sanitizers, where there is one."""
    default = REPOSITORY / "build" / "release" / "cli" / "condens"
    path = os.environ.get(request.param) or (str(default) if request.param == "CONDENS_COMMAND" else "")
    if not path or not Path(path).exists():
        if request.param == "CONDENS_LOWEST_COMMAND":
            pytest.skip("no condens command for the lowest level: name it in CONDENS_LOWEST_COMMAND")
        pytest.skip("no condens command: build it, or name it in CONDENS_COMMAND")
    return path


@pytest.fixture(scope="module")
def folder(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models: of numbers; of categories, dates and marked gaps; of counts."""
    place = tmp_path_factory.mktemp("serve")
    numbers = random.Random(1)
    lines = ["sex,size,day,y"]
    for i in range(80):
        size = "" if i % 9 == 0 else f"{numbers.gauss(0, 1):.3f}"
        lines.append(f"{'MF'[i % 2]},{size},2024-{1 + i % 12:02d}-{1 + i % 28:02d},{numbers.gauss(i % 2, 1):.4f}")
    (place / "mixed.csv").write_text("\n".join(lines) + "\n")
    counts = [f"{i % 5},{min(i % 7, i % 5)}" for i in range(80)]
    (place / "counts.csv").write_text("x,y\n" + "\n".join(counts) + "\n")

    def fit(table: Path | str, target: str, model: str, *more: str) -> None:
        words = [program, "fit", str(table), "--target", target, "-o", model, *QUICK, *more]
        subprocess.run(words, cwd=place, check=True, capture_output=True, timeout=300)

    fit(REPOSITORY / "data" / "geyser.csv", "waiting", "geyser.json")
    fit("mixed.csv", "y", "mixed.cbor", "--missing", "indicator")
    fit("counts.csv", "y", "counts.cbor", "--target-kind", "count")
    return place


@pytest.fixture(scope="module")
def server(program: str, folder: Path) -> Iterator[Server]:
    """All three models, on one server, which ends well after the tests."""
    files = [folder / "geyser.json", folder / "mixed.cbor", folder / "counts.cbor"]
    running = Server(program, *files, "--max-rows", 50, "--max-numbers", 2000, "--max-body", 20_000, "--timeout", 20)
    try:
        yield running
    finally:
        assert "stopped after" in running.end()


@pytest.fixture(scope="module")
def predict(program: str, folder: Path) -> Callable[..., str]:
    def run(model: str, table: str, *words: str) -> str:
        done = subprocess.run(
            [program, "predict", model, "-", *words],
            input=table,
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    return run


def option_words(query: str) -> list[str]:
    """The query as options of the command."""
    return [word for part in query.split("&") if part for word in ("--" + part).replace("=", "\0", 1).split("\0")]


GEYSER_ROWS = [{"duration": 2}, {"duration": 3.25}, {"duration": 4.5}]
GEYSER_TABLE = "duration\n2\n3.25\n4.5\n"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "mean&std&mode",
        "quantiles=.05,.5,.95&interval=.9",
        "density-at=60,70.5,80&cdf-at=40:100:7",
        "sample=3&seed=5",
        "distribution",
        "mean&keep",
    ],
)
def test_the_answers_are_those_of_predict(server: Server, predict: Callable[..., str], query: str) -> None:
    expected = predict("geyser.json", GEYSER_TABLE, *option_words(query), "--json")
    status, text, headers = server.ask("POST", f"/predict?model=geyser&{query}", GEYSER_ROWS)
    assert (status, text) == (200, expected)
    assert headers["Content-Type"] == "application/json"
    if "distribution" not in query:
        assert server.ask("POST", f"/predict?model=geyser&{query}", GEYSER_TABLE, CSV)[:2] == (
            200,
            predict("geyser.json", GEYSER_TABLE, *option_words(query)),
        )


def test_the_form_of_the_answer_is_what_accept_says(server: Server) -> None:
    json_in, csv_in = HEADERS, {"Content-Type": "text/csv; charset=utf-8"}
    target = "/predict?model=geyser&mean"
    assert server.ask("POST", target, GEYSER_ROWS, {**json_in, "Accept": "text/csv"})[1].startswith("mean\n")
    assert server.ask("POST", target, GEYSER_ROWS, {**json_in, "Accept": "*/*"})[1].startswith("[")
    assert server.ask("POST", target, GEYSER_TABLE, csv_in)[1].startswith("mean\n")
    assert server.ask("POST", target, GEYSER_TABLE, {**csv_in, "Accept": "application/json"})[1].startswith("[")
    semicolons = server.ask("POST", target + "&delimiter=;", "duration;a,b,c\n2;1\n", csv_in)
    assert semicolons[0] == 200
    assert semicolons[1].startswith("mean\n")


def test_a_y_in_the_rows_is_judged(server: Server, predict: Callable[..., str]) -> None:
    rows = [{"duration": 2, "waiting": 80}, {"duration": 4.5, "waiting": 60}]
    table = "duration,waiting\n2,80\n4.5,60\n"
    expected = predict("geyser.json", table, "--log-density", "--cdf", "--json")
    assert server.ask("POST", "/predict?model=geyser&log-density&cdf", rows)[:2] == (200, expected)


def test_categories_dates_and_gaps_are_those_of_the_fit(server: Server, predict: Callable[..., str]) -> None:
    rows: list[Row] = [
        {"sex": "M", "size": 1.5, "day": "2024-03-01"},
        {"sex": "F", "size": None, "day": "2024-07-09"},
        {"day": "2024-11-30", "sex": "M"},
        {"sex": "F", "size": "0.25", "day": "2024-01-02"},
    ]
    table = "sex,size,day\nM,1.5,2024-03-01\nF,,2024-07-09\nM,NA,2024-11-30\nF,0.25,2024-01-02\n"
    expected = predict("mixed.cbor", table, "--mean", "--quantiles", ".1,.9", "--json")
    assert server.ask("POST", "/predict?model=mixed&mean&quantiles=.1,.9", rows)[:2] == (200, expected)
    unknown = [*rows, {"sex": "X", "size": 1, "day": "2024-03-01"}]
    server.refused(400, ["row 5", "'sex'", "'X'", "na prints NA"], "POST", "/predict?model=mixed", unknown)
    status, text, headers = server.ask("POST", "/predict?model=mixed&mean&na", unknown)
    assert status == 200
    assert json.loads(text)[4] == {"mean": None}
    assert "NA for 1 of 5 rows" in headers["Condens-Warning"]
    assert len(json.loads(server.ask("POST", "/predict?model=mixed&drop-missing", unknown)[1])) == 4


def test_counts_have_masses(server: Server, predict: Callable[..., str]) -> None:
    expected = predict("counts.cbor", "x\n1\n4\n", "--mass-at", "0:4:5", "--cdf-at", "2", "--distribution", "--json")
    text = server.ask("POST", "/predict?model=counts&mass-at=0:4:5&cdf-at=2&distribution", [{"x": 1}, {"x": 4}])[1]
    assert text == expected
    row = json.loads(text)[1]
    assert row["cdf_at_2"] == pytest.approx(sum(row[f"mass_at_{y}"] for y in range(3)))
    assert row["distribution"]["kind"] == "count"
    assert sum(row["distribution"]["weights"]) == pytest.approx(1)


def test_scores_are_those_of_the_command(server: Server, program: str, folder: Path) -> None:
    table = "duration,waiting\n2,80\n4.5,60\n3,75\n"
    (folder / "test.csv").write_text(table)
    words = [program, "score", "geyser.json", "test.csv"]
    csv = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    assert server.ask("POST", "/score?model=geyser", table, CSV)[:2] == (200, csv)
    as_json = subprocess.run([*words, "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout
    rows = [{"duration": 2, "waiting": 80}, {"duration": 4.5, "waiting": 60}, {"duration": 3, "waiting": 75}]
    assert server.ask("POST", "/score?model=geyser", rows)[:2] == (200, as_json)
    server.refused(400, ["'waiting'"], "POST", "/score?model=geyser", GEYSER_ROWS)
    server.refused(400, ["-1", "row 1"], "POST", "/score?model=counts", [{"x": 1, "y": -1}])


def test_what_the_server_tells_of_itself(server: Server, program: str, folder: Path) -> None:
    assert server.ask("GET", "/health")[:2] == (200, '{"status": "ok"}\n')
    status, text, headers = server.ask("GET", "/")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    for word in ("geyser: lscde, waiting given duration", "POST /predict", 'curl --json \'[{"duration":'):
        assert word in text
    described = subprocess.run(
        [program, "describe", "geyser.json", "--json"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    assert server.ask("GET", "/model?model=geyser")[1] == described
    models = json.loads(server.ask("GET", "/models")[1])["models"]
    assert [own["name"] for own in models] == ["geyser", "mixed", "counts"]
    assert models[0]["target_kind"] == "real"
    assert models[2]["target_kind"] == "count"
    assert models[1]["inputs"][0] == {"name": "sex", "levels": ["F", "M"]}
    status, text, headers = server.ask("HEAD", "/health")
    assert (status, text, headers["Content-Length"]) == (200, "", "17")


def test_the_example_of_the_help_works(server: Server) -> None:
    text = server.ask("GET", "/")[1]
    found = re.search(r"curl --json '(.*)' 'ADDRESS(/predict\?.*)'", text)
    assert found
    status, answer, _ = server.ask("POST", found[2], found[1])
    assert status == 200
    assert list(json.loads(answer)[0]) == ["mean", "q0.05", "q0.5", "q0.95", "lower", "upper"]


def test_metrics_count_what_was_asked(server: Server) -> None:
    ok = 'condens_requests_total{endpoint="/predict",status="200"}'
    server.ask("POST", "/predict?model=geyser", GEYSER_ROWS)
    before, rows = server.metric(ok), server.metric('condens_rows_total{model="geyser"}')
    server.ask("POST", "/predict?model=geyser", GEYSER_ROWS)
    assert server.metric(ok) == before + 1
    assert server.metric('condens_rows_total{model="geyser"}') == rows + 3
    name = 'condens_request_seconds_bucket{endpoint="/predict",le="+Inf"}'
    assert server.metric(name) == server.metric('condens_request_seconds_count{endpoint="/predict"}')
    server.ask("GET", "/nowhere/at/all")
    assert server.metric('condens_requests_total{endpoint="other",status="404"}') >= 1
    assert "nowhere" not in server.ask("GET", "/metrics")[1]
    assert server.metric('condens_model_info{model="counts",method="lscde"}') == 1
    assert server.metric("process_resident_memory_bytes") > 1e6
    for line in server.ask("GET", "/metrics")[1].splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{.*\})? [-+.\deE]+", line), line


GEYSER = "/predict?model=geyser"


@pytest.mark.parametrize(
    ("status", "words", "call"),
    [
        (404, ["'/predit'", "did you mean '/predict'?"], ("POST", "/predit", GEYSER_ROWS)),
        (404, ["'/%2F'"], ("GET", "/%2F")),
        (404, ["model = 'gyser'", "geyser, mixed, counts", "did you mean 'geyser'?"], ("GET", "/model?model=gyser")),
        (405, ["takes no GET", "expected POST"], ("GET", "/predict")),
        (405, ["takes no POST", "expected GET"], ("POST", "/health", GEYSER_ROWS)),
        (405, ["takes no DELETE", "expected POST"], ("DELETE", "/predict")),
        (415, ["Content-Type = ''", "application/json or text/csv"], ("POST", GEYSER, "[]", {})),
        (415, ["'application/x-www-form-urlencoded'"],
         ("POST", GEYSER, "[]", {"Content-Type": "application/x-www-form-urlencoded"})),
        (415, ["Content-Encoding = 'gzip'"], ("POST", GEYSER, "[]", {**HEADERS, "Content-Encoding": "gzip"})),
        (400, ["model is missing", "model=NAME", "geyser, mixed, counts"], ("POST", "/predict", GEYSER_ROWS)),
        (400, ["unknown word 'verbose'", "expected model=NAME"], ("GET", "/model?model=geyser&verbose")),
        (400, ["unknown word 'quantile'", "did you mean 'quantiles'?"], ("POST", GEYSER + "&quantile=.5", GEYSER_ROWS)),
        (400, ["unknown word 'output'"], ("POST", GEYSER + "&output=/tmp/file", GEYSER_ROWS)),
        (400, ["unknown word 'shift-rows'"], ("POST", GEYSER + "&shift-rows=train.csv", GEYSER_ROWS)),
        (400, ["unknown word 'help'"], ("POST", GEYSER + "&help", GEYSER_ROWS)),
        (400, ["quantiles: '1.5'", "between 0 and 1"], ("POST", GEYSER + "&quantiles=.5,1.5", GEYSER_ROWS)),
        (400, ["quantiles has no value", "quantiles=p,p,..."], ("POST", GEYSER + "&quantiles", GEYSER_ROWS)),
        (400, ["'mean' is given more than once"], ("POST", GEYSER + "&mean&mean", GEYSER_ROWS)),
        (400, ["mean = '2'", "true or false"], ("POST", GEYSER + "&mean=2", GEYSER_ROWS)),
        (400, ["sample = 'some'", "a whole number"], ("POST", GEYSER + "&sample=some", GEYSER_ROWS)),
        (400, ["interval: '90'", "for 90 % give 0.9"], ("POST", GEYSER + "&interval=90", GEYSER_ROWS)),
        (400, ["density-at = '1:2'", "LOW:HIGH:COUNT"], ("POST", GEYSER + "&density-at=1:2", GEYSER_ROWS)),
        (400, ["cdf-at has '60' twice"], ("POST", GEYSER + "&cdf-at=60,60.0", GEYSER_ROWS)),
        (400, ["mass-at: the target was fitted as any real"], ("POST", GEYSER + "&mass-at=1", GEYSER_ROWS)),
        (400, ["bands: geyser has no bootstrap"], ("POST", GEYSER + "&bands=.9", GEYSER_ROWS)),
        (400, ["exact-quantiles: lscde"], ("POST", GEYSER + "&exact-quantiles", GEYSER_ROWS)),
        (400, ["log-density needs the target column 'waiting'"], ("POST", GEYSER + "&log-density", GEYSER_ROWS)),
        (400, ["no place in CSV"], ("POST", GEYSER + "&distribution", GEYSER_TABLE, CSV)),
        (400, ["'%zz'", "two hexadecimal digits"], ("POST", GEYSER + "&mean=%zz", GEYSER_ROWS)),
        (400, ["UTF-8"], ("POST", GEYSER + "&mean=%ff", GEYSER_ROWS)),
        (400, ["request", "not readable as JSON"], ("POST", GEYSER, "[{", HEADERS)),
        (400, ["is a text", "a list of objects"], ("POST", GEYSER, '"duration"', HEADERS)),
        (400, ["empty list"], ("POST", GEYSER, "[]", HEADERS)),
        (400, ["row 2", "an object of columns"], ("POST", GEYSER, [{"duration": 2}, 3])),
        (400, ["row 1", "'duration' is a list"], ("POST", GEYSER, [{"duration": [2]}])),
        (400, ["'duration'"], ("POST", GEYSER, [{"durations": 2}])),
        (400, ["row 2", "'duration'", "missing"], ("POST", GEYSER, [{"duration": 2}, {"duration": None}])),
        (400, ["'duration'", "'long'", "number"], ("POST", GEYSER, [{"duration": "long"}])),
        (400, ["occurs twice"], ("POST", GEYSER, '[{"duration": 2, "duration": 3}]', HEADERS)),
        (400, ["request:3"], ("POST", GEYSER, "duration\n2\n3,4\n", CSV)),
        (400, ["no rows after the header"], ("POST", GEYSER, "duration\n", CSV)),
        (413, ["51 rows", "at most 50 (--max-rows)"], ("POST", GEYSER, [{"duration": 2}] * 51)),
        (413, ["51 rows"], ("POST", GEYSER, "duration\n" + 51 * "2\n", CSV)),
        (413, ["3 rows of 700 numbers", "at most 2000"], ("POST", GEYSER + "&sample=700", GEYSER_ROWS)),
        (413, ["distribution: 50 rows of", "2000"], ("POST", GEYSER + "&distribution", [{"duration": 2}] * 50)),
        (400, ["columns or more", "at most 2000 values"],
         ("POST", GEYSER, [{f"c{i}-{j}": 1 for j in range(2)} for i in range(50)])),
        (413, ["longer than 20000 bytes"], ("POST", GEYSER, " " * 20_001, HEADERS)),
        (431, ["longer than 16384 bytes"], ("GET", "/health", None, {"X-Long": "x" * 20_000})),
        (431, ["longer than 16384 bytes"], ("GET", "/health?" + "x" * 20_000)),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused(server: Server, status: int, words: list[str], call: Any) -> None:
    server.refused(status, words, *call)


def test_methods_that_are_allowed_are_named(server: Server) -> None:
    assert server.ask("PUT", "/predict", "[]")[2]["Allow"] == "POST"
    assert server.ask("OPTIONS", "/models")[2]["Allow"] == "GET"


def test_bytes_that_are_no_request(server: Server) -> None:
    for text in (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET /health\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n"):
        assert server.raw(text).startswith(b"HTTP/1.1 400 ")
    twice = b"POST /predict HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]"
    assert server.raw(twice).startswith(b"HTTP/1.1 400 ")
    assert server.raw(b"") == b""
    assert server.raw(b"POST /predict?model=geyser HTTP/1.1\r\nContent-Length: 100\r\n\r\n[") == b""  # and is gone
    huge = b"POST /predict HTTP/1.1\r\nContent-Length: 1000000000000\r\nExpect: 100-continue\r\n\r\n"
    assert server.raw(huge).startswith(b"HTTP/1.1 413 ")
    chunks = b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + 30 * (b"400\r\n" + 1024 * b" " + b"\r\n")
    assert server.raw(chunks).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_asks_before_it_sends_is_told_to(server: Server) -> None:
    head = b"POST /predict?model=geyser&mean HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
    with server.connect() as connection:
        connection.sendall(head + b"Expect: 100-continue\r\nContent-Length: 15\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'[{"duration":2}]'[:15])
        assert b" 400 " in connection.recv(100)  # the list does not end


def test_requests_in_one_piece_are_answered_in_order(server: Server) -> None:
    one = b"GET /health HTTP/1.1\r\n\r\n"
    answers = server.raw(one + b"GET /nowhere HTTP/1.1\r\n\r\n" + one)
    assert re.findall(rb"HTTP/1.1 (\d+) ", answers) == [b"200", b"404", b"200"]


def test_what_is_refused_ends_a_connection(server: Server) -> None:
    """Nothing of its body is taken for another request."""
    inside = b"GET /health HTTP/1.1\r\n\r\n"
    huge = b"POST /predict HTTP/1.1\r\nContent-Length: 30000\r\n\r\n" + inside * 100
    answers = server.raw(inside + huge)
    assert re.findall(rb"HTTP/1.1 (\d+) ", answers) == [b"200", b"413"]
    assert b"Connection: close" in answers


def test_a_thousand_malformed_bodies(server: Server) -> None:
    numbers = random.Random(7)
    good = json.dumps(GEYSER_ROWS).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    seen = set()
    for _ in range(1000):
        body = bytearray(good)
        for _ in range(numbers.randint(1, 4)):
            body[numbers.randrange(len(body))] = numbers.randrange(256)
        connection.request("POST", "/predict?model=geyser&mean", bytes(body[: numbers.randint(1, len(body))]), HEADERS)
        reply = connection.getresponse()
        text = json.loads(reply.read())
        assert reply.status in (200, 400), text
        seen.add(reply.status)
        if reply.status == 400:
            assert text["error"]
    connection.close()
    assert 400 in seen
    assert server.ask("GET", "/health")[0] == 200


def test_clients_at_a_time_have_the_bits_of_predict(server: Server, predict: Callable[..., str]) -> None:
    tables = [f"duration\n{1.5 + k / 7}\n{2.5 + k / 9}\n" for k in range(16)]
    expected = [predict("geyser.json", table, "--mean", "--quantiles", ".05,.5,.95") for table in tables]
    wrong: list[Any] = []

    def client(k: int) -> None:
        for i in range(10):
            j = (k + i) % len(tables)
            found = server.ask("POST", "/predict?model=geyser&mean&quantiles=.05,.5,.95", tables[j], CSV)[:2]
            if found != (200, expected[j]):
                wrong.append(found)

    threads = [threading.Thread(target=client, args=(k,)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_slow_clients_are_told_and_hold_up_nobody(program: str, folder: Path) -> None:
    server = Server(program, folder / "geyser.json", "--timeout", "1", "--idle-timeout", "1")
    try:
        slow = [server.connect() for _ in range(20)]
        for k, connection in enumerate(slow):
            half = b"POST /predict HTTP/1.1\r\nContent-Length: 100\r\n\r\n[" if k % 2 else b"GET /hea"
            connection.sendall(half)
        assert server.ask("GET", "/health")[0] == 200
        for connection in slow:
            answer = received(connection)
            assert answer.startswith(b"HTTP/1.1 408 "), answer
            assert b"longer than 1 seconds" in answer
            connection.close()
        with server.connect() as idle:
            assert idle.recv(100) == b""  # closed without a word
    finally:
        server.end()


def test_an_answer_that_takes_too_long_is_given_up(program: str, folder: Path) -> None:
    server = Server(program, folder / "counts.cbor", "--timeout", "0.05", "--max-rows", "1000000")
    try:
        table = "x,y\n" + 200_000 * "1,1\n"
        status, text, headers = server.ask("POST", "/score", table, CSV)
        assert status == 503
        assert "--timeout" in json.loads(text)["error"]
        assert headers["Retry-After"] == "1"
        assert server.ask("GET", "/health")[0] == 200
    finally:
        server.end()


def test_connections_beyond_the_limit_are_turned_away(program: str, folder: Path) -> None:
    server = Server(program, folder / "geyser.json", "--max-connections", "2")
    try:
        first, second = server.connect(), server.connect()
        with first, second:
            for connection in (first, second):
                connection.sendall(b"GET /health HTTP/1.1\r\n\r\n")
                assert b" 200 " in connection.recv(4096)
            server.refused(503, ["2 connections are open", "--max-connections"], "GET", "/health")
            first.close()
            deadline = time.monotonic() + 30
            while (status := server.ask("GET", "/health")[0]) != 200 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert status == 200
    finally:
        server.end()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_was_asked_before_the_end_is_answered(program: str, folder: Path, how: signal.Signals) -> None:
    server = Server(program, folder / "geyser.json", "--max-rows", "20000")
    body = b'[{"duration":2}]'
    head = f"POST /predict?mean HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with server.connect() as idle, server.connect() as half:
        idle.sendall(b"GET /health HTTP/1.1\r\n\r\n")
        assert b" 200 " in idle.recv(4096)
        half.sendall(head.encode())
        while server.metric("condens_connections") < 3:
            time.sleep(0.01)
        server.process.send_signal(how)
        assert idle.recv(100) == b""
        half.sendall(body)
        answer = received(half)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"Connection: close" in answer
    assert b'"mean"' in answer
    assert "stopped after" in server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0


def test_models_are_read_again_only_when_told(program: str, folder: Path) -> None:
    file = folder / "replaced.json"
    file.write_bytes((folder / "geyser.json").read_bytes())
    server = Server(program, file)
    try:
        before = server.ask("POST", "/predict", GEYSER_ROWS)
        file.write_text("no model")
        assert server.ask("POST", "/predict", GEYSER_ROWS)[:2] == before[:2]
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert server.ask("POST", "/predict", GEYSER_ROWS)[:2] == before[:2]
        file.write_bytes((folder / "counts.cbor").read_bytes())
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while '"count"' not in server.ask("GET", "/models")[1] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.ask("POST", "/predict?mass-at=0", [{"x": 1}])[0] == 200
    finally:
        said = server.end()
    assert "the models stay as they were: " in said
    assert "the models are read again" in said


def test_the_page_is_true(tmp_path: Path) -> None:
    """Every call of docs/serving.md, on the model that it fits."""
    program = Path(os.environ.get("CONDENS_COMMAND") or REPOSITORY / "build" / "release" / "cli" / "condens")
    if not program.exists():
        pytest.skip("no condens command: build it, or name it in CONDENS_COMMAND")
    page = (REPOSITORY / "docs" / "serving.md").read_text()
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    calls = [(text, after) for (kind, text), (_, after) in itertools.pairwise(blocks) if kind == "sh"]
    fit, serve = calls[0][0].splitlines()
    assert fit.split()[0] == "condens"
    assert serve.split()[:2] == ["condens", "serve"]
    words = fit.replace("data/geyser.csv", str(REPOSITORY / "data" / "geyser.csv")).split()[1:]
    subprocess.run([str(program), *words], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    server = Server(str(program), tmp_path / serve.split()[2])
    try:
        for text, after in calls[1:]:
            script = text.replace("http://127.0.0.1:8080", server.url).replace("curl ", "curl --silent --show-error ")
            done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, (text, done.stderr)
            assert done.stdout, text
            if after.startswith(("[", "{")):
                expected, found = json.loads(after), json.loads(done.stdout)
                if isinstance(expected, list):  # to the digits that levels of processors share
                    expected, found = ([pytest.approx(row, rel=1e-9) for row in expected], found)
                assert found == expected
            else:
                assert '"error"' not in done.stdout, done.stdout
    finally:
        server.end()


def test_the_container_is_made_of_what_there_is(program: str) -> None:
    lines = (REPOSITORY / "Containerfile").read_text().splitlines()
    copied = [
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    ]
    assert {"cmake", "cli", "src"} <= set(copied)
    for name in copied:
        assert (REPOSITORY / name).exists(), name
    entry = next(json.loads(line.removeprefix("ENTRYPOINT ")) for line in lines if line.startswith("ENTRYPOINT "))
    assert entry[:2] == ["condens", "serve"]
    options = subprocess.run([program, *entry[1:2], "--help"], check=True, capture_output=True, text=True).stdout
    for option in entry[2::2]:
        assert f"{option} " in options
