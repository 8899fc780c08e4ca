/**
 * Random odd numbers that hash tables over outside input multiply by, one for each table. Whoever does not know them
 * cannot choose inputs that share a slot (oCERT-2011-003): a difference between two inputs, of bits that an input can
 * change, becomes one that depends on the key.
 */
export function hashKey(): number {
  return (Math.random() * 2 ** 32) | 1;
}
