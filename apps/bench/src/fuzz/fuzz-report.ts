import type { Finding } from './finding.js';
import type { FuzzOptions, Iteration, IterationKind } from './fuzz-options.js';
import type { MemoryFigures } from './target.js';

/** Counts of a run, and what the service did not withstand. */
export interface FuzzReport {
  findings: readonly Finding[];
  iterations: Readonly<Record<IterationKind, number>>;
  /** Number of events, packets and raw requests that the iterations on sockets have sent. */
  frames: number;
  /** Number of responses by status, and of requests without a response by their reason. */
  outcomes: Readonly<Record<string, number>>;
  /** Operations that were called at least once, and those that accepted a valid request. */
  operations: { called: number; accepted: number; declared: number };
  memory?: { before: MemoryFigures; after: MemoryFigures };
}

/** Returns the text that ends a run: the counts, and after them the findings. */
export function describeReport({ findings, ...counts }: FuzzReport, options: FuzzOptions): string {
  const { iterations, frames } = counts;
  const sum = `${iterations.request} requests, ${frames} frames, ${findings.length} findings`;
  return [
    JSON.stringify(counts, undefined, 2),
    `seed ${options.seed}: ${sum}`,
    ...findings.map((finding) => `\n${describeFinding(finding, options)}`),
  ].join('\n');
}

/** Returns the text of a finding, which ends with the command that repeats it. */
export function describeFinding({ iteration, what, input, output }: Finding, options: FuzzOptions): string {
  return [`✗ ${what}`, ...(input === '' ? [] : [input]), `→ ${output}`, commandOf(options, iteration)].join('\n');
}

/** Returns the command that repeats an iteration, or the whole run for a finding that belongs to no single iteration. */
function commandOf({ seed, minutes, requests, frames, url, dataDir, only }: FuzzOptions, iteration = only): string {
  const run = { minutes, requests: countOf(requests), frames: countOf(frames) };
  const selection = iteration ? { only: nameOf(iteration) } : run;
  const values = Object.entries({ seed, ...selection, url, 'data-dir': dataDir });
  const texts = values.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  return `npm run bench -- fuzz ${texts.join(' ')}`;
}

/** Returns undefined for a number that was not given. */
function countOf(limit: number): number | undefined {
  return Number.isFinite(limit) && limit > 0 ? limit : undefined;
}

function nameOf({ kind, index }: Iteration): string {
  return `${kind}:${index}`;
}
