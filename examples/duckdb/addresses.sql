-- Addresses as numbers, by the rules of ipsieve: strict texts, and IPv4-mapped IPv6 is IPv4. Anything else is NULL.
-- ipv4_number returns a UBIGINT, ipv6_number a UHUGEINT, like the columns `lo` and `hi` of the format ranges-csv.

CREATE OR REPLACE MACRO is_ipv4(text) AS
  regexp_full_match(text, '((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])');

CREATE OR REPLACE MACRO octet(text, part) AS CAST(split_part(text, '.', part) AS UBIGINT);

CREATE OR REPLACE MACRO quad_number(text) AS
  CASE WHEN is_ipv4(text)
    THEN octet(text, 1) * 16777216 + octet(text, 2) * 65536 + octet(text, 3) * 256 + octet(text, 4) END;

-- An IPv4 address at the end of an IPv6 address, as two groups; NULL if it is not one.
CREATE OR REPLACE MACRO quad_as_groups(text) AS
  CASE WHEN contains(text, '.')
    THEN regexp_extract(text, '^(.*:)', 1)
      || printf('%x:%x', quad_number(regexp_extract(text, '([^:]*)$', 1)) // 65536, quad_number(regexp_extract(text, '([^:]*)$', 1)) % 65536)
    ELSE text END;

CREATE OR REPLACE MACRO groups_of(text) AS CASE WHEN text = '' THEN CAST([] AS VARCHAR[]) ELSE string_split(text, ':') END;

-- The eight groups of an address without dots; `ipv6_digits` detects a wrong number of groups.
CREATE OR REPLACE MACRO all_groups(text) AS
  CASE WHEN contains(text, '::')
    THEN groups_of(split_part(text, '::', 1))
      || list_resize(CAST([] AS VARCHAR[]), greatest(1, 8 - len(groups_of(split_part(text, '::', 1))) - len(groups_of(split_part(text, '::', 2)))), '0')
      || groups_of(split_part(text, '::', 2))
    ELSE string_split(text, ':') END;

-- 32 hexadecimal digits.
CREATE OR REPLACE MACRO ipv6_digits(text) AS
  CASE WHEN regexp_full_match(text, '([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?(::)?([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?') AND NOT regexp_matches(text, '[0-9a-f]{5}') AND len(all_groups(text)) = 8
    THEN array_to_string(list_transform(all_groups(text), lambda digits: lpad(digits, 4, '0')), '') END;

CREATE OR REPLACE MACRO digits_number(digits) AS
  CAST(CAST('0x' || digits[1:16] AS UBIGINT) AS UHUGEINT) * 18446744073709551616 + CAST('0x' || digits[17:32] AS UBIGINT);

-- Includes mapped addresses, which are IPv4.
CREATE OR REPLACE MACRO any_ipv6_number(text) AS
  CASE WHEN contains(text, ':') THEN digits_number(ipv6_digits(quad_as_groups(lower(text)))) END;

CREATE OR REPLACE MACRO ipv4_number(text) AS
  CASE WHEN contains(text, ':')
    THEN CASE WHEN any_ipv6_number(text) // 4294967296 = 65535 THEN CAST(any_ipv6_number(text) % 4294967296 AS UBIGINT) END
    ELSE quad_number(text) END;

CREATE OR REPLACE MACRO ipv6_number(text) AS
  CASE WHEN any_ipv6_number(text) // 4294967296 <> 65535 THEN any_ipv6_number(text) END;
