import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkHistory } from '../checker/check-history.js';
import type { Fault, History, Promises } from '../checker/history.js';
import type { BenchContext } from './bench-context.js';

const SHOWN = 10;

/** Writes down what the clients saw, checks it, and says what is wrong. */
export async function verdictOn(
  context: BenchContext,
  run: string,
  history: History,
  promises?: Promises,
): Promise<Fault[]> {
  const folder = join(context.folder, 'histories');
  await mkdir(folder, { recursive: true });
  const lines = [...history.sent, ...history.sessions].map((each) => JSON.stringify(each));
  await writeFile(join(folder, `${run}.jsonl`), `${lines.join('\n')}\n`);
  const faults = checkHistory(history, promises);
  for (const { kind, where, what } of faults.slice(0, SHOWN)) context.say(`  ${run}: ${kind} at ${where}: ${what}`);
  if (faults.length > SHOWN) context.say(`  ${run}: and ${faults.length - SHOWN} more`);
  return faults;
}
