import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/** Why a component cannot be used. */
export interface ReadinessProblem {
  /** One sentence for the readiness response, without personal data. */
  readonly message: string;
  /** Further fields of the log line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ReadinessCheckOptions {
  /** Context of the log lines. */
  readonly name: string;
  /** Messages of the log lines when a problem begins and when it has ended. */
  readonly messages: { readonly failed: string; readonly recovered: string };
  /** Milliseconds for which a result is reused; {@link CHECK_INTERVAL_MS} by default. */
  readonly intervalMs?: number;
  /** Milliseconds after which a check that has not completed is a problem; {@link TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
  /** Returns the current problem, if any; throws if that cannot be determined. */
  readonly check: () => Promise<ReadinessProblem | undefined>;
}

const CHECK_INTERVAL_MS = 5_000;
const TIMEOUT_MS = 2_000;

/**
 * A check of a component that readiness includes. The check runs only when readiness is requested, and at most once per
 * interval, so that it may cost something. The class logs each problem once when it begins and once when it ends.
 */
export class ReadinessCheck {
  private readonly logger: Logger;
  private problem: ReadinessProblem | undefined;
  private running: Promise<unknown> | undefined;
  private result: Promise<ReadinessProblem | undefined> | undefined;
  private validUntil = 0;

  constructor(private readonly options: ReadinessCheckOptions) {
    this.logger = new Logger(options.name);
  }

  /**
   * Returns the current problem, if any. A check that fails keeps the previous result. A check that does not complete in
   * time is a problem, because the work of the app would wait as well.
   */
  async findProblem(): Promise<ReadinessProblem | undefined> {
    if (performance.now() < this.validUntil) return this.problem;
    this.result ??= this.runInTime().finally(() => (this.result = undefined));
    return this.result;
  }

  /**
   * Runs the check, even if the last result is recent.
   *
   * @throws Error if the check fails
   */
  async run(): Promise<ReadinessProblem | undefined> {
    const problem = await this.options.check();
    this.validUntil = performance.now() + (this.options.intervalMs ?? CHECK_INTERVAL_MS);
    this.report(problem);
    return problem;
  }

  private async runInTime(): Promise<ReadinessProblem | undefined> {
    const { timeoutMs = TIMEOUT_MS } = this.options;
    this.running ??= this.run()
      .catch(() => undefined)
      .finally(() => (this.running = undefined));
    const isComplete = await Promise.race([this.running.then(() => true), sleep(timeoutMs, false, { ref: false })]);
    if (!isComplete) this.report({ message: `The check did not complete within ${timeoutMs} ms` });
    return this.problem;
  }

  private report(problem: ReadinessProblem | undefined): void {
    const previous = this.problem;
    this.problem = problem;
    const { failed, recovered } = this.options.messages;
    if (problem && !previous) this.logger.error({ msg: failed, ...(problem.fields ?? { reason: problem.message }) });
    if (!problem && previous) this.logger.log({ msg: recovered });
  }
}
