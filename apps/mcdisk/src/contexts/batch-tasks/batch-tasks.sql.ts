/** Raw because it claims rows with SKIP LOCKED in a subquery. */
export const DELETE_FINISHED_TASKS = `
  DELETE FROM mcdisk.batch_task WHERE task_id IN (
    SELECT task_id FROM mcdisk.batch_task WHERE finished_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING task_id`;
