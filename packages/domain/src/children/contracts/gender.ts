/** Specification 2.4; 1 is not defined. */
export const GENDER = { UNKNOWN: 0, MAN: 2, WOMAN: 3 } as const;
export type Gender = (typeof GENDER)[keyof typeof GENDER];
