"""A WebAssembly module as wasm-ld links it with `--emit-relocs`: its sections, and which of them name what.

Each reference of the code and of the data - to a function, a slot of the table, an address - is listed in the module, so that parts of
it can be taken apart and put together without a reader of instructions.
"""

from bisect import bisect_right

HEAD = b"\0asm\1\0\0\0"
TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, CODE, DATA = 1, 2, 3, 4, 5, 6, 7, 9, 10, 11
# Kinds of references, by the numbers of the format: what they name, and how the place has the number.
CALLED, SLOT, ADDRESS = "called", "slot", "address"
REFERENCES = {
    0: (CALLED, "unsigned"), 1: (SLOT, "signed"), 2: (SLOT, "word"), 3: (ADDRESS, "unsigned"), 4: (ADDRESS, "signed"),
    5: (ADDRESS, "word"), 6: (None, "unsigned"), 7: (None, "unsigned"), 20: (None, "unsigned"),
}
# Symbols: the part of the section that lists them, their kinds, and bits that say how they are written.
SYMBOLS = 8
A_FUNCTION_SYMBOL, A_DATA_SYMBOL, A_SECTION_SYMBOL = 0, 1, 3
UNDEFINED, NAMED, ABSOLUTE = 0x10, 0x40, 0x200
# A number in the code, padded so that the linker can replace it.
PADDED = 5


def unsigned(number):
    """The number in the least bytes."""
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def signed(number):
    found = bytearray()
    while not -64 <= number < 64:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number & 127)
    return bytes(found)


def text(name):
    return packed(name.encode())


def vector(items):
    items = list(items)
    return unsigned(len(items)) + b"".join(items)


def packed(content):
    """Bytes behind their number."""
    return unsigned(len(content)) + content


def assembled(sections):
    """The module of these sections."""
    return HEAD + b"".join(bytes([number]) + packed(sections[number]) for number in sorted(sections))


class Reader:
    """Numbers and texts, one behind the other."""

    def __init__(self, content, at=0):
        self.content, self.at = content, at

    def byte(self):
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self):
        number = shift = 0
        while (byte := self.byte()) >= 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def signed(self):
        begin = self.at
        number = self.unsigned()
        bits = 7 * (self.at - begin)
        return number - (1 << bits) if number >> bits - 1 else number

    def bytes(self, length):
        self.at += length
        return self.content[self.at - length : self.at]

    def text(self):
        return self.bytes(self.unsigned()).decode()

    def constant(self):
        """An expression `i32.const N`."""
        if self.byte() != 0x41:
            raise ValueError("an offset that is no constant")
        number = self.signed()
        self.byte()
        return number

    def __iter__(self):
        """As often as the next number says."""
        return iter(range(self.unsigned()))


class Module:
    """What is read: `functions` as `(begin, end)` in `code`, without those that are imported, whose numbers are below `imports`;
    `slots` of the table and the functions there; `names` of functions, as the compiler has them; `data` as `(address, bytes)`;
    `references` by section, those of each function in `within`."""

    def __init__(self, content):
        self.sections, custom, order = {}, {}, []
        reader = Reader(content, len(HEAD))
        while reader.at < len(content):
            number = reader.byte()
            body = reader.bytes(reader.unsigned())
            order.append(number)
            if number:
                self.sections[number] = body
            else:
                named = Reader(body)
                custom[named.text()] = named
        self.code = self.sections[CODE]
        self.imports = Reader(self.sections[IMPORT]).unsigned()
        declared = Reader(self.sections[FUNCTION])
        self.types = [declared.unsigned() for _ in declared]
        self.functions = self.read_functions()
        self.parameters = self.read_parameters()
        self.slots = self.read_slots()
        self.data, self.places = self.read_data()
        self.exports = self.read_exports()
        self.names = {}
        self.symbols = self.read_symbols(custom["linking"])
        kinds = {"reloc.CODE": CODE, "reloc.DATA": DATA}
        self.references = {kind: self.read_references(custom[name], order, kind) for name, kind in kinds.items()}
        self.within = [[] for _ in self.functions]
        begins = [begin for begin, _ in self.functions]
        for reference in self.references[CODE]:
            self.within[bisect_right(begins, reference[0]) - 1].append(reference)

    def kind(self, index):
        """The type of a function, as its number."""
        return self.types[index - self.imports]

    def address(self, place):
        """The address of a place in the section of data."""
        at = bisect_right(self.places, place) - 1
        return self.data[at][0] + place - self.places[at]

    def read_functions(self):
        reader, found = Reader(self.code), []
        for _ in reader:
            length = reader.unsigned()
            found.append((reader.at, reader.at + length))
            reader.at += length
        return found

    def read_parameters(self):
        """How many parameters each type has."""
        reader, found = Reader(self.sections[TYPE]), []
        for _ in reader:
            reader.byte()
            found.append(len(reader.bytes(reader.unsigned())))
            reader.bytes(reader.unsigned())
        return found

    def read_slots(self):
        reader, slots = Reader(self.sections[ELEMENT]), {}
        for _ in reader:
            if reader.unsigned() != 0:
                raise ValueError("a table that is not filled by numbers of functions")
            first = reader.constant()
            slots |= {first + place: reader.unsigned() for place in reader}
        return slots

    def read_data(self):
        reader, data, places = Reader(self.sections[DATA]), [], []
        for _ in reader:
            if reader.unsigned() != 0:
                raise ValueError("data without an address")
            address, length = reader.constant(), reader.unsigned()
            places.append(reader.at)
            data.append((address, reader.bytes(length)))
        return data, places

    def read_exports(self):
        """Functions by the names that the page has for them."""
        reader = Reader(self.sections[EXPORT])
        exports = [(reader.text(), reader.byte(), reader.unsigned()) for _ in reader]
        return {name: index for name, kind, index in exports if kind == 0}

    def read_symbols(self, reader):
        """`("function", index)`, `("data", address, length)`, or None for what is not needed here."""
        reader.unsigned()
        symbols = []
        while reader.at < len(reader.content):
            kind = reader.byte()
            part = Reader(reader.bytes(reader.unsigned()))
            if kind == SYMBOLS:
                symbols += [self.read_symbol(part) for _ in part]
        return symbols

    def read_symbol(self, part):
        kind, flags = part.byte(), part.unsigned()
        is_defined = not flags & UNDEFINED
        if kind == A_DATA_SYMBOL:
            part.text()
            if not is_defined:
                return None
            index, offset, length = part.unsigned(), part.unsigned(), part.unsigned()
            return None if flags & ABSOLUTE else ("data", self.data[index][0] + offset, length)
        index = part.unsigned()
        name = part.text() if kind != A_SECTION_SYMBOL and (is_defined or flags & NAMED) else ""
        if kind != A_FUNCTION_SYMBOL:
            return None
        self.names[index] = name
        return "function", index

    def read_references(self, reader, order, kind):
        """`(place, what, how, symbol)` in the order of places."""
        if order[reader.unsigned()] != kind:
            raise ValueError("references of another section")
        found = []
        for _ in reader:
            number, place, symbol = reader.byte(), reader.unsigned(), reader.unsigned()
            if number not in REFERENCES:
                raise ValueError(f"a reference of kind {number}")
            what, how = REFERENCES[number]
            if what == ADDRESS:
                reader.signed()
            found.append((place, what, how, symbol))
        return sorted(found)
