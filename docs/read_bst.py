"""Reads bankshot's native binary into NumPy, as trace-binary.md describes it.

    launches, records = read("kernel.bst")

launches is a list of dicts. records is a list of dicts, one for each block of records, of arrays with
a row for each record: launch, cta, warp, pc, op, mask, dep, and addr with a column for each lane (0
where it is inactive), src likewise."""
import sys
import zlib

import numpy as np


class Payload:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def text(self):
        return self.take(self.varint()).decode("utf-8", "surrogateescape")

    def column(self, rows):
        width, shift = self.take(2)
        low = np.uint64(self.varint())
        if width == 0:
            return np.full(rows, low)
        numbers = np.frombuffer(self.take(rows * width), f"<u{width}").astype(np.uint64)
        return low + (numbers << np.uint64(shift))


def launch(payload, detailed):
    name, sizes = payload.text(), [payload.varint() for _ in range(7)]
    made = {"name": name, "grid": sizes[:3], "block": sizes[3:6], "smem": sizes[6] - 1,
            "model": payload.text() or None}
    if detailed:
        made["demangled"], made["device"] = payload.text() or None, payload.text() or None
        made["cc"], pc, made["places"] = (payload.varint(), payload.varint()), 0, {}
        for _ in range(payload.varint()):
            pc += payload.varint()
            made["places"][pc] = payload.text()
    return made


def offsets_of(payload, lanes, listed, step):
    if listed:
        return np.uint64(payload.zigzag() % 2**64) + payload.column(lanes)
    return np.uint64((step >> 1 ^ -(step & 1)) % 2**64) * np.arange(lanes, dtype=np.uint64)


def records(payload, rows, launch_number):
    count = payload.varint()
    names = np.array([payload.text() for _ in range(payload.varint())])
    op, mask, pc, dep = (payload.column(count) for _ in range(4))
    count = payload.varint()
    patterns = list(zip(*(payload.column(count).tolist() for _ in range(3))))
    patterns = [offsets_of(payload, *pattern) for pattern in patterns]
    count = payload.varint()
    entries = [payload.column(count).astype(int) for _ in range(3)]
    entry, cta, warp, base, source_base = (payload.column(rows) for _ in range(5))
    entry = entry.astype(int)
    instruction = entries[0][entry]
    by_lane = np.zeros((2, rows, 64), np.uint64)
    for row in range(rows):
        lanes = [t for t in range(64) if int(mask[instruction[row]]) >> t & 1]
        offsets = patterns[entries[1][entry[row]]]
        by_lane[0, row, lanes[:len(offsets)]] = (base[row] + offsets) & np.uint64(2**32 - 1)
        if entries[2][entry[row]]:
            by_lane[1, row, lanes] = source_base[row] + patterns[entries[2][entry[row]] - 1]
    return {"launch": np.full(rows, launch_number), "cta": cta, "warp": warp, "pc": pc[instruction],
            "op": names[op.astype(int)[instruction]], "mask": mask[instruction],
            "dep": dep[instruction], "addr": by_lane[0].astype(np.uint32), "src": by_lane[1]}


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89BST\r\n\x1a\n" and int.from_bytes(data[8:12], "little") == 1
    launches, blocks, at = [], [], 16
    while True:
        header, at = data[at:at + 32], at + 32
        size, rows, count, _, _, crc, _ = np.frombuffer(header[4:], "<u4").tolist()
        payload, at = data[at:at + size], at + size
        if zlib.crc32(header[:28]) != int.from_bytes(header[28:], "little") or \
                zlib.crc32(payload) != crc:
            raise ValueError(f"the block before byte {at} is damaged or cut off")
        if header[:4] == b"BLIX":
            return launches, blocks
        payload = Payload(payload)
        launches += [launch(payload, header[:4] == b"BLND") for _ in range(count)]
        if rows:
            blocks.append(records(payload, rows, len(launches) - 1))


if __name__ == "__main__":
    for block in read(sys.argv[1])[1]:
        for row in zip(*block.values()):
            lanes = [int(a) for t, a in enumerate(row[7]) if int(row[5]) >> t & 1]
            print(row[1], row[2], f"0x{row[3]:x}", row[4], f"{row[5]:08x}",
                  ",".join(f"0x{a:x}" for a in lanes) if lanes and row[4] != "bar" else "-")
