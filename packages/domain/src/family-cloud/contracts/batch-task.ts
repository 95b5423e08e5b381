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
