import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkHistory } from '../checker/check-history.js';
import type { GuaranteeViolation, History, DeliveryGuarantees } from '../checker/history.js';
import type { ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';

const SHOWN = 10;

/** Writes down what the clients saw, checks it, and says what is wrong; after a fault the files are kept. */
export async function verifyRun(
  context: BenchContext,
  run: string,
  history: History,
  promises?: DeliveryGuarantees,
): Promise<GuaranteeViolation[]> {
  const folder = join(context.folder, 'histories');
  await mkdir(folder, { recursive: true });
  await pipeline(Readable.from(linesOf(history)), createWriteStream(join(folder, `${run}.jsonl`)));
  const faults = checkHistory(history, promises);
  for (const { kind, where, what } of faults.slice(0, SHOWN)) context.say(`  ${run}: ${kind} at ${where}: ${what}`);
  if (faults.length > SHOWN) context.say(`  ${run}: and ${faults.length - SHOWN} more`);
  if (faults.length > 0) context.keepFolder();
  return faults;
}

/** What the table says of all runs of a bench. */
export function faultsLine(bench: string, faults: number): ResultLine {
  return { bench, what: 'faults found by the checker', value: String(faults), goal: '0', passed: faults === 0 };
}

function* linesOf({ sent, sessions }: History): Generator<string> {
  for (const message of sent) yield `${JSON.stringify(message)}\n`;
  for (const { session, conversations, events } of sessions) {
    for (const event of events) yield `${JSON.stringify({ session, conversations, ...event })}\n`;
  }
}
