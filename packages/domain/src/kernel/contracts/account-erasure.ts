/** Apps that erase data about a person, and confirm it. */
export const ERASING_APPS = ['userctx', 'gateway', 'mcdisk'] as const;
export type ErasingApp = (typeof ERASING_APPS)[number];

/** What is erased: a person, and the families, children and watches that had no other guardian. */
export interface ErasureSubjects {
  userId: string;
  familyIds: string[];
  cids: string[];
  dids: number[];
}

/** Number of erased or anonymized rows by their kind, the name of a table or of a part of its rows. */
export type ErasureCounts = Record<string, number>;

/** Statement of one app that it keeps nothing about the subjects. */
export interface ErasureConfirmation {
  receiptId: string;
  counts: ErasureCounts;
  /** Unix milliseconds. */
  time: number;
}
