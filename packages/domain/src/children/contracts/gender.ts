/** Genders of specification 2.4, which does not define the value 1. */
export const GENDER = { UNKNOWN: 0, MAN: 2, WOMAN: 3 } as const;
export type Gender = (typeof GENDER)[keyof typeof GENDER];
