const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const TIME_PATTERN = '[0-2]\\d:[0-5]\\d:[0-6]\\d';
/** Patterns of the three date formats that a recipient must accept (RFC 9110, 5.6.7). */
const IMF_FIXDATE = new RegExp(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (${MONTHS}) \\d{4} ${TIME_PATTERN} GMT$`);
const RFC_850 = new RegExp(`^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-(${MONTHS})-\\d{2} ${TIME_PATTERN} GMT$`);
const ASCTIME = new RegExp(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (${MONTHS}) [ \\d]\\d ${TIME_PATTERN} \\d{4}$`);

/** Returns Unix milliseconds, or `undefined` for an invalid date, which is treated like an absent one. */
export function parseHttpDate(text: string | undefined): number | undefined {
  const date = text?.trim() ?? '';
  const parsed = IMF_FIXDATE.test(date) || RFC_850.test(date) ? Date.parse(date) : parseAsctime(date);
  return Number.isNaN(parsed) ? undefined : parsed;
}

export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

function parseAsctime(date: string): number {
  return ASCTIME.test(date) ? Date.parse(`${date} GMT`) : Number.NaN;
}
