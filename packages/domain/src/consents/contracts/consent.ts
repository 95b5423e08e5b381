/** Purposes to which a person can consent, each independently of the others. No purpose is granted by default. */
export const CONSENT_PURPOSE = {
  /** Access points and cells observed by the watches of the family's children improve positioning for all users. */
  POSITIONING: 'POSITIONING',
} as const;
export type ConsentPurpose = (typeof CONSENT_PURPOSE)[keyof typeof CONSENT_PURPOSE];

/** Maximum number of past changes returned with a consent. */
export const CONSENT_HISTORY_LENGTH = 50;
