"""Reads and writes whole Parquet files in the tasks of a Spark job. A part is written under a name of its own and
renamed when it is complete, so that a task that Spark runs again, or twice at once, leaves one part."""

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSelector, FileSystem, FileType
from pyspark import TaskContext
from warm_ipsieve import ADDED, identify


def parquet_files(log):
    """The paths of all files of a log, in order; as Spark does, without those whose names begin with `_` or `.`."""
    files, path = FileSystem.from_uri(log)
    if files.get_file_info(path).type == FileType.File:
        return [log]
    found = [
        info.path
        for info in files.get_file_info(FileSelector(path, recursive=True))
        if info.type == FileType.File and not any(part[0] in "_." for part in info.path[len(path) :].strip("/").split("/"))
    ]
    if not found:
        raise SystemExit(f"{log} has no files")
    prefix = log.removesuffix(path) if log.endswith(path) else log[: log.index("://") + 3]
    return [prefix + name for name in sorted(found)]


def prepare(output):
    files, path = FileSystem.from_uri(output)
    if files.get_file_info(path).type != FileType.NotFound:
        raise SystemExit(f"{output} already exists; choose another folder, or remove it")
    files.create_dir(f"{path}/_temporary")


def finish(output, complete):
    """Leaves only the parts, with the mark that Spark's own jobs leave, or nothing."""
    files, path = FileSystem.from_uri(output)
    files.delete_dir(f"{path}/_temporary" if complete else path)
    if complete:
        files.open_output_stream(f"{path}/_SUCCESS").close()


def identify_file(number, source, output, command, snapshot, column):
    """Writes a file of the log with the added columns, in the same row groups. Memory: a row group."""
    files, path = FileSystem.from_uri(source)
    target, folder = FileSystem.from_uri(output)
    part = f"{folder}/_temporary/{number:05}-{TaskContext.get().taskAttemptId()}.parquet"
    with files.open_input_file(path) as file, pq.ParquetFile(file) as log:
        schema = schema_with_added(log.schema_arrow, column, source)
        with target.open_output_stream(part) as stream, pq.ParquetWriter(stream, schema) as writer:
            for group in range(log.num_row_groups):
                batches = identify(log.iter_batches(65_536, row_groups=[group]), command, snapshot, column)
                writer.write_table(pa.Table.from_batches(list(batches), schema))
    target.move(part, f"{folder}/part-{number:05}.parquet")


def schema_with_added(schema, column, source):
    if column not in schema.names or not is_text(schema.field(column).type):
        raise ValueError(f"{source} has no column {column!r} of strings; its columns: {schema.names}")
    taken = set(ADDED.names) & set(schema.names)
    if taken:
        raise ValueError(f"{source} already has a column that would be added, rename it: {sorted(taken)}")
    # Spark would take its own description of the columns, if the file has one, for that of the part.
    return pa.schema([*schema, *ADDED])


def is_text(kind):
    return pa.types.is_string(kind.value_type if pa.types.is_dictionary(kind) else kind) or pa.types.is_large_string(kind)
