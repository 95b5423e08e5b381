/**
 * The earliest time that a watch may report: 2015-01-01 UTC, in Unix milliseconds. An earlier time is either in seconds,
 * or comes from a clock that is not set.
 */
export const EARLIEST_WATCH_TIME = Date.UTC(2015, 0, 1);
