/** What a batch task does with contents and whole folders. */
export const BATCH_TASK_TYPE = { COPY: 1, DELETE: 2, MOVE: 3 } as const;
export type BatchTaskType = (typeof BATCH_TASK_TYPE)[keyof typeof BATCH_TASK_TYPE];

/** WAITING and RUNNING go on by themselves, also after a restart; DONE says how many failed; CANCELLED lost its right. */
export const BATCH_TASK_STATE = {
  WAITING: 'WAITING',
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  CANCELLED: 'CANCELLED',
} as const;
export type BatchTaskState = (typeof BATCH_TASK_STATE)[keyof typeof BATCH_TASK_STATE];

/** Contents and folders that one task may name. */
export const MAX_BATCH_TASK_ITEMS = 1_000;
/** Ids of failures that are kept of a task. */
export const MAX_BATCH_TASK_FAILURES = 1_000;
/** Tasks of one cloud that wait or run. */
export const MAX_OPEN_BATCH_TASKS_PER_CLOUD = 20;
/** How long a task that is over can be asked about, milliseconds. */
export const BATCH_TASK_RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;
