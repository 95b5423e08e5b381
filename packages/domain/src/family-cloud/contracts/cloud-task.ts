/** Operations that a batch task performs on files and folders. */
export const BATCH_TASK_TYPE = { COPY: 1, DELETE: 2, MOVE: 3 } as const;
export type BatchTaskType = (typeof BATCH_TASK_TYPE)[keyof typeof BATCH_TASK_TYPE];

/**
 * States of a batch task. WAITING: not started. RUNNING: started, and continued after a restart of the app. DONE:
 * finished; some items may have failed. CANCELLED: stopped because its creator has lost access to the cloud.
 */
export const BATCH_TASK_STATE = {
  WAITING: 'WAITING',
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  CANCELLED: 'CANCELLED',
} as const;
export type BatchTaskState = (typeof BATCH_TASK_STATE)[keyof typeof BATCH_TASK_STATE];

/** Maximum number of files and folders that one request for a batch task can name. */
export const MAX_BATCH_TASK_ITEMS = 1_000;
/** Maximum number of ids of failed items that are stored per batch task. */
export const MAX_BATCH_TASK_FAILURES = 1_000;
/** Maximum number of waiting and running batch tasks per cloud. */
export const MAX_OPEN_BATCH_TASKS_PER_CLOUD = 20;
/** How long a finished batch task can be queried, in milliseconds (7 days). */
export const BATCH_TASK_RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * What a cleanup task removes. FAMILY: the cloud of a dissolved family. CHILD: the contents of an erased child.
 * ACCOUNT: references to an erased account.
 */
export const CLEANUP_KIND = { FAMILY: 'FAMILY', CHILD: 'CHILD', ACCOUNT: 'ACCOUNT' } as const;
export type CleanupKind = (typeof CLEANUP_KIND)[keyof typeof CLEANUP_KIND];

/**
 * States of a cleanup task. WAITING: the task has not started, or has done a part of its work. WATCHED: the task has
 * moved the child's contents to the recycle bin, and a member can still restore them there. FORGETTING: the task scans
 * the whole content table, and deletes or anonymizes the rows that still refer to its subject.
 */
export const CLEANUP_STATE = { WAITING: 'WAITING', WATCHED: 'WATCHED', FORGETTING: 'FORGETTING' } as const;
export type CleanupState = (typeof CLEANUP_STATE)[keyof typeof CLEANUP_STATE];
