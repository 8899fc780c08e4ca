/** How many lines have each address: IPv4 addresses of one word, in order, IPv6 addresses of four, in none, each once. */
export interface AddressCounts {
  readonly words4: Uint32Array;
  readonly counts4: Float64Array;
  readonly words6: Uint32Array;
  readonly counts6: Float64Array;
  /**
   * 0: exact. Otherwise rare addresses were dropped, and the true number of lines of any address, including missing
   * ones, may be larger by up to this.
   */
  readonly missing: number;
}
