import type { ErasureConfirmation, ErasureSubjects } from '../../kernel/contracts/account-erasure.js';

/**
 * States of the deletion of an account. REQUESTED: the person can cancel it until its time. ERASING: the account is
 * erased, and the apps erase its data. COMPLETED: every app has erased everything; only the receipt is left.
 */
export const ACCOUNT_DELETION_STATE = {
  REQUESTED: 'REQUESTED',
  ERASING: 'ERASING',
  COMPLETED: 'COMPLETED',
} as const;
export type AccountDeletionState = (typeof ACCOUNT_DELETION_STATE)[keyof typeof ACCOUNT_DELETION_STATE];

/**
 * What happens to a family whose owner is erased. TRANSFERRED: the guardian who joined first and owns no family becomes
 * the owner. ERASED: the family has no such guardian; its children and their data are erased.
 */
export const OWNED_FAMILY_OUTCOME = { TRANSFERRED: 'TRANSFERRED', ERASED: 'ERASED' } as const;
export type OwnedFamilyOutcome = (typeof OWNED_FAMILY_OUTCOME)[keyof typeof OWNED_FAMILY_OUTCOME];

/** A deletion that a backup has seen, with which a restore carries it out again. Times are Unix milliseconds. */
export interface ListedDeletion {
  receiptId: string;
  userId: string;
  requestedAt: number;
  eraseAt: number;
  /** Time of the first backup after the deletion was completed or cancelled; null before. */
  endedAt: number | null;
  isCancelled: boolean;
}

export interface AccountDeletionEvents {
  /**
   * The person requested the deletion of the account at `eraseAt` (Unix milliseconds), or cancelled it. `familyIds`: the
   * families of the person. Key: `user:<userId>`.
   */
  'userctx.account-deletion.changed': {
    userId: string;
    state: 'REQUESTED' | 'CANCELLED';
    familyIds: string[];
    eraseAt: number;
    time: number;
  };
  /**
   * The account was erased at `time` (Unix milliseconds), with the families that had no other guardian. Consumers erase
   * all data about the subjects and publish their confirmation. Published again until every app has confirmed. Key: the
   * first erased family, so that consumers erase its data before they process the end of its children; otherwise
   * `user:<userId>`.
   */
  'userctx.account.erased': ErasureSubjects & { receiptId: string; time: number };
  'userctx.account-erasure.confirmed': ErasureConfirmation;
  'gateway.account-erasure.confirmed': ErasureConfirmation;
  'mcdisk.account-erasure.confirmed': ErasureConfirmation;
}
