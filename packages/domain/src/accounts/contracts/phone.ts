/** A mobile number as the service keeps it; the pair names at most one account. */
export interface Phone {
  /** Country calling code with `+`. */
  areaCode: string;
  /** National number, specification 2.5. */
  phoneNumber: string;
}

/** Clients send the country calling code with or without `+`; it is kept with it (conventions of the API). */
export function normalizeAreaCode(areaCode: string): string {
  return areaCode.startsWith('+') ? areaCode : `+${areaCode}`;
}
