/**
 * Options of an LRU cache that has at most `count` entries and allocates memory as it fills. With the option `max`,
 * lru-cache allocates the memory of all entries at once.
 */
export const entryLimit = (count: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: count,
  sizeCalculation: () => 1,
});
