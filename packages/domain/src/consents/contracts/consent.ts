/** What somebody can agree to, each on its own (nothing is agreed to until it is). */
export const CONSENT_PURPOSE = {
  /** Access points and cells around the watches of the family's children improve the positioning of all. */
  POSITIONING: 'POSITIONING',
} as const;
export type ConsentPurpose = (typeof CONSENT_PURPOSE)[keyof typeof CONSENT_PURPOSE];

/** How many of the last changes of a consent are told. */
export const CONSENT_HISTORY_LENGTH = 50;
