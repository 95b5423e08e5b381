import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Classes of work, in the order of their priority: the service's own work (outbox relay, revocations, event handlers,
 * jobs), requests of authenticated callers, and requests of unauthenticated callers.
 */
export type WorkClass = 'internal' | 'caller' | 'public';

const current = new AsyncLocalStorage<{ workClass: WorkClass }>();

/** Returns the class of the current work; work that no request has started is `internal`. */
export function currentWorkClass(): WorkClass {
  return current.getStore()?.workClass ?? 'internal';
}

/** Runs `work`, and everything that it starts, as work of this class. */
export function runAs<Result>(workClass: WorkClass, work: () => Result): Result {
  return current.run({ workClass }, work);
}

/** Continues the current request as a request of an authenticated caller. */
export function continueAsCaller(): void {
  const store = current.getStore();
  if (store) store.workClass = 'caller';
}
