import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** Limits of one class of tasks. */
export interface SemaphoreLimits {
  /** Maximum number of concurrent tasks of this class and of all classes after it. */
  readonly running: number;
  /** Maximum number of waiting tasks of this class; unlimited by default. */
  readonly waiting?: number;
}

interface WaitingTask {
  start(): void;
}

/**
 * Limits concurrent tasks. Tasks have classes, in the order of their priority: a free slot goes to the first waiting
 * task of the first class that may run. A class with a smaller limit leaves the remaining slots to the classes before
 * it. `p-limit` and `async-mutex` have neither classes that share a limit nor a limit of waiting tasks.
 */
export class Semaphore<TaskClass extends string> {
  private readonly classes: readonly TaskClass[];
  private readonly running: Record<TaskClass, number>;
  private readonly queues: Record<TaskClass, WaitingTask[]>;

  constructor(private readonly limits: Readonly<Record<TaskClass, SemaphoreLimits>>) {
    this.classes = Object.keys(limits) as TaskClass[];
    this.running = Object.fromEntries(this.classes.map((name) => [name, 0])) as Record<TaskClass, number>;
    this.queues = Object.fromEntries(this.classes.map((name) => [name, []])) as unknown as Record<
      TaskClass,
      WaitingTask[]
    >;
  }

  /** Number of waiting tasks of all classes. */
  get waitingCount(): number {
    return this.classes.reduce((sum, name) => sum + this.queues[name].length, 0);
  }

  /**
   * Runs a task as soon as a slot is free.
   *
   * @throws ServiceError OVERLOADED immediately if too many tasks of this class wait
   * @throws the errors of `task`
   */
  async run<Result>(taskClass: TaskClass, task: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(taskClass);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Checks that a task may run or wait. @throws ServiceError OVERLOADED if too many tasks of this class wait */
  assertAccepting(taskClass: TaskClass): void {
    if (this.canRun(taskClass)) return;
    if (this.queues[taskClass].length >= (this.limits[taskClass].waiting ?? Infinity))
      throw new ServiceError('OVERLOADED', { retryAfter: 2 });
  }

  /**
   * Waits for a slot.
   *
   * @param timeout - longest wait in milliseconds, and the error after it
   * @returns a function that frees the slot
   * @throws ServiceError OVERLOADED immediately if too many tasks of this class wait
   */
  async acquire(taskClass: TaskClass, timeout?: { ms: number; error: () => Error }): Promise<() => void> {
    if (this.canRun(taskClass)) this.running[taskClass] += 1;
    else await this.wait(taskClass, timeout);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.running[taskClass] -= 1;
      this.startWaitingTasks();
    };
  }

  private async wait(taskClass: TaskClass, timeout?: { ms: number; error: () => Error }): Promise<void> {
    this.assertAccepting(taskClass);
    const queue = this.queues[taskClass];
    await new Promise<void>((resolve, reject) => {
      const waiting: WaitingTask = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = timeout && setTimeout(expire, timeout.ms, timeout.error);
      function expire(error: () => Error): void {
        queue.splice(queue.indexOf(waiting), 1);
        reject(error());
      }
      queue.push(waiting);
    });
  }

  /** Starts waiting tasks. Each slot is occupied immediately, so that a new task cannot overtake the waiting tasks. */
  private startWaitingTasks(): void {
    for (const taskClass of this.classes) {
      while (this.queues[taskClass].length > 0 && this.canRun(taskClass)) {
        this.running[taskClass] += 1;
        this.queues[taskClass].shift()?.start();
      }
    }
  }

  /** A running task counts against the limit of its own class and against the limits of the classes before it. */
  private canRun(taskClass: TaskClass): boolean {
    let running = 0;
    for (const name of this.classes.toReversed()) {
      running += this.running[name];
      const isLimitOfTask = this.classes.indexOf(name) <= this.classes.indexOf(taskClass);
      if (isLimitOfTask && running >= this.limits[name].running) return false;
    }
    return true;
  }
}
