"""Tables for the test of the example for Spark. `write FOLDER LOG` makes a file in Parquet of each Arrow stream in a
folder, with more columns; `read LOG OUTPUT FILE` writes the rows of a result as an Arrow stream in the order of their
numbers, once those other columns are as they were. `days LOG` makes a log in folders by day, of columns without nulls;
`rows OUTPUT` prints the rows of its result as JSON."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

OTHERS = ["row", "ip", "nothing", "mixed", "nested"]
KINDS = ["integer", "string", "integer", "string", {"type": "array", "elementType": "long", "containsNull": True}]
# Where Spark writes the columns of a file, and where it reads them from.
SPARK = b"org.apache.spark.sql.parquet.row.metadata"
FIELDS = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in zip(OTHERS, KINDS)]


def with_other_columns(table):
    rows = table["row"].to_pylist()
    return (
        table.append_column("nothing", pa.nulls(len(rows), pa.int32()))
        .append_column("mixed", pa.array([None if row % 3 == 0 else f"{row};é" for row in rows], pa.string()))
        .append_column("nested", pa.array([[row, None] if row % 2 else [] for row in rows], pa.list_(pa.int64())))
    )


def write(folder, log):
    Path(log).mkdir()
    for stream in Path(folder).glob("*.arrows"):
        table = pa.ipc.open_stream(stream.read_bytes()).read_all()
        described = with_other_columns(table).replace_schema_metadata(
            {SPARK: json.dumps({"type": "struct", "fields": FIELDS})}
        )
        pq.write_table(described, Path(log, f"{stream.stem}.parquet"), row_group_size=20_000)


def read(log, output, file):
    before, after = (pq.read_table(path).sort_by("row") for path in (log, output))
    assert after.column_names == [*OTHERS, "cidr", "cbs_ids"], after.column_names
    assert before.num_rows == after.num_rows, f"{after.num_rows} rows of {before.num_rows}"
    for name in OTHERS:
        assert before[name].cast(after[name].type).equals(after[name]), f"column {name} has changed"
    for part in Path(output).glob("part-*"):
        columns = (pq.read_schema(part).metadata or {}).get(SPARK)
        assert columns is None or b"cbs_ids" in columns, f"Spark would not see the added columns of {part}"
    ids = [None if each is None else " ".join(each) for each in after["cbs_ids"].to_pylist()]
    table = pa.table({"row": after["row"].cast(pa.int32()), "cidr": after["cidr"], "ids": pa.array(ids, pa.string())})
    with pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)


def days(log):
    schema = pa.schema([pa.field("row", pa.int32(), nullable=False), pa.field("ip", pa.string(), nullable=False)])
    files = [(1, "day=1/a", "1.1.1.1"), (2, "day=2/a b%41", "8.8.8.8"), (3, ".hidden/a", ""), (4, "_old", "")]
    for row, name, ip in files:
        Path(log, name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"row": [row], "ip": [ip]}, schema), Path(log, f"{name}.parquet"))
    pq.ParquetWriter(Path(log, "day=2/none.parquet"), schema).close()


def rows(output):
    print(json.dumps(pq.read_table(output).sort_by("row").to_pylist()))


{"write": write, "read": read, "days": days, "rows": rows}[sys.argv[1]](*sys.argv[2:])
