import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/** Why a component cannot be used. */
export interface ReadinessProblem {
  /** One sentence for the readiness response, without personal data. */
  readonly message: string;
  /** Message of the log line that reports the problem, if it is not that of the check. */
  readonly logMessage?: string;
  /** Fields of the log line that reports the problem. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ReadinessCheckOptions {
  /** Context of the log lines. */
  readonly name: string;
  /** Messages of the log lines when a problem begins and when it has ended. */
  readonly messages: { readonly failed: string; readonly recovered: string };
  /** Milliseconds for which a result is reused; {@link CHECK_INTERVAL_MS} by default. */
  readonly intervalMs?: number;
  /** Milliseconds after which a check that has not completed is a problem; {@link CHECK_TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
  /** Returns the current problem, if any; throws if that cannot be determined. */
  readonly check: () => Promise<ReadinessProblem | undefined>;
}

const CHECK_INTERVAL_MS = 5_000;
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Checks a component for the readiness response. The check may be expensive, because it runs only when readiness is
 * requested, and at most once per interval. The beginning and the end of each problem are logged once. A check that
 * does not complete is logged by itself: it neither ends nor repeats the problem that the previous check found.
 */
export class ReadinessCheck {
  private readonly logger: Logger;
  /** The result of the last completed check. */
  private problem: ReadinessProblem | undefined;
  /** Set while a check does not complete. */
  private delay: ReadinessProblem | undefined;
  private currentRun: Promise<unknown> | undefined;
  /** The result that concurrent callers of `findProblem` share. */
  private pendingResult: Promise<ReadinessProblem | undefined> | undefined;
  /** When the last result expires, milliseconds of the monotonic clock. */
  private validUntil = 0;

  constructor(private readonly options: ReadinessCheckOptions) {
    this.logger = new Logger(options.name);
  }

  /**
   * Returns the current problem, if any. If the check throws, the previous result remains. A check that does not
   * complete before the timeout is a problem, because the component would delay the work of the app as well.
   */
  async findProblem(): Promise<ReadinessProblem | undefined> {
    if (performance.now() < this.validUntil) return this.currentProblem;
    this.pendingResult ??= this.runWithTimeout().finally(() => (this.pendingResult = undefined));
    return this.pendingResult;
  }

  /**
   * Runs the check, even if the last result is recent.
   *
   * @throws the error of the check
   */
  async run(): Promise<ReadinessProblem | undefined> {
    const problem = await this.options.check();
    this.validUntil = performance.now() + (this.options.intervalMs ?? CHECK_INTERVAL_MS);
    this.reportDelay(undefined);
    this.report(problem);
    return problem;
  }

  private get currentProblem(): ReadinessProblem | undefined {
    return this.delay ?? this.problem;
  }

  private async runWithTimeout(): Promise<ReadinessProblem | undefined> {
    const { timeoutMs = CHECK_TIMEOUT_MS } = this.options;
    this.currentRun ??= this.run()
      .catch(() => undefined)
      .finally(() => (this.currentRun = undefined));
    const isComplete = await Promise.race([this.currentRun.then(() => true), sleep(timeoutMs, false, { ref: false })]);
    if (!isComplete) this.reportDelay({ message: `The check did not complete within ${timeoutMs} ms` });
    return this.currentProblem;
  }

  private reportDelay(delay: ReadinessProblem | undefined): void {
    const previous = this.delay;
    this.delay = delay;
    if (delay && !previous) this.logger.warn({ msg: 'Readiness check does not complete', reason: delay.message });
    if (!delay && previous) this.logger.log({ msg: 'Readiness check completes again' });
  }

  private report(problem: ReadinessProblem | undefined): void {
    const previous = this.problem;
    this.problem = problem;
    const { failed, recovered } = this.options.messages;
    if (problem && !previous)
      this.logger.error({ msg: problem.logMessage ?? failed, ...(problem.fields ?? { reason: problem.message }) });
    if (!problem && previous) this.logger.log({ msg: recovered });
  }
}
