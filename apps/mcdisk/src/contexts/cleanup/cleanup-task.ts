import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** What can end: a family with its cloud, a child with what its watch added, an account with its name on things. */
export const CLEANUP_KIND = { FAMILY: 'FAMILY', CHILD: 'CHILD', ACCOUNT: 'ACCOUNT' } as const;
export type CleanupKind = (typeof CLEANUP_KIND)[keyof typeof CLEANUP_KIND];

/**
 * WAITING: nothing, or not everything, has been done. WATCHED: what the child's watch added lies in the recycle bin,
 * from which the family may still take it. FORGETTING: the table of contents is gone through for what is left.
 */
export const CLEANUP_STATE = { WAITING: 'WAITING', WATCHED: 'WATCHED', FORGETTING: 'FORGETTING' } as const;
export type CleanupState = (typeof CLEANUP_STATE)[keyof typeof CLEANUP_STATE];

/** Something that ended, and how far its end has come. */
export interface CleanupTask {
  kind: CleanupKind;
  /** Id of the family, child or account. */
  subject: string;
  /** `null` for an account, which may have been in any. */
  cloudId: string | null;
  state: CleanupState;
  /** Last content that FORGETTING has seen. */
  cursor: string | null;
}

/** Where it goes on, and when; `undefined` when it is over. */
export type NextCleanupStep = Pick<CleanupTask, 'state' | 'cursor'> & { /** Unix milliseconds. */ dueAt: number };

/** In place of somebody whose account was erased. */
export const ERASED_PRINCIPAL: PrincipalKey = 'user:erased';

/** A dissolved family's cloud is kept for as long as the recycle bin keeps a file, milliseconds. */
export const DISSOLVED_CLOUD_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Contents of one unit of work. */
export const CLEANUP_BATCH_SIZE = 200;
