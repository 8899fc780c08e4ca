"""Adds the columns `cidr` and `cbs_ids` to a log in Parquet, on a cluster whose nodes have the command ipsieve:

    spark-submit --master spark://HOST:7077 identify.py --snapshot catalogue.ipsieve LOG.parquet OUTPUT.parquet
"""

import argparse
import shlex
import shutil
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, StringType, StructType
from warm_ipsieve import ADDED, identify

WORKER = Path(__file__).with_name("warm_ipsieve.py")
NAME = "catalogue.ipsieve"


def identified(spark, log, command, column):
    """The rows of a log with the added columns, in any order."""
    if column not in log.columns or log.schema[column].dataType != StringType():
        raise SystemExit(f"the log has no column {column!r} of strings; its columns: {log.dtypes}")
    taken = set(ADDED.names) & set(log.columns)
    if taken:
        raise SystemExit(f"the log already has a column that would be added, rename it: {sorted(taken)}")
    schema = StructType([*log.schema]).add("cidr", StringType()).add("cbs_ids", ArrayType(StringType()))
    # This calls a function of a module: Python workers keep modules, and with this one the process that it starts.
    return log.mapInArrow(lambda batches: identify(batches, command, NAME, column), schema)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snapshot", required=True, help="the catalogue, as a file; all nodes get this one")
    parser.add_argument("--column", default="ip", help="the column of addresses (default: ip)")
    parser.add_argument("--ipsieve", default="ipsieve", help="the command on the nodes (default: ipsieve)")
    parser.add_argument("log")
    parser.add_argument("output")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("ipsieve identify").getOrCreate()
    spark.sparkContext.addPyFile(str(WORKER))
    with tempfile.TemporaryDirectory() as folder:
        # Nodes may fetch the file at any time during the job; a newer catalogue must not replace it meanwhile.
        spark.sparkContext.addFile(shutil.copy(options.snapshot, f"{folder}/{NAME}"))
        log = spark.read.parquet(options.log)
        rows = identified(spark, log, shlex.split(options.ipsieve), options.column)
        rows.write.mode("errorifexists").parquet(options.output)
    spark.stop()


if __name__ == "__main__":
    main()
