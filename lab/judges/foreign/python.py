"""What any client of a list of todos does, by the standard library of Python: http.client, urllib, and a bare socket."""

import http.client
import json
import socket
import sys
import urllib.error
import urllib.request

HOST, PORT = sys.argv[1], int(sys.argv[2])
ROOT = "/api/v1/todos"
JSON = {"Content-Type": "application/json"}
PATCH = {"Content-Type": "application/merge-patch+json"}


def kept_connection():
    """Every method in turn, all on one connection."""
    connection = http.client.HTTPConnection(HOST, PORT, timeout=10)
    connection.connect()
    first = connection.sock

    def ask(method, path, body=None, headers={}, **more):
        connection.request(method, path, body, headers, **more)
        answer = connection.getresponse()
        return answer, answer.read()

    made, body = ask("POST", ROOT, json.dumps({"todoTitle": "Milk"}), JSON)
    assert made.status == 201, made.status
    path = ROOT + "/" + json.loads(body)["todoId"]
    assert made.getheader("Location") == f"http://{HOST}:{PORT}{path}"
    chunks = iter([b'{"todo', b'Title":', b'"Bread"}'])
    chunked, body = ask("POST", ROOT, chunks, JSON, encode_chunked=True)
    assert chunked.status == 201 and json.loads(body)["todoTitle"] == "Bread"
    listed, body = ask("GET", ROOT)
    assert len(json.loads(body)) == 2
    read, body = ask("GET", path)
    head, nothing = ask("HEAD", path)
    assert nothing == b"" and head.getheader("Content-Length") == str(len(body))
    same, nothing = ask("GET", path, headers={"If-None-Match": read.getheader("ETag")})
    assert same.status == 304 and nothing == b""
    changed, body = ask("PATCH", path, json.dumps({"todoTitle": "Bathe the cat"}), PATCH)
    assert changed.status == 200 and json.loads(body)["todoTitle"] == "Bathe the cat"
    stale, _ = ask("PUT", path, headers={"If-Match": read.getheader("ETag")})
    assert stale.status == 412
    finished, body = ask("PUT", path, headers={"If-Match": changed.getheader("ETag")})
    assert finished.status == 200 and json.loads(body)["finished"] is True
    refused, _ = ask("POST", ROOT, json.dumps({"todoTitle": ""}), JSON)
    assert refused.status == 400
    options, _ = ask("OPTIONS", path)
    assert options.status == 204 and options.getheader("Accept-Patch") == "application/merge-patch+json"
    gone, nothing = ask("DELETE", path)
    assert gone.status == 204 and nothing == b""
    missing, _ = ask("GET", path)
    assert missing.status == 404
    assert connection.sock is first, "the connection was not kept"
    connection.close()


def one_by_one():
    """A connection for each request, as urllib has it."""
    root = f"http://{HOST}:{PORT}{ROOT}"
    for todo in json.load(urllib.request.urlopen(root)):
        request = urllib.request.Request(f"{root}/{todo['todoId']}", method="DELETE")
        assert urllib.request.urlopen(request).status == 204
    assert json.load(urllib.request.urlopen(root)) == []
    try:
        urllib.request.urlopen(root + "/nobody")
    except urllib.error.HTTPError as error:
        assert error.code == 404 and json.load(error)["code"] == "e.xx.fw.5001"
    else:
        raise AssertionError("a todo that is not there was found")


def pipelined():
    """Many requests before the first answer is read: reads, changes and refusals come back in their order."""
    body = b'{"todoTitle":"Piped"}'
    lines, expected = [], []
    for at in range(60):
        head = b"Host: x\r\nX-Track: p%d\r\n" % at
        kind = at % 4
        if kind == 0:
            lines.append(b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                         % (ROOT.encode(), head, len(body), body))
        else:
            path = [b"", b"", b"/nobody", b"?page=abc"][kind]
            lines.append(b"%s %s%s HTTP/1.1\r\n%s\r\n" % (b"HEAD" if kind == 1 and at % 8 == 1 else b"GET",
                                                         ROOT.encode(), path, head))
        expected.append([201, 200, 404, 400][kind])
    connection = socket.create_connection((HOST, PORT), 10)
    connection.sendall(b"".join(lines))
    for at, status in enumerate(expected):
        method = lines[at].split(b" ", 1)[0].decode()
        answer = http.client.HTTPResponse(Shared(connection), method=method)
        answer.begin()
        answer.read()
        assert answer.status == status, (at, answer.status)
        assert answer.getheader("X-Track") == f"p{at}", (at, answer.getheader("X-Track"))
    connection.close()


class Shared:
    """One reader of the connection for all answers: what was read ahead belongs to the next of them."""

    readers = {}

    def __init__(self, connection):
        self.reader = self.readers.setdefault(connection, connection.makefile("rb"))

    def makefile(self, *_):
        return Unclosed(self.reader)


class Unclosed:
    def __init__(self, reader):
        self.reader = reader

    def __getattr__(self, name):
        return getattr(self.reader, name)

    def close(self):
        pass


for use in (kept_connection, one_by_one, pipelined):
    use()
    print(use.__name__)
