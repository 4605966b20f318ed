"""What may be uploaded: files that are what their name says and stay small unpacked.

Tables of the command line may be packed, archives or databases. An upload may not: whoever is talked into opening a file that
somebody else made should not find the memory full, or a database's views running.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from multigene.data.stores import database, reader

#: Bytes of an uploaded file, and of what is inside of one that is packed.
LARGEST_UPLOAD, LARGEST_UNPACKED = 200_000_000, 500_000_000
#: Endings of files that may be uploaded.
ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".parquet", ".xlsx")
#: First bytes of files that hold others: gzip, xz, bzip2, zip, zstd.
PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")
#: Bytes of a value in memory.
VALUE = 8


def check_upload(path: Path) -> None:
    """Refuse, with a sentence, a file that is not what it is called or would be enormous in memory."""
    with path.open("rb") as file:
        start = file.read(4096)
    kind = path.suffix.lower()
    if kind == ".xlsx":
        size = _of_workbook(path)
    elif kind == ".parquet":
        size = _of_parquet(path)
    elif start.startswith(PACKED) or database(str(path)) or reader(start) is not None:
        raise ValueError(
            f"{path.name} is no text, though its name says so; export it as CSV, or open it with `multigene studio FILE`."
        )
    else:
        return
    if size > LARGEST_UNPACKED:
        raise ValueError(
            f"{path.name} holds {size / 1e6:,.0f} MB unpacked; at most {LARGEST_UNPACKED / 1e6:,.0f} MB are opened."
        )


def _of_workbook(path: Path) -> int:
    """Bytes of all parts of a workbook, unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            size = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise ValueError(f"{path.name} is no Excel file; make or fetch it again.") from None
    if not any(name.startswith("xl/") for name in names):
        raise ValueError(f"{path.name} is an archive and no Excel file; unpack it first.")
    return size


def _of_parquet(path: Path) -> int:
    """Bytes of a Parquet file's values in memory: a column of equal values takes hardly any space in the file."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError("Parquet files need pyarrow: pip install 'multigene[cli]'.") from None
    try:
        known = parquet.ParquetFile(path).metadata
    except Exception:
        raise ValueError(
            f"{path.name} is no Parquet file, or a damaged one; make or fetch it again."
        ) from None
    return int(
        max(
            known.num_rows * known.num_columns * VALUE,
            sum(known.row_group(i).total_byte_size for i in range(known.num_row_groups)),
        )
    )
