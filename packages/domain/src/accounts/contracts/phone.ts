/** A mobile number as stored. Area code and number together identify at most one account. */
export interface Phone {
  /** Country calling code with `+`. */
  areaCode: string;
  /** National number (specification 2.5). */
  phoneNumber: string;
}

/**
 * Adds `+` to a country calling code without it. Clients send both forms; the service stores the calling code with `+`.
 */
export function normalizeAreaCode(areaCode: string): string {
  return areaCode.startsWith('+') ? areaCode : `+${areaCode}`;
}
