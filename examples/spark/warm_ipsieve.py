"""Identifies the batches of a partition with an `ipsieve` that stays running: each Python worker of Spark, one for each
core of an executor, starts one at its first batch and keeps it for the batches and tasks that follow."""

import subprocess
import tempfile

import pyarrow as pa
from pyspark import SparkFiles

ASKED = pa.schema([("ip", pa.string())])
ADDED = pa.schema([("cidr", pa.string()), ("cbs_ids", pa.list_(pa.string()))])

_running = {}


class Ipsieve:
    def __init__(self, command, snapshot):
        self._errors = tempfile.TemporaryFile()
        arguments = ["identify", "--format", "arrow", "--snapshot", snapshot]
        self._process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        self._writer = pa.ipc.new_stream(self._process.stdin, ASKED)
        self._reader = None

    def identify(self, texts):
        """The values of the added columns for these texts."""
        self._writer.write_batch(pa.record_batch([texts], schema=ASKED))
        self._process.stdin.flush()
        if self._reader is None:
            self._reader = pa.ipc.open_stream(self._process.stdout)
        answer = self._reader.read_next_batch()
        if answer.num_rows != len(texts):
            raise RuntimeError(f"ipsieve answered {answer.num_rows} rows of {len(texts)}")
        return [answer.column(name).cast(kind) for name, kind in zip(ADDED.names, ADDED.types)]

    def end(self):
        """Ends the process; returns its error output."""
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        return f"{self._errors.read().decode(errors='replace').strip()} (exit code {code})"


def identify(batches, command, snapshot, column):
    """Adds the columns to each batch, for the addresses in one of its columns. The snapshot is the name of a file that
    was passed to `addFile`, which copies it to every node once."""
    key = (*command, snapshot)
    for batch in batches:
        if key not in _running:
            _running[key] = Ipsieve(command, SparkFiles.get(snapshot))
        try:
            added = _running[key].identify(batch.column(column).cast(pa.string()))
        except Exception as error:
            # The process may be in the middle of a response. Spark retries the task, with a new process.
            raise RuntimeError(f"ipsieve failed: {_running.pop(key).end()}") from error
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], schema=pa.schema([*batch.schema, *ADDED]))
