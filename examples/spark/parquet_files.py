"""Reads and writes whole Parquet files in the tasks of a Spark job. A part is written under a name of its own and
renamed when it is complete, so that a task that Spark runs again, or twice at once, leaves one part. Parts are in the
same folders as their files: the names of these are the columns of a partitioned log (`day=2026-01-01/part.parquet`)."""

import posixpath

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSelector, FileSystem, FileType
from pyspark import TaskContext
from warm_ipsieve import ADDED, identify


def parquet_files(log):
    """The paths of all files of a log in its file system, in order, without those that Spark takes for hidden."""
    files, root = FileSystem.from_uri(log)
    if files.get_file_info(root).type == FileType.File:
        return [root]
    found = files.get_file_info(FileSelector(root, recursive=True))
    paths = [info.path for info in found if info.type == FileType.File and not is_hidden(inside(root, info.path))]
    if not paths:
        raise SystemExit(f"{log} has no files")
    return sorted(paths)


def inside(root, path):
    """A path relative to a folder; empty for the folder itself."""
    return path.removeprefix(root).strip("/")


def is_hidden(path):
    return any(name.startswith(".") or (name.startswith("_") and "=" not in name) for name in path.split("/"))


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


def identify_file(number, path, log, output, command, snapshot, column):
    """Writes a file of the log with the added columns, in the same row groups. Memory: a row group."""
    files, root = FileSystem.from_uri(log)
    target, folder = FileSystem.from_uri(output)
    part = f"{folder}/_temporary/{number:05}-{TaskContext.get().taskAttemptId()}.parquet"
    with files.open_input_file(path) as file, opened(file, path) as source:
        schema = schema_with_added(source.schema_arrow, column, path)
        with target.open_output_stream(part) as stream, pq.ParquetWriter(stream, schema) as writer:
            for group in range(source.num_row_groups):
                batches = identify(source.iter_batches(65_536, row_groups=[group]), command, snapshot, column)
                writer.write_table(pa.Table.from_batches(list(batches), schema))
    final_folder = posixpath.join(folder, posixpath.dirname(inside(root, path)))
    target.create_dir(final_folder)
    target.move(part, posixpath.join(final_folder, f"part-{number:05}.parquet"))


def opened(file, path):
    try:
        return pq.ParquetFile(file)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: {error}") from error


def schema_with_added(schema, column, path):
    if column not in schema.names or not is_text(schema.field(column).type):
        raise ValueError(f"{path} has no column {column!r} of strings; its columns: {schema.names}")
    taken = set(ADDED.names) & set(schema.names)
    if taken:
        raise ValueError(f"{path} already has a column that would be added, rename it: {sorted(taken)}")
    # Spark would take its own description of the columns, if the file has one, for that of the part.
    return pa.schema([*schema, *ADDED])


def is_text(kind):
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(values) or pa.types.is_large_string(kind)
