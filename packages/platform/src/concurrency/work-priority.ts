import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Classes of work, in the order of their priority: the service's own work (outbox relay, revocations, event handlers,
 * jobs), requests of an SOS, sign-ins and other requests with the token of a known device, whose attempts are limited,
 * other requests of authenticated callers, and requests of unauthenticated callers.
 */
export const WORK_PRIORITIES = ['internal', 'emergency', 'known-device', 'caller', 'public'] as const;
export type WorkPriority = (typeof WORK_PRIORITIES)[number];

/** Work and whose it is: the principal, or the address of an unauthenticated caller; undefined for internal work. */
export interface Work {
  workPriority: WorkPriority;
  owner?: string | undefined;
}

const INTERNAL_WORK: Readonly<Work> = { workPriority: 'internal' };

const workContext = new AsyncLocalStorage<Work>();

/** Returns the current work; work outside a request is `internal`. */
export function currentWork(): Readonly<Work> {
  return workContext.getStore() ?? INTERNAL_WORK;
}

/** Runs `work`, and everything that it starts, as work of this priority and owner. */
export function runAs<Result>(workPriority: WorkPriority, work: () => Result, owner?: string): Result {
  return workContext.run({ workPriority, owner }, work);
}

/** Makes the current request one of an unauthenticated caller again. */
export function continueAsPublic(address: string): void {
  const store = workContext.getStore();
  if (store) Object.assign(store, { workPriority: 'public', owner: address });
}

/**
 * Raises the current request to a request of an authenticated caller.
 *
 * @param owner - the caller; undefined for a provider, whose requests concern many people
 */
export function continueAsCaller(
  owner: string | undefined,
  workPriority: 'caller' | 'known-device' | 'emergency' = 'caller',
): void {
  const store = workContext.getStore();
  if (store) Object.assign(store, { workPriority, owner });
}
