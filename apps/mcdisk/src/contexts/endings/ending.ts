import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** What can end: a family with its cloud, a child with what its watch added, an account with its name on things. */
export const ENDING_KIND = { FAMILY: 'FAMILY', CHILD: 'CHILD', ACCOUNT: 'ACCOUNT' } as const;
export type EndingKind = (typeof ENDING_KIND)[keyof typeof ENDING_KIND];

/**
 * WAITING: nothing, or not everything, has been done. WATCHED: what the child's watch added lies in the recycle bin,
 * from which the family may still take it. FORGETTING: the table of contents is gone through for what is left.
 */
export const ENDING_STATE = { WAITING: 'WAITING', WATCHED: 'WATCHED', FORGETTING: 'FORGETTING' } as const;
export type EndingState = (typeof ENDING_STATE)[keyof typeof ENDING_STATE];

/** Something that ended, and how far its end has come. */
export interface Ending {
  kind: EndingKind;
  /** Id of the family, child or account. */
  subject: string;
  /** `null` for an account, which may have been in any. */
  cloudId: string | null;
  state: EndingState;
  /** Last content that FORGETTING has seen. */
  cursor: string | null;
}

/** Where it goes on, and when; `undefined` when it is over. */
export type NextStep = Pick<Ending, 'state' | 'cursor'> & { /** Unix milliseconds. */ dueAt: number };

/** In place of somebody whose account was erased. */
export const ERASED_PRINCIPAL: PrincipalKey = 'user:erased';

/** A dissolved family's cloud is kept for as long as the recycle bin keeps a file, milliseconds. */
export const DISSOLVED_MS = 30 * 24 * 60 * 60 * 1_000;

/** Contents of one unit of work. */
export const ENDING_BATCH = 200;
