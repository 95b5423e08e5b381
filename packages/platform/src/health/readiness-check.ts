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
  /** Returns the current problem, if any; throws if that cannot be determined. */
  readonly check: () => Promise<ReadinessProblem | undefined>;
}

const CHECK_INTERVAL_MS = 5_000;

/**
 * A check of a component that readiness includes. The check runs only when readiness is requested, and at most once per
 * interval, so that it may cost something. It logs each problem once, and its end.
 */
export class ReadinessCheck {
  private readonly logger: Logger;
  private problem: ReadinessProblem | undefined;
  private running: Promise<ReadinessProblem | undefined> | undefined;
  private validUntil = 0;

  constructor(private readonly options: ReadinessCheckOptions) {
    this.logger = new Logger(options.name);
  }

  /** Returns the problem that the last check found, if any. A check that fails keeps the previous result. */
  async findProblem(): Promise<ReadinessProblem | undefined> {
    if (performance.now() < this.validUntil) return this.problem;
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<ReadinessProblem | undefined> {
    const previous = this.problem;
    try {
      this.problem = await this.options.check();
    } catch {
      return previous;
    }
    this.validUntil = performance.now() + (this.options.intervalMs ?? CHECK_INTERVAL_MS);
    const { failed, recovered } = this.options.messages;
    if (this.problem && !previous) this.logger.error({ msg: failed, ...this.problem.fields });
    if (!this.problem && previous) this.logger.log({ msg: recovered });
    return this.problem;
  }
}
