import { formatDay, localDay } from '../../../ui/format.js';

/** The messages of one day, newest first. */
interface Day<Item> {
  /** Local date. */
  readonly key: string;
  readonly time: number;
  readonly items: readonly Item[];
}

/** Groups items, newest first, by their local day. */
export function groupByDay<Item extends { readonly time: number }>(items: readonly Item[]): Day<Item>[] {
  const days = new Map<string, Item[]>();
  for (const item of items) {
    const day = localDay(item.time);
    const ofDay = days.get(day);
    if (ofDay) ofDay.push(item);
    else days.set(day, [item]);
  }
  return [...days].map(([key, ofDay]) => ({ key, time: ofDay[0]?.time ?? 0, items: ofDay }));
}

/** Returns the heading of a day: "Today", "Yesterday", or the date. */
export function dayHeading(time: number, now: number, language: string): string {
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  const daysAgo = [localDay(now), localDay(yesterday.getTime())].indexOf(localDay(time));
  if (daysAgo < 0) return formatDay(time, language);
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-daysAgo, 'day');
  return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
}
