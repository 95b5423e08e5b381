import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkHistory } from '../checker/check-history.js';
import type { GuaranteeViolation, History, DeliveryGuarantees } from '../checker/history.js';
import { mustBeZero, type ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';

const MAX_LOGGED_VIOLATIONS = 10;
const FINAL_ACKNOWLEDGEMENTS_WAIT_MS = 1_000;

/**
 * Waits until the gateway has stored the receivers' last acknowledgements, because it delivers unacknowledged messages
 * again to the next run.
 */
export function waitForFinalAcknowledgements(): Promise<void> {
  return sleep(FINAL_ACKNOWLEDGEMENTS_WAIT_MS);
}

/**
 * Writes the clients' history to files and checks the history. Logs and returns the violations. The history files are
 * kept when there is a violation.
 */
export async function verifyRun(
  context: BenchContext,
  run: string,
  history: History,
  guarantees?: DeliveryGuarantees,
): Promise<GuaranteeViolation[]> {
  const folder = join(context.folder, 'histories');
  await mkdir(folder, { recursive: true });
  await pipeline(Readable.from(toJsonLines(history)), createWriteStream(join(folder, `${run}.jsonl`)));
  const violations = checkHistory(history, guarantees);
  for (const { kind, source, what } of violations.slice(0, MAX_LOGGED_VIOLATIONS))
    context.log(`  ${run}: ${kind} at ${source}: ${what}`);
  if (violations.length > MAX_LOGGED_VIOLATIONS)
    context.log(`  ${run}: ${violations.length - MAX_LOGGED_VIOLATIONS} more violations`);
  if (violations.length > 0) context.keepFolder();
  return violations;
}

/** Returns the result line with the number of violations in all runs of a benchmark. */
export function violationsLine(bench: string, count: number): ResultLine {
  return mustBeZero(bench, 'violations found by the checker', count);
}

function* toJsonLines({ sent, sessions }: History): Generator<string> {
  for (const message of sent) yield `${JSON.stringify(message)}\n`;
  for (const { session, conversations, events } of sessions) {
    for (const event of events) yield `${JSON.stringify({ session, conversations, ...event })}\n`;
  }
}
