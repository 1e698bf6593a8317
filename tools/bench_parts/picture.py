"""Bar charts as SVG: systems under each other, the shortest bar first, weir in colour."""

from xml.sax.saxutils import escape

from . import rows as r

WIDTH = 760
NAME_WIDTH = 230
VALUE_WIDTH = 90
BAR = 14
STEP = 20
STYLE = ("text{font:12px system-ui,sans-serif;fill:#444}.h{font-weight:600}"
         ".o{fill:#1f6feb}.p{fill:#b8c0cc}"
         "@media(prefers-color-scheme:dark){text{fill:#ccc}.p{fill:#57606a}}")


def bars(groups, unit):
    """groups: [(heading, [(system, value)])]. All bars share one scale."""
    most = max((value for _, rows in groups for _, value in rows), default=0) or 1
    body = []
    y = 8
    for heading, rows in groups:
        if heading:
            y += 14
            body.append(f'<text class="h" x="8" y="{y}">{escape(heading)}</text>')
            y += 8
        for system, value in sorted(rows, key=lambda row: row[1]):
            body += bar(system, value, most, unit, y)
            y += STEP
        y += 6
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
            f'viewBox="0 0 {WIDTH} {y}" role="img">\n<style>{STYLE}</style>\n'
            + "\n".join(body) + "\n</svg>\n")


def bar(system, value, most, unit, y):
    room = WIDTH - NAME_WIDTH - VALUE_WIDTH
    length = max(1, round(room * max(value, 0) / most, 1))
    kind = "o" if system.startswith(r.OWN) else "p"
    text = f"{r.figure(value)} {unit}".strip()
    base = y + BAR - 3
    yield f'<text x="{NAME_WIDTH - 8}" y="{base}" text-anchor="end">{escape(system)}</text>'
    yield f'<rect class="{kind}" x="{NAME_WIDTH}" y="{y}" width="{length}" height="{BAR}"/>'
    yield f'<text x="{NAME_WIDTH + length + 6}" y="{base}">{escape(text)}</text>'
