/** Spaces, hyphens and brackets with which people write numbers, and the marks of direction that phones copy. */
const SEPARATORS = /[\s.()/\p{Pd}\p{Cf}]/gu;

export function withoutSeparators(text: string): string {
  return text.replaceAll(SEPARATORS, '');
}

/**
 * Returns a phone number without the country code with which it begins, if it is that of the form: `+8613812345678` and
 * `008613812345678` are `13812345678` beside `+86`.
 */
export function withoutAreaCode(phoneNumber: string, areaCode: string): string {
  const digits = /^\+?(\d+)$/.exec(areaCode)?.[1];
  if (digits === undefined) return phoneNumber;
  const prefix = ['+', '00'].map((start) => start + digits).find((each) => phoneNumber.startsWith(each));
  return prefix === undefined ? phoneNumber : phoneNumber.slice(prefix.length);
}
