import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkLog } from './check-log.js';
import { summarize } from './log-summary.js';
import type { LogEntry } from './log-entries.js';

/**
 * Checks the history of a fault run: `node apps/bench/dist/checker/main.js <history.jsonl>`. Exit codes: 0 without a
 * violation, 1 with violations, 2 if the file cannot be read.
 */
async function main(file: string | undefined): Promise<number> {
  if (file === undefined) {
    process.stderr.write('Give the history of a fault run as the only argument.\n');
    return 2;
  }
  const entries: LogEntry[] = [];
  for await (const line of createInterface({ input: createReadStream(file) }))
    entries.push(JSON.parse(line) as LogEntry);
  const check = checkLog(entries);
  process.stdout.write(summarize(check));
  return check.violations.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
