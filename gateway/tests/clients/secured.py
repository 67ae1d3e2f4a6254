"""TLS in front of the exchange, for clients that speak nothing else: bytes go through as they are."""

import asyncio
import ssl
import subprocess
import threading

PART = 65_536


class Secured:
    """An address of TLS for a port of this machine, with a certificate of its own in `folder`."""

    def __init__(self, port, folder):
        self.target, self.certificate, key = port, folder / "certificate.pem", folder / "key.pem"
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        named = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", self.certificate]
        subprocess.run([*words, *named], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._open(), loop).result(30)

    async def _open(self):
        server = await asyncio.start_server(self._pass, "127.0.0.1", 0, ssl=self.context)
        return server.sockets[0].getsockname()[1]

    async def _pass(self, reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _pump(self, reader, writer):
        try:
            while part := await reader.read(PART):
                writer.write(part)
                await writer.drain()
        except (ConnectionError, ssl.SSLError):
            pass  # its end is told to the other side below
        finally:
            writer.close()
