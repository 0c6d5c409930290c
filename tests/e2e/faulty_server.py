#!/usr/bin/env python3
"""An HTTP server on the loopback that serves the files of a folder, with the faults of downloads.

    faulty_server.py FOLDER LOG

prints its port, then serves /FAULT/path/of/file and writes a line "path range" per request into
LOG. FAULT:
    good       as it should be, Range honoured
    breaks     the connection ends after half of the range, at the first 2 requests for each file
    norange    the same once, and Range is ignored
    dead       the connection always ends after 10 bytes
    corrupt    one byte in the middle is changed
    short      the last 7 bytes are missing, and Content-Length agrees
    long       7 more bytes follow, and Content-Length agrees
    missing    404
    busy       503 at the first 2 requests for each file, then good
    page       200 and a page of HTML
    stalls     sends 10 bytes, then nothing for a minute
"""
import http.server
import os
import sys
import time

PAGE = b"<!DOCTYPE html><html><body>Welcome! Please log in to use this network.</body></html>"


class Handler(http.server.BaseHTTPRequestHandler):
    folder, log, asked = "", "", {}

    def do_GET(self):
        fault, _, name = self.path.lstrip("/").partition("/")
        asked = self.asked[self.path] = self.asked.get(self.path, 0) + 1
        with open(self.log, "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', 'whole')}\n")
        path = os.path.join(self.folder, os.path.normpath("/" + name).lstrip("/"))
        if fault == "missing" or not os.path.isfile(path):
            return self.send_error(404)
        if fault == "busy" and asked <= 2:
            return self.send_error(503)
        with open(path, "rb") as file:
            body = bytearray(file.read())
        if fault == "page":
            body = PAGE
        elif fault == "corrupt":
            body[len(body) // 2] ^= 1
        elif fault == "short":
            body = body[:-7]
        elif fault == "long":
            body += b"garbage"
        start = self.start(fault, len(body))
        if start is None:
            return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        self.wfile.write(body[start:self.end(fault, asked, start, len(body))])
        if fault == "stalls":
            self.wfile.flush()
            time.sleep(60)
        self.close_connection = True

    def start(self, fault, size):
        """Where the answer begins: Range 'bytes=N-', the only form used here."""
        asked = self.headers.get("Range", "")
        if fault in ("norange", "page") or not asked.startswith("bytes="):
            return 0
        first = int(asked[len("bytes="):].rstrip("-"))
        return first if first < size else None

    def end(self, fault, asked, start, size):
        if fault in ("dead", "stalls"):
            return start + 10
        if (fault == "breaks" and asked <= 2) or (fault == "norange" and asked == 1):
            return start + (size - start) // 2
        return size

    def log_message(self, *arguments):
        pass


def main():
    Handler.folder, Handler.log = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
