/** How many lines have each address: IPv4 addresses of a word, IPv6 addresses of four, in no order, each once. */
export interface AddressCounts {
  readonly words4: Uint32Array;
  readonly counts4: Float64Array;
  readonly words6: Uint32Array;
  readonly counts6: Float64Array;
  /**
   * 0: this is exact. Else rare addresses had to give way: the lines of each address, of missing ones too, are up to so
   * many more.
   */
  readonly missing: number;
}
