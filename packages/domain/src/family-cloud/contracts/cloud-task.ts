/** Operation of a batch task on files and folders. */
export const BATCH_TASK_TYPE = { COPY: 1, DELETE: 2, MOVE: 3 } as const;
export type BatchTaskType = (typeof BATCH_TASK_TYPE)[keyof typeof BATCH_TASK_TYPE];

/**
 * WAITING and RUNNING tasks survive a restart. A DONE task may have failed items. A task is CANCELLED when its creator
 * has lost access to the cloud.
 */
export const BATCH_TASK_STATE = {
  WAITING: 'WAITING',
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  CANCELLED: 'CANCELLED',
} as const;
export type BatchTaskState = (typeof BATCH_TASK_STATE)[keyof typeof BATCH_TASK_STATE];

/** Maximum number of files and folders in the request of one task. */
export const MAX_BATCH_TASK_ITEMS = 1_000;
/** Maximum number of failed ids stored per task. */
export const MAX_BATCH_TASK_FAILURES = 1_000;
/** Maximum number of waiting and running tasks per cloud. */
export const MAX_OPEN_BATCH_TASKS_PER_CLOUD = 20;
/** How long a finished task can be queried, in milliseconds. */
export const BATCH_TASK_RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

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
