import { setTimeout as sleep } from 'node:timers/promises';
import { PROCESS_NAMES, type ProcessName } from '@family-watch/testing/service/distributed-service';
import type { ChaosEnvironment } from './chaos-environment.js';
import type { Fault } from './fault-plan.js';
import type { HistoryLog } from './history-log.js';

/** Restart order of a rolling deployment: gateways first, so that clients of the old gateways reconnect only once. */
const ROLLING_RESTART_ORDER: readonly ProcessName[] = ['gateway-1', 'gateway-2', 'userctx', 'mcdisk'];

/** Number of starts after which the run fails because a process ends by itself after each start. */
const MAX_START_ATTEMPTS = 5;

/** Executes faults one after the other and records them. */
export class FaultRunner {
  constructor(
    private readonly environment: ChaosEnvironment,
    private readonly history: Pick<HistoryLog, 'write'>,
    private readonly log: (text: string) => void,
  ) {}

  /** Executes a fault. Resolves when the cause of the fault has ended, not when the service has recovered. */
  async run(fault: Fault): Promise<void> {
    const target = targetOf(fault);
    const { kind } = fault;
    this.recordExits();
    this.history.write({ kind: 'fault', fault: kind, target });
    this.log(`${kind}: ${target}`);
    await this.execute(fault);
  }

  /** Records processes that ended by themselves. */
  recordExits(): void {
    for (const name of PROCESS_NAMES) {
      if (!this.environment.service.isRunning(name)) this.history.write({ kind: 'process-exited', process: name });
    }
  }

  /**
   * Starts a process and waits until it is ready. If the process ends by itself, starts it again, as an
   * orchestrator does.
   *
   * @throws the error of the last attempt
   */
  private async start(name: ProcessName): Promise<void> {
    const { service } = this.environment;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await service.restart(name);
        return;
      } catch (error) {
        this.log(`  ${String(error).split('\n')[0]}`);
        if (service.isRunning(name)) return;
        this.history.write({ kind: 'process-exited', process: name });
        if (attempt === MAX_START_ATTEMPTS) throw error;
      }
    }
  }

  private async execute({ kind, process, durationMs, isDataLost }: Fault): Promise<void> {
    const { environment } = this;
    const { service } = environment;
    switch (kind) {
      case 'process killed':
        await service.kill(process);
        await this.start(process);
        break;
      case 'process stopped':
        service.signal(process, 'SIGSTOP');
        await sleep(durationMs);
        service.signal(process, 'SIGCONT');
        break;
      case 'rolling restart':
        for (const name of ROLLING_RESTART_ORDER) {
          const exitCode = await service.terminate(name);
          if (exitCode !== 0) this.log(`  ${name} ended with exit code ${String(exitCode)}`);
          await this.start(name);
        }
        break;
      case 'NATS killed':
        await environment.killNats();
        await sleep(durationMs);
        await environment.restartNats();
        break;
      case 'NATS wiped':
        await environment.killNats();
        await environment.wipeNats();
        await environment.restartNats();
        break;
      case 'database crashed':
        await environment.crashDatabase();
        break;
      case 'database frozen':
        environment.signalDatabase('SIGSTOP');
        await sleep(durationMs);
        environment.signalDatabase('SIGCONT');
        break;
      case 'edge restarted':
        await service.restartEdge();
        break;
      case 'NATS silent':
      case 'database silent': {
        const link = environment.links[process][kind === 'NATS silent' ? 'nats' : 'database'];
        link.freeze();
        await sleep(durationMs);
        if (isDataLost) link.block();
        link.unfreeze();
        link.unblock();
        break;
      }
    }
  }
}

function targetOf({ kind, process, durationMs, isDataLost }: Fault): string {
  const duration = `${(durationMs / 1_000).toFixed(1)} s`;
  switch (kind) {
    case 'process killed':
      return process;
    case 'process stopped':
      return `${process}, ${duration}`;
    case 'NATS silent':
    case 'database silent':
      return `${process}, ${duration}, data ${isDataLost ? 'lost' : 'delayed'}`;
    case 'NATS killed':
    case 'database frozen':
      return duration;
    default:
      return 'all';
  }
}
