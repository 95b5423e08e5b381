import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/**
 * Kinds of data that a task cleans up. FAMILY: the cloud of a dissolved family. CHILD: the contents of an erased child.
 * ACCOUNT: references to an erased account.
 */
export const CLEANUP_KIND = { FAMILY: 'FAMILY', CHILD: 'CHILD', ACCOUNT: 'ACCOUNT' } as const;
export type CleanupKind = (typeof CLEANUP_KIND)[keyof typeof CLEANUP_KIND];

/**
 * WAITING: the task has not started, or has done a part of its work. WATCHED: the child's contents are in the recycle
 * bin, from which a member may still restore them. FORGETTING: the task scans the content table for rows that are still
 * to be cleaned up.
 */
export const CLEANUP_STATE = { WAITING: 'WAITING', WATCHED: 'WATCHED', FORGETTING: 'FORGETTING' } as const;
export type CleanupState = (typeof CLEANUP_STATE)[keyof typeof CLEANUP_STATE];

/** A cleanup task and its progress. */
export interface CleanupTask {
  kind: CleanupKind;
  /** Id of the family, child or account. */
  subject: string;
  /** Id of the cloud, or `null` for an account, which may have been a member of several families. */
  cloudId: string | null;
  state: CleanupState;
  /** Id of the last content that was scanned in state FORGETTING. */
  cursor: string | null;
}

/** The next step of a task and its time, or `undefined` when the task is finished. */
export type NextCleanupStep = Pick<CleanupTask, 'state' | 'cursor'> & { /** Unix milliseconds. */ dueAt: number };

/** Principal that replaces the principal of an erased account. */
export const ERASED_PRINCIPAL: PrincipalKey = 'user:erased';

/** Retention of a dissolved family's cloud, equal to the retention of contents in the recycle bin. */
export const DISSOLVED_CLOUD_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Maximum number of contents per transaction. */
export const CLEANUP_BATCH_SIZE = 200;
