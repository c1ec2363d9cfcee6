"""Reads exported figures back: SVG with its embedded fonts, PDF, PNG. What a reader without the program has, and no more."""
import base64
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from dataclasses import dataclass
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
PDF_LONGEST = 14400  # points
CAPITALS, DESCENT = 0.73, 0.2  # of the font size, above and below the baseline


class Font:
    """A WOFF 1 font of TrueType outlines: which letters it can draw, and how wide they are."""

    def __init__(self, woff):
        assert woff[:4] == b"wOFF" and len(woff) == struct.unpack(">I", woff[8:12])[0], "no whole WOFF font"
        self.tables = {}
        for i in range(struct.unpack(">H", woff[12:14])[0]):
            tag, at, packed, size, _ = struct.unpack(">4s4I", woff[44 + 20 * i:64 + 20 * i])
            data = woff[at:at + packed]
            self.tables[tag] = zlib.decompress(data) if packed < size else data
            assert len(self.tables[tag]) == size, f"table {tag} is damaged"
        self.units = self.numbers(b"head", ">H", 18)[0]
        count = self.numbers(b"hhea", ">H", 34)[0]
        advances = self.numbers(b"hmtx", f">{2 * count}H", 0)[::2]
        glyphs = self.numbers(b"maxp", ">H", 4)[0]
        self.advances = advances + (advances[-1],) * (glyphs - count)
        wide = self.numbers(b"head", ">H", 50)[0]
        loca = self.numbers(b"loca", f">{glyphs + 1}{'I' if wide else 'H'}", 0)
        self.outlines = [o if wide else 2 * o for o in loca]
        self.glyphs = self.character_map()

    def numbers(self, table, form, at):
        return struct.unpack_from(form, self.tables[table], at)

    def character_map(self):
        out = {}
        for i in range(self.numbers(b"cmap", ">H", 2)[0]):
            at = self.numbers(b"cmap", ">I", 8 + 8 * i)[0]
            if self.numbers(b"cmap", ">H", at)[0] != 4:
                continue
            n = self.numbers(b"cmap", ">H", at + 6)[0] // 2
            ends = self.numbers(b"cmap", f">{n}H", at + 14)
            starts, shifts = (self.numbers(b"cmap", f">{n}H", at + 16 + 2 * n * k) for k in (1, 2))
            offsets_at = at + 16 + 6 * n
            for k, offset in enumerate(self.numbers(b"cmap", f">{n}H", offsets_at)):
                for code in range(starts[k], ends[k] + 1):
                    glyph = code if not offset else self.numbers(b"cmap", ">H", offsets_at + 2 * k + offset + 2 * (code - starts[k]))[0]
                    if glyph or not offset:
                        out[code] = (glyph + shifts[k]) & 0xFFFF
        assert out, "no character map"
        return out

    def draws(self, letter):
        glyph = self.glyphs.get(ord(letter), 0)
        if not glyph:
            return False
        start, end = self.outlines[glyph:glyph + 2]
        return letter.isspace() or (end > start and self.numbers(b"glyf", ">h", start)[0] != 0)

    def width(self, text, size):
        return sum(self.advances[self.glyphs.get(ord(c), 0)] for c in text) * size / self.units


@dataclass
class Label:
    text: str
    size: float
    left: float
    top: float
    right: float
    bottom: float

    def over(self, other):
        near = 0.5
        return (self.left + near < other.right - near and other.left + near < self.right - near
                and self.top + near < other.bottom - near and other.top + near < self.bottom - near)


class Svg:
    """An exported SVG: its size, its facts and where its labels stand, measured with the fonts in the file."""

    def __init__(self, path):
        root = ET.fromstring(Path(path).read_text(encoding="utf-8"))
        self.width, self.height = float(root.get("width")), float(root.get("height"))
        self.facts = dict(line.split(": ", 1) for line in (root.findtext(f"{SVG}desc") or "").splitlines())
        self.loads = [v for e in root.iter() for k, v in e.attrib.items() if k.endswith("href") or k == "src"]
        style = root.findtext(f"{SVG}defs/{SVG}style") or ""
        rules = re.findall(r'@font-face\{font-family:"([^"]+)";font-weight:(\d+);src:url\(data:font/woff;base64,([^)]*)\)', style)
        assert len(rules) == style.count("@font-face") and style.count("url(") == len(rules), "a font that is not in the file"
        self.fonts = {(family, weight): Font(base64.b64decode(data)) for family, weight, data in rules}
        self.clips = {c.get("id"): bounds(c.find(f"{SVG}path").get("d")) for c in root.iter(f"{SVG}clipPath")}
        self.labels, self.faults = [], []
        self.walk(root, 0, 0, (-1e9, -1e9, 1e9, 1e9))

    def walk(self, element, dx, dy, clip):
        for e in element:
            if e.tag == f"{SVG}text":
                self.add(e, dx, dy, clip)
            elif e.tag == f"{SVG}g":
                x, y = map(float, re.fullmatch(r"translate\((\S+) (\S+)\)", e.get("transform")).groups())
                inner = clip
                if e.get("clip-path"):
                    box = self.clips[e.get("clip-path")[5:-1]]
                    moved = (box[0] + dx + x, box[1] + dy + y, box[2] + dx + x, box[3] + dy + y)
                    inner = (max(clip[0], moved[0]), max(clip[1], moved[1]), min(clip[2], moved[2]), min(clip[3], moved[3]))
                self.walk(e, dx + x, dy + y, inner)

    def add(self, e, dx, dy, clip):
        size, x, y = float(e.get("font-size")), float(e.get("x")) + dx, float(e.get("y")) + dy
        font = self.fonts.get((e.get("font-family"), e.get("font-weight")))
        if not font:
            self.faults.append(f"the font of {e.text!r} is not in the file")
            return
        if absent := [c for c in e.text if not font.draws(c)]:
            self.faults.append(f"{e.text!r}: no {absent[0]!r} in the font of the file")
        width = font.width(e.text, size)
        left = x - {"middle": 0.5, "end": 1}.get(e.get("text-anchor"), 0) * width
        label = Label(e.text, size, left, y - CAPITALS * size, left + width, y + DESCENT * size)
        if label.left >= clip[2] or label.right <= clip[0] or label.top >= clip[3] or label.bottom <= clip[1]:
            return  # scrolled out of sight
        if label.left < clip[0] - 1 or label.right > clip[2] + 1:
            self.faults.append(f"{e.text!r} is cut")
        self.labels.append(label)

    def overlaps(self):
        """Pairs of labels that stand over each other."""
        out, rows = [], sorted(self.labels, key=lambda l: l.top)
        for i, a in enumerate(rows):
            for b in rows[i + 1:]:
                if b.top >= a.bottom:
                    break
                if a.over(b):
                    out.append((a, b))
        return out

    def all_faults(self, most_overlaps=0.02):
        out = list(self.faults)
        if not self.labels:
            out.append("no label")
        if self.loads:
            out.append(f"loads {self.loads[0]!r}")
        for l in self.labels:
            if l.size < 10:
                out.append(f"{l.text!r} at {l.size} px")
            if l.left < -1 or l.top < -1 or l.right > self.width + 1 or l.bottom > self.height + 1:
                out.append(f"{l.text!r} leaves the page")
        over = self.overlaps()
        if len({id(l) for pair in over for l in pair}) > most_overlaps * len(self.labels):
            out.append(f"{len(over)} overlaps, such as {over[0][0].text!r} over {over[0][1].text!r}")
        return out


def bounds(path):
    numbers = list(map(float, re.findall(r"-?[\d.]+(?:e-?\d+)?", path)))
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])


class Pdf:
    def __init__(self, path):
        self.data = Path(path).read_bytes()
        assert self.data.startswith(b"%PDF") and self.data.rstrip().endswith(b"%%EOF"), "no whole PDF"
        self.pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", self.data))
        self.sizes = [tuple(map(float, m.split())) for m in re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+\s+[\d.]+)", self.data)]
        self.fonts = len(re.findall(rb"/Type\s*/Font\b(?!D)", self.data))

    def all_faults(self, pages, width=None, height=None):
        """`width`, `height`: of each page, in px at 96 dpi."""
        out = []
        if self.pages != pages:
            out.append(f"{self.pages} pages, not {pages}")
        scale = min(0.75, PDF_LONGEST / max(width, height)) if width else 0  # a longer page is drawn smaller
        for w, h in self.sizes if width else []:
            if abs(w - width * scale) > 1 or abs(h - height * scale) > 1:
                out.append(f"a page of {w} x {h} pt for {width} x {height} px")
        if not self.fonts:
            out.append("no font")
        bodies = re.findall(rb"\d+ 0 obj\s*(<<.*?>>)\s*endobj", self.data, re.S)
        for body in bodies:
            if re.search(rb"/Type\s*/FontDescriptor", body) and not re.search(rb"/FontFile[23]?\b", body):
                out.append("a font that is not in the file")
            if re.search(rb"/Subtype\s*/(Type1|TrueType|MMType1|CIDFontType[02])\b", body) and b"/FontDescriptor" not in body:
                out.append("a font that is not in the file")
        return out


class Png:
    def __init__(self, path):
        data = Path(path).read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
        at, pixels, end = 8, b"", False
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), "a damaged PNG"
            if kind == b"IHDR":
                self.width, self.height, depth, colour = struct.unpack(">IIBB", body[:10])
            pixels += body if kind == b"IDAT" else b""
            end = end or kind == b"IEND"
            at += 12 + size
        assert end and depth == 8, "a PNG without its end"
        self.bytes_a_pixel = {2: 3, 6: 4}[colour]
        self.rows = zlib.decompress(pixels)

    def inked(self):
        """The share of rows that surely hold two colours, or differ from the row above them."""
        step, each, count = 1 + self.width * self.bytes_a_pixel, self.bytes_a_pixel, 0
        for y in range(self.height):
            kind, row = self.rows[y * step], self.rows[y * step + 1:(y + 1) * step]
            if kind == 0:
                count += row != row[:each] * self.width
            elif kind != 3:
                count += any(row[each:].strip(b"\0"))
        return count / self.height

    def all_faults(self, width, height, dpi=300):
        ratio = min(dpi / 96, 32000 / max(width, height))
        out = []
        if abs(self.width - width * ratio) > 1 or abs(self.height - height * ratio) > 1:
            out.append(f"{self.width} x {self.height} pixels for {width} x {height} px")
        if self.inked() < 0.05:
            out.append("the picture is blank")
        return out
