import { setTimeout as sleep } from 'node:timers/promises';
import { FuzzCallers } from './callers.js';
import { readDocuments, type Documents } from './documents.js';
import type { Finding } from './finding.js';
import { describeFinding, type FuzzReport } from './fuzz-report.js';
import { runFrames } from './frame-iteration.js';
import type { FuzzOptions, Iteration, IterationKind } from './fuzz-options.js';
import { RandomChoice } from './random-choice.js';
import { runRequest } from './request-iteration.js';
import { repeatIfDisconnected, type FuzzTarget, type MemoryFigures, type OperatorCredentials } from './target.js';

const CONCURRENT: Readonly<Record<IterationKind, number>> = { request: 8, frame: 10 };
/** Iterations after which new families replace the previous ones, whose resources the iterations change and delete. */
const ITERATIONS_PER_CALLERS = 5_000;
/** Iterations with a rejected token after which the families are replaced early. */
const MAX_UNAUTHORIZED = 200;
const MAX_OPERATOR_SIGN_INS = 10;
const LOG_INTERVAL_MS = 1_000;
const PROGRESS_INTERVAL_MS = 30_000;
/**
 * A response that does not arrive is no finding if the service has waited for a processor for more than this part of the
 * time: then the machine is too busy to measure the service.
 */
const MAX_PROCESSOR_WAIT = 0.5;
/** Part of the run after which the memory is measured for the first time. */
const WARM_UP = 0.25;
const MAX_MEMORY_GROWTH = 0.1;
/** Fewer bytes are within the noise of a measurement. */
const MIN_MEMORY_GROWTH_BYTES = 16 * 1024 * 1024;

/** Runs the iterations of a seed against a service. */
export class FuzzRun {
  private readonly findings: Finding[] = [];
  private readonly iterations: Record<IterationKind, number> = { request: 0, frame: 0 };
  private readonly outcomes: Record<string, number> = {};
  private readonly called = new Set<string>();
  private readonly accepted = new Set<string>();
  private readonly started = performance.now();
  private callers!: FuzzCallers;
  private replacing: Promise<void> | undefined;
  private frames = 0;
  private unauthorized = 0;
  private sinceReplacement = 0;
  private operatorSignIns = 0;
  private operator: OperatorCredentials | undefined;
  private before: MemoryFigures | undefined;

  private constructor(
    private readonly options: FuzzOptions,
    private readonly target: FuzzTarget,
    private readonly documents: Documents,
    private readonly print: (text: string) => void,
  ) {}

  static async execute(options: FuzzOptions, target: FuzzTarget, print: (text: string) => void): Promise<FuzzReport> {
    const run = new FuzzRun(options, target, await readDocuments(target.url), print);
    await run.replaceCallers();
    if (options.only) await run.runIteration(options.only);
    else await run.runAll();
    return run.finish();
  }

  private async runAll(): Promise<void> {
    const end = new AbortController();
    const watching = this.watch(end.signal);
    const workers = (['request', 'frame'] as const).flatMap((kind) =>
      Array.from({ length: CONCURRENT[kind] }, () => this.work(kind)),
    );
    await Promise.all(workers);
    end.abort();
    await watching;
  }

  /** Executes iterations of a kind until the run ends. */
  private async work(kind: IterationKind): Promise<void> {
    const isDone = () =>
      kind === 'request' ? this.iterations.request >= this.options.requests : this.frames >= this.options.frames;
    while (!isDone() && !this.isOver()) {
      const index = this.iterations[kind]++;
      await this.measureAfterWarmUp();
      if (this.sinceReplacement >= ITERATIONS_PER_CALLERS || this.unauthorized > MAX_UNAUTHORIZED)
        this.replacing ??= this.replaceCallers();
      await this.replacing;
      this.sinceReplacement += 1;
      await this.runIteration({ kind, index });
    }
  }

  private async runIteration(iteration: Iteration): Promise<void> {
    const { kind, index } = iteration;
    const { seed } = this.options;
    const random = new RandomChoice(
      Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, kind === 'frame' ? 0x85ebca6b : 0xc2b2ae35),
    );
    const wasStarved = this.watchProcessorWait();
    const reportUnlessStarved = (finding: Finding | undefined, isTimeout: boolean) => {
      if (isTimeout && wasStarved()) this.count('timeout while the service waited for a processor');
      else if (finding) this.report({ ...finding, iteration });
    };
    try {
      if (kind === 'frame') {
        const { kind: outcome, sent, finding } = await runFrames(this.callers, random);
        this.count(outcome);
        this.frames += sent;
        reportUnlessStarved(finding, finding?.output === 'timeout');
      } else {
        const result = await runRequest(this.callers, random, `fuzz-${seed}-${index}`);
        this.count(String(result.outcome));
        this.called.add(result.operation);
        if (result.isUnauthorized) this.unauthorized += 1;
        reportUnlessStarved(result.finding, result.outcome === 'timeout');
      }
    } catch (error) {
      // Such as a refused connection: the watch finds a process that has ended.
      this.count(`failed: ${error instanceof Error ? error.message.slice(0, 60) : String(error)}`);
      if (this.iterations[kind] > 0 && !(await this.isAlive()))
        this.report({ iteration, what: 'the service does not respond', input: '', output: String(error) });
    }
  }

  /** Returns a function that returns whether the service has mainly waited for a processor since this call. */
  private watchProcessorWait(): () => boolean {
    const { process: own } = this.target;
    const waitedBefore = own?.processorWaitMs ?? 0;
    const startedAt = performance.now();
    return () => (own?.processorWaitMs ?? 0) - waitedBefore > (performance.now() - startedAt) * MAX_PROCESSOR_WAIT;
  }

  /** Creates new families, and signs the operator in again, whose session ends after an hour. */
  private async replaceCallers(): Promise<void> {
    if (!this.operator || this.operatorSignIns >= MAX_OPERATOR_SIGN_INS) {
      this.operator = await FuzzCallers.createOperator(this.target);
      this.operatorSignIns = 0;
    }
    this.operatorSignIns += 1;
    this.callers = await FuzzCallers.create(this.target, this.documents, this.options, this.operator);
    for (const id of this.callers.accepted) this.accepted.add(id);
    this.unauthorized = 0;
    this.sinceReplacement = 0;
    this.replacing = undefined;
  }

  /** Reports errors in the log and the end of the process while the iterations run. */
  private async watch(signal: AbortSignal): Promise<void> {
    let printed = performance.now();
    while (!signal.aborted) {
      await sleep(LOG_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      await this.checkProcess();
      if (performance.now() - printed > PROGRESS_INTERVAL_MS) {
        printed = performance.now();
        this.print(`${this.iterations.request} requests, ${this.frames} frames, ${this.findings.length} findings`);
      }
    }
  }

  private async checkProcess(): Promise<void> {
    const own = this.target.process;
    if (!own) return;
    for (const line of await own.readErrors()) {
      const [, index] = /"requestId":"fuzz-\d+-(\d+)"/.exec(line) ?? [];
      const iteration: Iteration | undefined =
        index === undefined ? undefined : { kind: 'request', index: Number(index) };
      this.report({
        ...(iteration ? { iteration } : {}),
        what: 'error in the log',
        input: '',
        output: line.slice(0, 2_000),
      });
    }
    if (!own.isRunning) this.report({ what: 'the process has ended', input: '', output: '' });
  }

  private async measureAfterWarmUp(): Promise<void> {
    if (this.before || this.progress() < WARM_UP) return;
    this.before = { usedBytes: 0, residentBytes: 0 };
    const measured = await this.target.process?.measureMemory();
    if (measured) Object.assign(this.before, measured);
  }

  private async finish(): Promise<FuzzReport> {
    await this.checkProcess();
    const after = this.target.process?.isRunning ? await this.target.process.measureMemory() : undefined;
    const before = this.before?.usedBytes ? this.before : undefined;
    if (before && after) {
      const growth = after.usedBytes - before.usedBytes;
      if (growth > before.usedBytes * MAX_MEMORY_GROWTH && growth > MIN_MEMORY_GROWTH_BYTES)
        this.report({ what: `memory grew by ${growth} bytes`, input: '', output: JSON.stringify({ before, after }) });
    }
    return {
      findings: this.findings,
      iterations: this.iterations,
      frames: this.frames,
      outcomes: this.outcomes,
      operations: {
        called: this.called.size,
        accepted: this.accepted.size,
        declared: this.documents.operations.length,
      },
      ...(before && after ? { memory: { before, after } } : {}),
    };
  }

  private report(finding: Finding): void {
    this.findings.push(finding);
    this.print(`${describeFinding(finding, this.options)}\n`);
  }

  private count(outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }

  private isOver(): boolean {
    return this.progress() >= 1 || this.target.process?.isRunning === false;
  }

  /** Part of the run that is done, from 0 to 1. */
  private progress(): number {
    const { minutes, requests, frames } = this.options;
    const byTime = minutes === undefined ? 0 : (performance.now() - this.started) / (minutes * 60_000);
    const total = requests + frames;
    const byCount = Number.isFinite(total) ? (this.iterations.request + this.frames - 1) / total : 0;
    return Math.max(byTime, Math.min(byCount, 0.999));
  }

  private async isAlive(): Promise<boolean> {
    try {
      const url = `${this.target.url}/health/live`;
      return (await repeatIfDisconnected(() => fetch(url, { signal: AbortSignal.timeout(10_000) }))).ok;
    } catch {
      return false;
    }
  }
}
