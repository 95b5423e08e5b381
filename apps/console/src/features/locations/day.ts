const DAY_MS = 86_400_000;

/** Returns the date of a time in a time zone, as YYYY-MM-DD. */
export function dayOf(time: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(time)
    .map(({ type, value }) => [type, value] as const);
  const { year, month, day } = Object.fromEntries(parts);
  return `${year}-${month}-${day}`;
}

/** Returns the date that is `count` days later. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the first moment of a day in a time zone and that of the next day. Unix milliseconds. */
export function boundsOfDay(day: string, timeZone: string): { from: number; to: number } {
  return { from: startOf(day, timeZone), to: startOf(addDays(day, 1), timeZone) };
}

function startOf(day: string, timeZone: string): number {
  const midnight = Date.parse(day);
  // The offset at midnight UTC can differ from the one at local midnight, so that it is computed a second time.
  const guess = midnight - offsetAt(midnight, timeZone);
  return midnight - offsetAt(guess, timeZone);
}

/** Returns by how much the clocks of a time zone are ahead of UTC. Milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
}
