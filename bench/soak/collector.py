"""An IPFIX collector over TCP (RFC 7011) that looks at three Information Elements of each Flow Record."""
import socket, struct

PACKETS, REASON, END_MS = 2, 136, 153  # packetDeltaCount, flowEndReason, flowEndMilliseconds
TEMPLATES, OPTIONS_TEMPLATES, FIRST_DATA = 2, 3, 256
SIZES = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}


class Template:
    """Where the three stand in a record of fixed length; none of them: not of Flow Records."""
    def __init__(self, fields):
        self.length, self.of_flows, at = sum(length for _, length in fields), True, {}
        if any(length == 0xffff for _, length in fields): raise ValueError('an element of variable length')
        offset = 0
        for element, length in fields:
            if element in (PACKETS, REASON, END_MS): at[element] = (struct.Struct('>' + SIZES[length]), offset)
            offset += length
        self.of_flows = len(at) == 3
        if self.of_flows: self.readers = [at[element] for element in (PACKETS, END_MS, REASON)]

    def records(self, data):
        """-> (packets, ms since 1970, reason) of each"""
        for begin in range(0, len(data) - self.length + 1, self.length):
            yield tuple(read.unpack_from(data, begin + at)[0] for read, at in self.readers)


def fields_of(data, at, count):
    """-> ([(element, length)], where they end); an enterprise's elements are None"""
    fields = []
    for _ in range(count):
        element, length = struct.unpack_from('>HH', data, at)
        at += 8 if element & 0x8000 else 4
        fields.append((None if element & 0x8000 else element, length))
    return fields, at


class Collector:
    """One connection to a port of 127.0.0.1. Its memory does not grow with what comes."""
    def __init__(self):
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'tcp://127.0.0.1:{self.listener.getsockname()[1]}'
        self.templates = {}

    def messages(self):
        """What comes at once, as [(packets, ms since 1970, reason)], until the other side closes."""
        connection, _ = self.listener.accept()
        rest = b''
        while data := connection.recv(1 << 16):
            rest += data
            at = 0
            while len(rest) - at >= 16 and (length := struct.unpack_from('>H', rest, at + 2)[0]) <= len(rest) - at:
                yield from self.sets(rest[at:at + length])
                at += length
            rest = rest[at:]
        connection.close()
        if rest: raise ValueError('the last message is cut')

    def sets(self, message):
        at = 16
        while at < len(message):
            number, length = struct.unpack_from('>HH', message, at)
            data, at = message[at + 4:at + length], at + length
            if number == TEMPLATES: self.take_templates(data)
            elif number >= FIRST_DATA and number in self.templates: yield self.templates[number].records(data)

    def take_templates(self, data):
        at = 0
        while len(data) - at > 4:
            number, count = struct.unpack_from('>HH', data, at)
            fields, at = fields_of(data, at + 4, count)
            template = Template(fields)
            if template.of_flows: self.templates[number] = template
