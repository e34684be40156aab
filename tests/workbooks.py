"""The smallest files that programs take for workbooks."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LINK = '<Relationships xmlns="{0}/relationships"><Relationship Id="r1" Type="{1}/{2}" Target="{3}"/></Relationships>'

_FIRST = datetime(1899, 12, 30)  # noqa: DTZ001 - day 0 of workbooks, which know no zone
_STYLES = '<Relationship Id="r2" Type="{}/styles" Target="styles.xml"/>'


def write_workbook(path, rows):
    """One sheet; cells are text, numbers, truth values, dates, dates with times, or empty for None."""
    cells = "".join(
        f'<row r="{number}">{"".join(_cell(f"{chr(65 + place)}{number}", value) for place, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, start=1)
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
            f'package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>',
        )
        book.writestr("_rels/.rels", _LINK.format(_PACKAGE, _LINKS, "officeDocument", "xl/workbook.xml"))
        links = _LINK.format(_PACKAGE, _LINKS, "worksheet", "worksheets/sheet1.xml").replace(
            "</R", f"{_STYLES.format(_LINKS)}</R"
        )
        book.writestr("xl/_rels/workbook.xml.rels", links)
        styles = "".join(f'<xf numFmtId="{number}" applyNumberFormat="1"/>' for number in (0, 14, 22))
        book.writestr("xl/styles.xml", f'<styleSheet xmlns="{_MAIN}"><cellXfs count="3">{styles}</cellXfs></styleSheet>')
        sheets = '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>'
        book.writestr("xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}">{sheets}</workbook>')
        book.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>')
    return path


def _cell(place, value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    if isinstance(value, datetime):
        return f'<c r="{place}" s="2"><v>{(value - _FIRST).total_seconds() / 86_400:.9f}</v></c>'
    if isinstance(value, date):
        return f'<c r="{place}" s="1"><v>{(value - _FIRST.date()).days}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
