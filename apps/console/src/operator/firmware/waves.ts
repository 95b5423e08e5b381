const MAX_WAVES = 10;

/** Returns the ascending percentages of a text such as `1, 10, 100`, which end with 100; undefined for another text. */
export function parseWaves(text: string): number[] | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > MAX_WAVES || !words.every((word) => /^\d{1,3}$/.test(word)))
    return undefined;
  const waves = words.map(Number);
  const isAscending = waves.every((wave, index) => wave > (waves[index - 1] ?? 0));
  return isAscending && waves.at(-1) === 100 ? waves : undefined;
}
