import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { createFamilies } from '../load/registered-family.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { ChaosEnvironment } from './chaos-environment.js';
import type { ChaosOptions } from './chaos-options.js';
import { FamilyLoad, type AcknowledgedMessage } from './family-load.js';
import { FaultRunner } from './fault-runner.js';
import { planFaults } from './fault-plan.js';
import { readFinalState, replayMailbox } from './final-state.js';
import { HistoryLog } from './history-log.js';

/** Time limit of pending operations, recovery and delivery after the last fault. */
const RECOVERY_LIMIT_MS = 120_000;

/** Value of the field `level` in log lines of the level `error`. */
const ERROR_LEVEL = 50;

/** One fault run: puts load on the distributed service, injects faults, and reads the state at the end. */
export class ChaosRun {
  private readonly acknowledgedMessages: AcknowledgedMessage[] = [];
  private familyLoads: FamilyLoad[] = [];

  private constructor(
    private readonly options: ChaosOptions,
    private readonly environment: ChaosEnvironment,
    private readonly history: HistoryLog,
    private readonly log: (text: string) => void,
  ) {}

  /** @returns the file with the history of the run; the logs of the apps are in `<file>.log` */
  static async execute(options: ChaosOptions, log: (text: string) => void): Promise<string> {
    const file = options.history ?? join(await mkdtemp(join(tmpdir(), 'family-watch-history-')), 'history.jsonl');
    const history = new HistoryLog(file);
    const starting = ChaosEnvironment.start();
    const stop = async () => (await starting).stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => void stop().finally(() => process.exit(130)));
    const environment = await starting;
    const startedAt = Date.now();
    const logWithTime = (text: string) =>
      log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${text}`);
    const run = new ChaosRun(options, environment, history, logWithTime);
    try {
      await run.prepare();
      await run.injectFaults();
      await run.recover();
      await run.readFinalStates(startedAt);
      run.printLoggedErrors();
    } finally {
      for (const load of run.familyLoads) load.close();
      try {
        await history.close();
        await writeFile(`${file}.log`, environment.service.logs.join('\n'));
      } finally {
        // The logs of the apps are copied before the service stops, because stopping it deletes their directory.
        await environment.stop();
      }
    }
    return file;
  }

  private get endpoint(): ServerEndpoint {
    const { hostname, port } = new URL(this.environment.service.url);
    return { host: hostname, port: Number(port) };
  }

  private async prepare(): Promise<void> {
    const { url, dataDir } = this.environment.service;
    const families = await createFamilies(url, dataDir, this.options.families);
    this.familyLoads = families.map(
      (family) => new FamilyLoad(family, this.endpoint, this.history, this.acknowledgedMessages),
    );
    await Promise.all(this.familyLoads.map((load) => load.connect()));
    for (const load of this.familyLoads) load.start();
    this.log(`${families.length} families use the service, seed ${this.options.seed}`);
  }

  private async injectFaults(): Promise<void> {
    const faults = new FaultRunner(this.environment, this.history, this.log);
    const end = Date.now() + this.options.minutes * 60_000;
    for (const fault of planFaults(this.options.seed)) {
      await sleep(fault.pauseMs);
      if (Date.now() > end) break;
      await faults.run(fault);
    }
    faults.recordExits();
    this.history.write({ kind: 'load-stopped' });
  }

  /**
   * Waits until all operations are acknowledged, all processes are ready, and all messages and notices are delivered.
   * Anything that is missing after the time limit is recorded, and the checker reports it as a violation.
   */
  private async recover(): Promise<void> {
    this.log('waiting until all operations are acknowledged and all messages are delivered');
    await Promise.all(this.familyLoads.map((load) => load.finish(RECOVERY_LIMIT_MS)));
    for (const [what, condition] of [
      ['all processes are ready', () => this.environment.isHealthy()],
      ['all messages are delivered', () => Promise.resolve(this.countUndelivered() === 0)],
      ['all notices are delivered', () => this.areNoticesDelivered()],
    ] as const) {
      const check = async () => {
        if (!(await condition())) throw new Error(`Not within ${RECOVERY_LIMIT_MS / 1_000} s: ${what}`);
      };
      // Unlike `waitUntil`, `waitFor` repeats a condition whose request to the service failed.
      await waitFor(check, RECOVERY_LIMIT_MS).catch((error: unknown) => {
        this.history.write({ kind: 'unfinished', actor: 'service', what: String(error) });
      });
    }
    for (const load of this.familyLoads) load.close();
  }

  private async areNoticesDelivered(): Promise<boolean> {
    return (await Promise.all(this.familyLoads.map((load) => load.areNoticesDelivered()))).every(Boolean);
  }

  private countUndelivered(): number {
    let count = 0;
    for (const { client, receivedClientMsgIds } of this.familyLoads.flatMap(({ sessions }) => sessions)) {
      const conversationIds = new Set(client.conversationIds);
      for (const { clientMsgId, conversationId, sender } of this.acknowledgedMessages)
        if (
          conversationIds.has(conversationId) &&
          sender !== client.principal &&
          !receivedClientMsgIds.has(clientMsgId)
        )
          count += 1;
    }
    return count;
  }

  /** Prints how often the apps logged each error, which helps to explain a violation. */
  private printLoggedErrors(): void {
    const counts = new Map<string, number>();
    for (const line of this.environment.service.logs.filter((each) => each.startsWith('{'))) {
      const { level, msg, err } = JSON.parse(line) as { level: number; msg: string; err?: { message?: string } };
      const text = err?.message === undefined ? msg : `${msg}: ${err.message}`;
      if (level >= ERROR_LEVEL) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    for (const [text, count] of counts) this.log(`logged ${count} times: ${text}`);
  }

  private async readFinalStates(since: number): Promise<void> {
    this.log('reading the final state');
    for (const { family, sessions } of this.familyLoads) {
      for (const live of sessions) await replayMailbox(live, this.endpoint, this.history);
      await readFinalState(family, this.history, since);
    }
  }
}
