"""A relay on loopback between an edge and the store, which can drop what passes, or pass it late."""

import asyncio
import contextlib


class Relay:
    """Connections go on to a port; `drops` loses every byte of them without a sign, `delay` holds bytes for so many seconds."""

    def __init__(self, port):
        self.store_port, self.port = port, 0
        self.drops, self.delay = False, 0.0
        self.server = None
        self.tasks = set()

    async def open(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        try:
            near = await asyncio.open_connection("127.0.0.1", self.store_port)
        except OSError:
            writer.close()
            return
        # A task that is cancelled has nothing more to do.
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self.pass_on(reader, near[1]), self.pass_on(near[0], writer))

    async def pass_on(self, reader, writer):
        try:
            while data := await reader.read(65536):
                if self.drops:
                    continue
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()

    def close(self):
        self.server.close()
        for task in self.tasks:
            task.cancel()
