/** A child's area code may be any text. No calling code begins with 0. */
const CALLING_CODE = /^\+[1-9]\d*$/;

/** Returns the URL that dials the number, or `undefined` for an area code that is no calling code. */
export function phoneUrlOf({ areaCode, phoneNumber }: { areaCode: string; phoneNumber: string }): string | undefined {
  return CALLING_CODE.test(areaCode) ? `tel:${areaCode}${phoneNumber}` : undefined;
}
