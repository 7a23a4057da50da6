# SPDX-License-Identifier: MIT
"""Palettes as users give them: names, even steps, files of every kind, pipes; and what is refused."""
import struct
import unittest

from command import Case, OLD

RED, GREEN, BLACK, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 0), (255, 255, 255)


def ppm(colours):
    return b"P6\n%d 1\n255\n" % len(colours) + bytes(c for colour in colours for c in colour)


def riff(colours):
    data = struct.pack("<HH", 0x300, len(colours)) + b"".join(bytes(c) + b"\0" for c in colours)
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"PAL data" + \
        struct.pack("<I", len(data)) + data


class Palettes(Case):
    def keeps(self, text, colours, stdin=None):
        """The palette holds these colours: a picture of them stays as it is."""
        self.put("in.ppm", ppm(colours))
        done = self.command("halftone", "in.ppm", "out.ppm", "--palette", text, input=stdin or b"")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.get("out.ppm"), ppm(colours), text)

    def refuses(self, text, word, stdin=None):
        self.put("in.ppm", ppm([RED, WHITE]))
        self.put("out.ppm", OLD)
        done = self.command("halftone", "in.ppm", "out.ppm", "--palette", text, input=stdin or b"")
        self.assertNotEqual(done.returncode, 0, text)
        self.assertIn(word, done.stderr.decode(), text)
        self.assertEqual(self.get("out.ppm"), OLD)

    def test_names(self):
        self.keeps("ff0000 0f0 white black", [RED, GREEN, BLACK, WHITE])
        self.keeps("tomato, papayawhip;navy", [(255, 99, 71), (255, 239, 213), (0, 0, 128)])
        self.keeps("gameboy", [(15, 56, 15), (155, 188, 15)])
        self.keeps("cga", [(85, 255, 255), (255, 85, 255)])
        self.keeps("rgb:3", [(128, 0, 255), (0, 128, 128)])
        self.keeps("grey:5", [(64, 64, 64), (191, 191, 191)])
        for name in ("ega", "c64", "pico-8", "zx-spectrum", "teletext", "grey4", "grey16",
                     "uc8159-panel", "bwy"):
            self.keeps(name, [(0, 0, 0)] if name != "uc8159-panel" else [(57, 48, 57)])

    def test_files(self):
        colours = [RED, GREEN, BLACK, WHITE]
        lines = "".join("%02x%02X%02x\n" % c for c in colours)
        self.put("a.hex", lines.encode())
        self.put("b.txt", b"\xef\xbb\xbf; paint.net Palette File\r\n; more\r\n" +
                 b"".join(b"FF%02X%02X%02X\r\n" % c for c in colours))
        self.put("c.pal", b"JASC-PAL\r\n0100\r\n4\r\n" +
                 b"".join(b"%d %d %d\r\n" % c for c in colours))
        self.put("d.pal", riff(colours))
        table = b"".join(bytes(c) for c in colours)
        self.put("e.act", table + bytes(768 - len(table)) + b"\0\x04\0\0")
        self.put("f.act", table + bytes(768 - len(table)))
        self.put("g.gpl", b"GIMP Palette\nName: x\n#\n" +
                 b"".join(b"%3d %3d %3d\tname\n" % c for c in colours))
        self.put("h.txt", b"# of mine\n" + b"".join(b"#%02x%02x%02x\n" % c for c in colours))
        self.put("i.ppm", ppm(colours))
        for name in ("a.hex", "b.txt", "c.pal", "d.pal", "e.act", "f.act", "g.gpl", "h.txt",
                     "i.ppm"):
            self.keeps("./" + name, colours)
        self.keeps("-", colours, stdin=lines.encode())

    def test_nonsense(self):
        self.put("one.hex", b"ff0000\n")
        self.put("many.hex", b"".join(b"%06x\n" % i for i in range(257)))
        self.put("same.hex", b"ff0000\nff0000\n")
        self.put("bad.hex", b"ff0000\nzz0000\n")
        self.put("short.pal", riff([RED, WHITE])[:-5])
        self.put("none.pal", b"RIFF\0\0\0\0PAL junk\0\0\0\0")
        self.put("short.act", bytes(100))
        self.put("large.pal", b"JASC-PAL\n0100\n2\n256 0 0\n0 0 0\n")
        for text, word in (("./one.hex", "not 1"), ("./many.hex", "more than 256"),
                           ("./same.hex", "the same"), ("./bad.hex", "line 2"),
                           ("./short.pal", "ends before"), ("./none.pal", "no colours"),
                           ("./short.act", "768"), ("./large.pal", "line 4"),
                           ("./absent.hex", "absent.hex"), ("red", "not 1"),
                           ("c64 black", "give it alone"), ("cgaa", "'cga'"), ("rgb:9", "2 to 6"),
                           ("grey:1", "2 to 256")):
            self.refuses(text, word)
        self.refuses("-", "pipe", stdin=ppm([RED, WHITE]))

    def test_a_palette_is_not_overwritten(self):
        self.put("in.ppm", ppm([RED, WHITE]))
        self.put("colours.ppm", ppm([RED, WHITE, BLACK]))
        done = self.command("halftone", "in.ppm", "colours.ppm", "--palette", "colours.ppm")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"same file", done.stderr)
        self.assertEqual(self.get("colours.ppm"), ppm([RED, WHITE, BLACK]))


if __name__ == "__main__":
    unittest.main()
