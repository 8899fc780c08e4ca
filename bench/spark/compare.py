"""Enriches a log in Parquet in several ways on one cluster, which alternate, and prints the time of each, once all of
them have given every row the same services. `npm run bench -- spark` starts it;"""

import argparse
import ast
import csv
import os
import shutil
import statistics
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StringType

EXAMPLE = Path(__file__).parents[2] / "examples/spark"
sys.path.append(str(EXAMPLE))
from identify import NAME, identified  # noqa: E402
from identify_files import identify_files  # noqa: E402
from trie_udf import services  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
IPV4 = r"^\d+\.\d+\.\d+\.\d+$"
# Hexadecimal digits of the part of an IPv6 address that ranges are joined by: the first 24 bits.
DIGITS = 6


def processor_seconds(root):
    """What a process, all below it and those of them that have ended have had."""
    parents, times = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        times[int(folder.name)] = sum(int(field) for field in fields[11:15])

    def is_below(process):
        return process == root or (process in parents and is_below(parents[process]))

    return sum(ticks for process, ticks in times.items() if is_below(process)) / TICKS


def write_prefixes(clickhouse, file):
    """The prefixes with all of their services, for the trie."""
    with open(clickhouse) as rows, open(file, "w") as output:
        for row in rows:
            prefix, ids = row.split("\t")[:2]
            output.write(f"{prefix}\t{'|'.join(ast.literal_eval(ids))}\n")


def read_ranges(spark, file):
    """The ranges of both families, each for every bucket that it reaches into."""
    four, six = [], []
    with open(file, newline="") as text:
        for family, lo, hi, ids in list(csv.reader(text))[1:]:
            if family == "4":
                four.append((int(lo), int(hi), ids.split("|")))
            else:
                six.append((f"{int(lo):032x}", f"{int(hi):032x}", ids.split("|")))
    bucket = F.explode(F.sequence(F.shiftright("lo", 16), F.shiftright("hi", 16)))
    ranges4 = spark.createDataFrame(four, "lo long, hi long, cbs_ids array<string>").withColumn("bucket", bucket)
    ends = [F.conv(F.substring(column, 1, DIGITS), 16, 10).cast("long") for column in ("lo", "hi")]
    ranges6 = spark.createDataFrame(six, "lo string, hi string, cbs_ids array<string>")
    return ranges4.cache(), ranges6.withColumn("bucket", F.explode(F.sequence(*ends))).cache()


@F.udf(returnType=StringType())
def hexadecimal(ip):
    import ipaddress

    return ipaddress.ip_address(ip).packed.hex()


def number(column):
    parts = F.split(column, r"\.")
    return sum(parts.getItem(place).cast("long") * 256 ** (3 - place) for place in range(4))


def joined(log, ranges4, ranges6):
    """By an equal bucket first, as a join by `lo <= ip AND ip <= hi` alone compares every row with every range."""
    four = log.where(F.col("ip").rlike(IPV4)).withColumn("key", number(F.col("ip")))
    four = four.withColumn("bucket", F.shiftright("key", 16))
    six = log.where(F.col("ip").contains(":")).withColumn("key", hexadecimal("ip"))
    six = six.withColumn("bucket", F.conv(F.substring("key", 1, DIGITS), 16, 10).cast("long"))
    parts = []
    others = log.where(F.col("ip").isNull() | ~(F.col("ip").rlike(IPV4) | F.col("ip").contains(":")))
    for rows, ranges in ((four, ranges4), (six, ranges6)):
        ranges = F.broadcast(ranges.withColumnRenamed("bucket", "its_bucket"))
        match = (F.col("bucket") == F.col("its_bucket")) & F.col("key").between(F.col("lo"), F.col("hi"))
        parts.append(rows.join(ranges, match, "left").select(*log.columns, "cbs_ids"))
    parts.append(others.withColumn("cbs_ids", F.lit(None).cast(ArrayType(StringType()))))
    return parts[0].unionByName(parts[1]).unionByName(parts[2])


def compared_rows(log, ranges4):
    """By the comparison alone, of the rows with IPv4 addresses."""
    rows = log.where(F.col("ip").rlike(IPV4)).withColumn("key", number(F.col("ip")))
    ranges = F.broadcast(ranges4.drop("bucket").distinct())
    return rows.join(ranges, F.col("key").between(F.col("lo"), F.col("hi")), "left").select(*log.columns, "cbs_ids")


def fingerprint(rows):
    """Of all rows and their services, in any order."""
    ids = F.concat_ws(" ", F.sort_array(F.coalesce("cbs_ids", F.array().cast("array<string>"))))
    return rows.select(F.count("*"), F.sum(F.xxhash64("row", ids).cast("decimal(38,0)"))).first()


def main():
    parser = argparse.ArgumentParser()
    for name in ("folder", "catalogue", "command", "root"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--compared", type=int, required=True, help="rows for the join without buckets; 0 for none")
    options = parser.parse_args()
    root, folder = int(options.root), Path(options.folder)

    spark = SparkSession.builder.appName("compare").getOrCreate()
    context = spark.sparkContext
    for module in (*EXAMPLE.glob("*_*.py"), Path(__file__).with_name("trie_udf.py")):
        context.addPyFile(str(module))
    write_prefixes(folder / "clickhouse.tsv", folder / "prefixes.tsv")
    context.addFile(str(folder / "prefixes.tsv"))
    named = folder / NAME
    named.write_bytes(Path(options.catalogue).read_bytes())
    context.addFile(str(named))
    ranges4, ranges6 = read_ranges(spark, folder / "ranges.csv")
    print(f"{ranges4.count()} and {ranges6.count()} ranges in buckets")
    log = spark.read.parquet(str(folder / "log.parquet"))
    rows = log.count()
    by_trie = F.udf(lambda ip: services("prefixes.tsv", ip), ArrayType(StringType()))
    command = options.command.split()

    def writing(rows_of):
        return lambda output: rows_of().write.parquet(output)

    def by_files(output):
        identify_files(context, str(folder / "log.parquet"), output, command, "ip")

    ways = {
        "nothing added": writing(lambda: log),
        "ipsieve": writing(lambda: identified(spark, log, command, "ip")),
        "ipsieve, file by file": by_files,
        "trie in a Python UDF": writing(lambda: log.withColumn("cbs_ids", by_trie("ip"))),
        "broadcast join by buckets": writing(lambda: joined(log, ranges4, ranges6)),
    }

    def measure(name, write):
        output = str(folder / f"{name}.parquet")
        shutil.rmtree(output, ignore_errors=True)
        before, began = processor_seconds(root), time.monotonic()
        write(output)
        wall = time.monotonic() - began
        return processor_seconds(root) - before, wall, output

    times = {name: [] for name in ways}
    prints = {}
    for number_of_round in range(options.rounds + 1):
        for name, write in ways.items():
            processor, wall, output = measure(name, write)
            if number_of_round > 0:
                times[name].append((processor, wall))
            elif name != "nothing added":
                prints[name] = fingerprint(spark.read.parquet(output))
    assert len(set(prints.values())) == 1, f"the ways give different services: {prints}"
    assert next(iter(prints.values()))[0] == rows
    changed = spark.read.parquet(str(folder / "ipsieve.parquet")).withColumn("row", F.col("row") + 1)
    assert fingerprint(changed) not in prints.values(), "negative control: other rows have another fingerprint"
    print(f"{rows} rows, the same services by all ways; seconds of processor time, median (least); of the clock")
    for name, taken in times.items():
        processor, wall = ([each[index] for each in taken] for index in (0, 1))
        figures = f"{statistics.median(processor):.1f} ({min(processor):.1f}); {statistics.median(wall):.1f} ({min(wall):.1f})"
        print(f"{name}: {figures}")
    if options.compared > 0:
        some = log.limit(options.compared).repartition(2).cache()
        some.count()
        processor, wall, _ = measure("compared", writing(lambda: compared_rows(some, ranges4)))
        print(f"broadcast join by the comparison alone, {options.compared} rows: {processor:.1f}; {wall:.1f}")
    spark.stop()


if __name__ == "__main__":
    main()
