import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** Limits of one class of tasks. */
export interface SemaphoreLimits {
  /** Maximum number of concurrent tasks of this class. The highest `running` of all classes is the number of slots. */
  readonly running: number;
  /** Number of slots that tasks of the other classes leave to this class; 0 by default. */
  readonly reserved?: number;
  /** Maximum number of waiting tasks of this class; unlimited by default. */
  readonly waiting?: number;
  /** Limits of the tasks of one owner; unlimited by default, and for tasks without an owner. */
  readonly perOwner?: { readonly running: number; readonly waiting: number };
}

export interface WaitOptions {
  /** Whose task it is, such as a principal; tasks without an owner share one queue without the limits of an owner. */
  readonly owner?: string | undefined;
  /** Longest wait in milliseconds; unlimited by default. */
  readonly ms?: number;
  /** Returns the error after the longest wait, or if too many tasks wait; by default OVERLOADED or
   * TOO_MANY_CONCURRENT_REQUESTS. */
  readonly error?: (cause: WaitCause) => Error;
}

/** Why a task waits: for other tasks of its owner, or for tasks of others. */
export type WaitCause = 'owner' | 'others';

type Start = () => void;

/** Milliseconds for which the tasks of an owner are counted at least; older ones count less and less. */
const USAGE_WINDOW_MS = 2_000;

/** Milliseconds of waiting that count as much as one recent task less. */
const WAIT_PER_TASK_MS = 100;
/** Number of owners of whom the next one is selected, because each start of a task compares them. */
const MAX_COMPARED_OWNERS = 64;

interface WaitingTasks {
  readonly starts: Start[];
  /** Time since which the owner waits for its next task, as `performance.now()`. */
  readonly since: number;
}

/** Counts the tasks of each owner in a sliding window of time. */
class RecentUsage {
  private current = new Map<string, number>();
  private previous = new Map<string, number>();
  private beganAt = performance.now();

  add(owner: string): void {
    this.advance(performance.now());
    this.current.set(owner, (this.current.get(owner) ?? 0) + 1);
  }

  /** Returns a function that returns the number of tasks of an owner. */
  at(now: number): (owner: string) => number {
    const part = 1 - this.advance(now) / USAGE_WINDOW_MS;
    return (owner) => (this.current.get(owner) ?? 0) + (this.previous.get(owner) ?? 0) * part;
  }

  /** Begins the next window if the current one has ended. @returns milliseconds since its beginning */
  private advance(now: number): number {
    const elapsed = now - this.beganAt;
    if (elapsed < USAGE_WINDOW_MS) return elapsed;
    this.previous = elapsed < 2 * USAGE_WINDOW_MS ? this.current : new Map<string, number>();
    this.current = new Map();
    this.beganAt += elapsed - (elapsed % USAGE_WINDOW_MS);
    return elapsed % USAGE_WINDOW_MS;
  }
}

/** Running and waiting tasks of one class. */
class TaskQueue {
  running = 0;
  waiting = 0;
  private readonly runningByOwner = new Map<string, number>();
  /** Waiting tasks by owner. An owner whose task starts moves to the end. */
  private readonly waitingByOwner = new Map<string, WaitingTasks>();
  private readonly usage = new RecentUsage();

  constructor(readonly limits: SemaphoreLimits) {}

  get unusedReserve(): number {
    return Math.max(0, (this.limits.reserved ?? 0) - this.running);
  }

  canOwnerRun(owner: string): boolean {
    return (this.runningByOwner.get(owner) ?? 0) < this.limitsOf(owner).running;
  }

  /**
   * Returns why another task of the owner may not wait. An owner of whom no task waits may do so beyond the maximum, up
   * to its double, so that the tasks of other owners cannot lock it out.
   */
  findRefusal(owner: string): WaitCause | undefined {
    const waitingOfOwner = this.waitingByOwner.get(owner)?.starts.length ?? 0;
    if (waitingOfOwner >= this.limitsOf(owner).waiting) return 'owner';
    const maximum = this.limits.waiting ?? Infinity;
    const isFirst = owner !== NO_OWNER && waitingOfOwner === 0;
    return this.waiting >= (isFirst ? 2 * maximum : maximum) ? 'others' : undefined;
  }

  begin(owner: string): void {
    this.running += 1;
    this.runningByOwner.set(owner, (this.runningByOwner.get(owner) ?? 0) + 1);
    this.usage.add(owner);
  }

  end(owner: string): void {
    this.running -= 1;
    const remaining = (this.runningByOwner.get(owner) ?? 0) - 1;
    if (remaining > 0) this.runningByOwner.set(owner, remaining);
    else this.runningByOwner.delete(owner);
  }

  add(owner: string, start: Start): void {
    this.waiting += 1;
    const tasks = this.waitingByOwner.get(owner);
    if (tasks) tasks.starts.push(start);
    else this.waitingByOwner.set(owner, { starts: [start], since: performance.now() });
  }

  remove(owner: string, start: Start): void {
    const { starts } = this.waitingByOwner.get(owner) as WaitingTasks;
    starts.splice(starts.indexOf(start), 1);
    this.waiting -= 1;
    if (starts.length === 0) this.waitingByOwner.delete(owner);
  }

  /** Starts a task of the owner who is next and may run another one. Returns false if there is none. */
  startNext(): boolean {
    const next = this.findNext();
    if (!next) return false;
    const [owner, { starts }] = next;
    const [start] = starts as [Start];
    this.remove(owner, start);
    if (starts.length > 0) {
      this.waitingByOwner.delete(owner);
      this.waitingByOwner.set(owner, { starts, since: performance.now() });
    }
    this.begin(owner);
    start();
    return true;
  }

  /**
   * Of those who have waited longest since their last task, the owner with the fewest recent tasks is next, so that an
   * owner with a few tasks does not wait for a round of all owners who have many; of equal ones the first. The wait
   * counts too, so that nobody waits for ever while others with fewer tasks arrive.
   */
  private findNext(): [owner: string, tasks: WaitingTasks] | undefined {
    const now = performance.now();
    const usage = this.usage.at(now);
    let next: [string, WaitingTasks] | undefined;
    let least = Infinity;
    let compared = 0;
    for (const [owner, tasks] of this.waitingByOwner) {
      if (!this.canOwnerRun(owner)) continue;
      const score = usage(owner) - Math.floor((now - tasks.since) / WAIT_PER_TASK_MS);
      if (score < least) {
        next = [owner, tasks];
        least = score;
      }
      compared += 1;
      if (compared === MAX_COMPARED_OWNERS) break;
    }
    return next;
  }

  private limitsOf(owner: string): { running: number; waiting: number } {
    const unlimited = { running: Infinity, waiting: Infinity };
    return owner === NO_OWNER ? unlimited : (this.limits.perOwner ?? unlimited);
  }
}

const NO_OWNER = '';

/** Whether this is a reason of {@link busyError}. */
export function isBusyReason(reason: unknown): reason is 'OVERLOADED' | 'TOO_MANY_CONCURRENT_REQUESTS' {
  return reason === 'OVERLOADED' || reason === 'TOO_MANY_CONCURRENT_REQUESTS';
}

/** Returns the error for a task that waits, or would have to wait, too long. */
export function busyError(cause: WaitCause): ServiceError {
  return new ServiceError(cause === 'owner' ? 'TOO_MANY_CONCURRENT_REQUESTS' : 'OVERLOADED', { retryAfter: 2 });
}

/**
 * Limits concurrent tasks. Tasks have classes in the order of their priority: a free slot goes to the first class that
 * has a waiting task and may run it. A class never occupies the slots that other classes reserve, so a flood of one
 * class cannot stop the others. Within a class, the owner with the fewest recent tasks is next, so owners with many tasks
 * delay only each other.
 * `p-limit`, `p-queue` and `bottleneck` have neither reserves of classes nor turns of owners.
 */
export class Semaphore<TaskClass extends string> {
  private readonly queues: ReadonlyMap<TaskClass, TaskQueue>;
  private readonly slots: number;

  constructor(limits: Readonly<Record<TaskClass, SemaphoreLimits>>) {
    const entries = Object.entries(limits) as [TaskClass, SemaphoreLimits][];
    this.queues = new Map(entries.map(([name, classLimits]) => [name, new TaskQueue(classLimits)]));
    this.slots = Math.max(...entries.map(([, { running }]) => running));
  }

  /** True if no task runs or waits. */
  get isIdle(): boolean {
    return this.sum(({ running, waiting }) => running + waiting) === 0;
  }

  /** Number of waiting tasks of all classes. */
  get waitingCount(): number {
    return this.sum(({ waiting }) => waiting);
  }

  /**
   * Runs a task as soon as a slot is free.
   *
   * @throws ServiceError OVERLOADED immediately if too many tasks of this class wait
   * @throws ServiceError TOO_MANY_CONCURRENT_REQUESTS immediately if too many tasks of this owner wait
   * @throws the errors of `task`
   */
  async run<Result>(taskClass: TaskClass, task: () => Promise<Result>, options?: WaitOptions): Promise<Result> {
    const release = await this.acquire(taskClass, options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Checks that a task may run or wait.
   *
   * @throws ServiceError OVERLOADED if too many tasks of this class wait
   * @throws ServiceError TOO_MANY_CONCURRENT_REQUESTS if too many tasks of this owner wait
   */
  assertAccepting(taskClass: TaskClass, owner = NO_OWNER): void {
    const queue = this.queueOf(taskClass);
    if (this.canRun(queue) && queue.canOwnerRun(owner)) return;
    const refusal = queue.findRefusal(owner);
    if (refusal) throw busyError(refusal);
  }

  /**
   * Waits for a slot.
   *
   * @returns a function that frees the slot
   * @throws ServiceError OVERLOADED immediately if too many tasks of this class wait
   * @throws ServiceError TOO_MANY_CONCURRENT_REQUESTS immediately if too many tasks of this owner wait
   */
  async acquire(taskClass: TaskClass, { owner = NO_OWNER, ...timeout }: WaitOptions = {}): Promise<() => void> {
    const release = this.tryAcquire(taskClass, owner);
    if (release) return release;
    await this.wait(taskClass, owner, timeout);
    return this.releaseOf(this.queueOf(taskClass), owner);
  }

  /** Returns a function that frees the slot, or undefined if the task would have to wait. */
  tryAcquire(taskClass: TaskClass, owner = NO_OWNER): (() => void) | undefined {
    const queue = this.queueOf(taskClass);
    if (!this.canRun(queue) || !queue.canOwnerRun(owner)) return undefined;
    queue.begin(owner);
    return this.releaseOf(queue, owner);
  }

  private releaseOf(queue: TaskQueue, owner: string): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      queue.end(owner);
      this.startWaitingTasks();
    };
  }

  private async wait(taskClass: TaskClass, owner: string, { ms, error }: WaitOptions): Promise<void> {
    const queue = this.queueOf(taskClass);
    const refusal = queue.findRefusal(owner);
    if (refusal) throw error?.(refusal) ?? busyError(refusal);
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const expire = (): void => {
        queue.remove(owner, start);
        const cause = queue.canOwnerRun(owner) ? 'others' : 'owner';
        reject(error?.(cause) ?? busyError(cause));
      };
      const timer = ms === undefined ? undefined : setTimeout(expire, ms);
      queue.add(owner, start);
    });
  }

  /** Starts waiting tasks. Each slot is occupied immediately, so that a new task cannot overtake the waiting tasks. */
  private startWaitingTasks(): void {
    for (const queue of this.queues.values()) {
      while (this.canRun(queue) && queue.startNext());
    }
  }

  private canRun(queue: TaskQueue): boolean {
    const reservedForOthers = this.sum(({ unusedReserve }) => unusedReserve) - queue.unusedReserve;
    const free = this.slots - this.sum(({ running }) => running);
    return queue.running < queue.limits.running && free > reservedForOthers;
  }

  private queueOf(taskClass: TaskClass): TaskQueue {
    return this.queues.get(taskClass) as TaskQueue;
  }

  private sum(value: (queue: TaskQueue) => number): number {
    let sum = 0;
    for (const queue of this.queues.values()) sum += value(queue);
    return sum;
  }
}
