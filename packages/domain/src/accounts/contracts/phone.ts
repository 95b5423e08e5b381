/** A mobile number in the form in which it is stored. Area code and number together identify at most one account. */
export interface Phone {
  /** Country calling code with `+`. */
  areaCode: string;
  /** National number (specification 2.5). */
  phoneNumber: string;
}

/**
 * Adds `+` to a country calling code without `+`. Clients send calling codes with or without `+`; the service stores
 * them with `+`.
 */
export function normalizeAreaCode(areaCode: string): string {
  return areaCode.startsWith('+') ? areaCode : `+${areaCode}`;
}
