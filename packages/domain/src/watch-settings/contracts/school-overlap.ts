import { dateOfDayNumber, dayNumber, minutesOfDay, startsOn, weekdayOf } from './school-time.js';
import type { SchoolRange } from './school-time.js';

const DAY = 1_440;

/**
 * The first day (`YYYY-MM-DD`) on which a start of one range falls into the other, or the other way round; undefined
 * when they never meet. Ranges that touch do not overlap. Weekly days are taken as they are, because holidays end:
 * two ranges that only a holiday keeps apart overlap.
 */
export function findOverlapDate(one: SchoolRange, other: SchoolRange): string | undefined {
  return meetingDay(one, other) ?? meetingDay(other, one);
}

/** A day on which `one` starts and meets an occurrence of `other`. */
function meetingDay(one: SchoolRange, other: SchoolRange): string | undefined {
  const weekly = one.weekdays.map((weekday) => A_MONDAY + weekday - 1);
  const found = weekly.find((day) => NEIGHBOURS.some((step) => meetsWeekly(one, other, day, step)));
  if (found !== undefined) return dateOfDayNumber(found);
  return one.extraDates.find((date) => NEIGHBOURS.some((step) => meetsOn(one, other, dayNumber(date), step)));
}

/** Some Monday; the rules of weekdays are the same in every week. */
const A_MONDAY = dayNumber('2024-01-01');

/** An occurrence lasts less than two days, so only these starts of the other can meet it. */
const NEIGHBOURS: readonly number[] = [-1, 0, 1];

function meetsWeekly(one: SchoolRange, other: SchoolRange, day: number, step: number): boolean {
  return other.weekdays.includes(weekdayOf(day + step)) && collide(one, other, step);
}

function meetsOn(one: SchoolRange, other: SchoolRange, day: number, step: number): boolean {
  return startsOn(other, dateOfDayNumber(day + step)) && collide(one, other, step);
}

/** Do the two meet when the other starts `step` days after the one? */
function collide(one: SchoolRange, other: SchoolRange, step: number): boolean {
  const [from, to] = minutesFromStart(one);
  const [otherFrom, otherTo] = minutesFromStart(other);
  return from < otherTo + step * DAY && otherFrom + step * DAY < to;
}

/** Start and end in minutes from the midnight before the start. */
function minutesFromStart({ start, end }: SchoolRange): [number, number] {
  const [from, to] = [minutesOfDay(start), minutesOfDay(end)];
  return [from, to > from ? to : to + DAY];
}
