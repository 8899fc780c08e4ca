-- Adds to a log the services of the addresses in its column `ip`. Three variables name files: `ranges`, written by
-- "ipsieve cbs export --format ranges-csv"; `log`, in Parquet; and `output`, in Parquet too: the columns of the log and
-- `cbs_ids`, the services of the address, empty if there are none (`cbs_ids_1` if the log has such a column).
-- Load addresses.sql first.

-- The ranges do not overlap, so only the one with the last start at or before an address can contain it: ASOF joins
-- find that one, by sorting both sides once. 64-bit numbers compare faster than 128-bit ones, so each family has a join
-- of its own.
CREATE OR REPLACE TEMP TABLE ranges AS
SELECT family, lo, hi, string_split(cbs_ids, ',') AS cbs_ids
FROM read_csv(getvariable('ranges'), header = true, columns = {family: 'UTINYINT', lo: 'UHUGEINT', hi: 'UHUGEINT', cbs_ids: 'VARCHAR'});

CREATE OR REPLACE TEMP TABLE ipv4_ranges AS
SELECT CAST(lo AS UBIGINT) AS lo, CAST(hi AS UBIGINT) AS hi, cbs_ids FROM ranges WHERE family = 4;

CREATE OR REPLACE TEMP TABLE ipv6_ranges AS SELECT lo, hi, cbs_ids FROM ranges WHERE family = 6;

COPY (
  WITH log AS (SELECT *, ipv4_number(ip) AS __ipv4, ipv6_number(ip) AS __ipv6 FROM read_parquet(getvariable('log')))
  SELECT log.* EXCLUDE (__ipv4, __ipv6), CASE WHEN log.__ipv4 <= ipv4_ranges.hi THEN ipv4_ranges.cbs_ids ELSE [] END AS cbs_ids
  FROM log ASOF LEFT JOIN ipv4_ranges ON log.__ipv4 >= ipv4_ranges.lo
  WHERE log.__ipv6 IS NULL
  UNION ALL
  SELECT log.* EXCLUDE (__ipv4, __ipv6), CASE WHEN log.__ipv6 <= ipv6_ranges.hi THEN ipv6_ranges.cbs_ids ELSE [] END
  FROM log ASOF LEFT JOIN ipv6_ranges ON log.__ipv6 >= ipv6_ranges.lo
  WHERE log.__ipv6 IS NOT NULL
) TO (getvariable('output')) (FORMAT parquet);
