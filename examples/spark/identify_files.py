"""Adds the columns `cidr` and `cbs_ids` to the files of a log in Parquet, each by one task of a Spark cluster whose
nodes have the command ipsieve:

    spark-submit --master spark://HOST:7077 identify_files.py --snapshot catalogue.ipsieve LOG.parquet OUTPUT.parquet

Takes less processor time than identify.py: Spark distributes the files, and no row becomes an object of Java. All nodes
must reach both paths: a shared file system, hdfs:// or s3://.
"""

import argparse
import shlex
import shutil
import tempfile
from pathlib import Path

from parquet_files import finish, identify_file, parquet_files, prepare
from pyspark.sql import SparkSession

MODULES = ("warm_ipsieve.py", "parquet_files.py")
NAME = "catalogue.ipsieve"


def identify_files(context, log, output, command, column):
    """Writes a part for each file of the log; `output` has `_SUCCESS` once all of them are complete."""
    paths = parquet_files(log)
    prepare(output)
    tasks = context.parallelize(list(enumerate(paths)), len(paths))
    try:
        # This calls a function of a module: Python workers keep modules, and with this one the process that it starts.
        tasks.foreach(lambda task: identify_file(*task, log, output, command, NAME, column))
    except BaseException:
        finish(output, complete=False)
        raise
    finish(output, complete=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snapshot", required=True, help="the catalogue, as a file; all nodes get this one")
    parser.add_argument("--column", default="ip", help="the column of addresses (default: ip)")
    parser.add_argument("--ipsieve", default="ipsieve", help="the command on the nodes (default: ipsieve)")
    parser.add_argument("log", help="a file or a folder of files: an absolute path or a URI")
    parser.add_argument("output", help="a folder that does not exist yet: an absolute path or a URI")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("ipsieve identify files").getOrCreate()
    for module in MODULES:
        spark.sparkContext.addPyFile(str(Path(__file__).with_name(module)))
    with tempfile.TemporaryDirectory() as folder:
        # Nodes may fetch the file at any time during the job; a newer catalogue must not replace it meanwhile.
        spark.sparkContext.addFile(shutil.copy(options.snapshot, f"{folder}/{NAME}"))
        identify_files(spark.sparkContext, options.log, options.output, shlex.split(options.ipsieve), options.column)
    spark.stop()


if __name__ == "__main__":
    main()
