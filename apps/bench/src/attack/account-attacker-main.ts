import type { AccountScenarioName } from '../options.js';
import { ACCOUNT_SCENARIOS, type AccountAttack, type AttackingAccount } from './account-scenarios.js';
import { StatusCounts, type AttackTarget } from './raw-client.js';

/** Target and accounts of a scenario; the first argument of the program, as JSON. */
export interface AccountAttackOptions extends AttackTarget {
  scenario: AccountScenarioName;
  accounts: AttackingAccount[];
  /** Fraction of the connections. */
  scale: number;
}

/** What the accounts have sent; written to standard output after SIGTERM, as JSON. */
export interface AccountAttackReport {
  seconds: number;
  /** Number of requests by kind and result, and of connections and frames. */
  counts: Record<string, number>;
  cpuSeconds: number;
}

/** Lets accounts misbehave, in a process of its own, until SIGTERM. */
async function main({ scenario, accounts, scale, host, port }: AccountAttackOptions): Promise<void> {
  const counts = new StatusCounts();
  const size = (full: number): number => Math.ceil(full * scale);
  const attack: AccountAttack = { target: { host, port }, accounts, measurements: [], counts, size };
  await ACCOUNT_SCENARIOS[scenario].begin(attack);
  const startedAt = performance.now();
  process.once('SIGTERM', () => {
    for (const { name, result } of attack.measurements) counts.add(`${name} with ${result}`);
    const cpu = process.cpuUsage();
    const report: AccountAttackReport = {
      seconds: (performance.now() - startedAt) / 1_000,
      counts: counts.counts,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    };
    process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
  });
  process.stdout.write('the attack has begun\n');
}

await main(JSON.parse(process.argv[2] ?? '') as AccountAttackOptions);
