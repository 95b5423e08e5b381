/** Returns the local time as `HH:MM`. @param time - Unix milliseconds @param timeZone - IANA */
export function wallClockTime(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    time,
  );
}
