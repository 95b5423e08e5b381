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
