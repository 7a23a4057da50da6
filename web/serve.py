# SPDX-License-Identifier: MIT
"""serve.py FOLDER: serves the page on loopback, prints its address, and ends with Ctrl-C."""
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".js": "text/javascript", ".wasm": "application/wasm"}

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *arguments):
        pass


def server(folder, port=0):
    return http.server.ThreadingHTTPServer(("127.0.0.1", port),
                                           functools.partial(Handler, directory=folder))


if __name__ == "__main__":
    with server(sys.argv[1]) as serving:
        print(f"http://127.0.0.1:{serving.server_port}/", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            pass
