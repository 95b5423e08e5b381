import { runThroughputBenchmark } from './benches/b1-throughput.js';
import { runLatencyBenchmark } from './benches/b2-latency.js';
import { runConnectionBenchmark } from './benches/b3-connections.js';
import { runReconnectBenchmark } from './benches/b4-reconnect.js';
import { runLocationBenchmark } from './benches/b5-locations.js';
import { runGetChildBenchmark } from './benches/b6-get-child.js';
import { runUploadBenchmark } from './benches/b7-uploads.js';
import { runDownloadBenchmark } from './benches/b8-downloads.js';
import { runDeletionBenchmark } from './benches/b9-deletion.js';
import { runGrowthBenchmark } from './benches/growth.js';
import { runKillBenchmark } from './benches/kill.js';
import { runAttackBenchmark } from './benches/attack.js';
import { BenchContext } from './benches/bench-context.js';
import { readOptions, USAGE, type BenchName, type BenchOptions } from './options.js';
import { describeMachine, loadAverage } from './report/machine.js';
import { writeReport } from './report/record.js';
import { withoutTimeGoal, type BenchResult } from './report/result.js';
import { toTextTable } from './report/table.js';
import { runMain } from './run-main.js';

const BENCH_FUNCTIONS: Record<BenchName, (context: BenchContext) => Promise<BenchResult>> = {
  b1: runThroughputBenchmark,
  b2: runLatencyBenchmark,
  b3: runConnectionBenchmark,
  b4: runReconnectBenchmark,
  b5: runLocationBenchmark,
  b6: runGetChildBenchmark,
  b7: runUploadBenchmark,
  b8: runDownloadBenchmark,
  b9: runDeletionBenchmark,
  growth: runGrowthBenchmark,
  kill: runKillBenchmark,
  attack: runAttackBenchmark,
};

/**
 * Entry point of `npm run bench`. Exit codes: 0 all goals met; 1 a goal missed or an error; 2 invalid options. With
 * `--quick` only guarantees have goals.
 */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const before = loadAverage();
  const { results, database } = await measure(options);
  const lines = results.flatMap((result) => (options.quick ? result.lines.map(withoutTimeGoal) : result.lines));
  const report = {
    time: new Date().toISOString(),
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    machine: describeMachine(),
    database,
    load: { before, after: loadAverage() },
    results,
  };
  process.stdout.write(
    `${JSON.stringify(report)}\n\n${toTextTable(lines)}\n\nload average ${before} before, ${report.load.after} after\n`,
  );
  if (options.record) process.stdout.write(`results written to ${await writeReport(report)}\n`);
  return lines.every(({ passed }) => passed !== false) ? 0 : 1;
}

/** Runs the selected benches one after another. A signal ends the run after its databases and files are deleted. */
async function measure(options: BenchOptions): Promise<{ results: BenchResult[]; database: Record<string, string> }> {
  const results: BenchResult[] = [];
  let context: BenchContext | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void Promise.resolve(context?.close()).finally(() => process.exit(130)));
  let database: Record<string, string> = {};
  for (const name of options.benches) {
    context = await BenchContext.open(options, (text) => process.stderr.write(`${text}\n`));
    try {
      database = await (await context.createDatabase()).describe();
      results.push(await BENCH_FUNCTIONS[name](context));
    } finally {
      await context.close();
    }
  }
  return { results, database };
}

await runMain(main);
