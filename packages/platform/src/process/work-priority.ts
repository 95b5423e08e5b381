import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Priorities of work, the highest first: the service's own work (outbox relay, revocations, event handlers,
 * jobs), requests of authenticated callers, and requests of unauthenticated callers.
 */
export type WorkPriority = 'internal' | 'caller' | 'public';

const currentWork = new AsyncLocalStorage<{ workPriority: WorkPriority }>();

/** Returns the priority of the current work; work outside a request is `internal`. */
export function currentWorkPriority(): WorkPriority {
  return currentWork.getStore()?.workPriority ?? 'internal';
}

/** Runs `work`, and everything that it starts, as work of this priority. */
export function runAs<Result>(workPriority: WorkPriority, work: () => Result): Result {
  return currentWork.run({ workPriority }, work);
}

/** Raises the priority of the current request to that of an authenticated caller. */
export function continueAsCaller(): void {
  const store = currentWork.getStore();
  if (store) store.workPriority = 'caller';
}
