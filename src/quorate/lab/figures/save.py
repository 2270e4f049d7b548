"""A figure's files: pictures as PNG and SVG, captions as text, the data as Parquet and CSV."""

from pathlib import Path

from matplotlib.figure import Figure

from quorate.lab.figures.product import Product

DOTS_TO_AN_INCH = 150


def save(product: Product, out: Path) -> list[Path]:
    """Write the product's files into an existing directory; their paths, in order."""
    written = []
    for picture in product.pictures:
        written += _save_picture(picture.figure, out / picture.stem)
        text = out / f"{picture.stem}.txt"
        text.write_text(picture.caption + "\n", encoding="utf-8")
        written.append(text)
    for stem, table in ((product.stem, product.table), (f"{product.stem}-samples", product.samples)):
        for path, write in ((out / f"{stem}.parquet", table.write_parquet), (out / f"{stem}.csv", table.write_csv)):
            write(path)
            written.append(path)
    return written


def _save_picture(figure: Figure, stem: Path) -> list[Path]:
    png, svg = stem.with_suffix(".png"), stem.with_suffix(".svg")
    figure.savefig(png, dpi=DOTS_TO_AN_INCH, pil_kwargs={"optimize": True})
    # Without a date the same run gives the same file.
    figure.savefig(svg, metadata={"Date": None})
    return [png, svg]
