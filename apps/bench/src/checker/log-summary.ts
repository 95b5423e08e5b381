import type { LogCheck } from './check-log.js';
import type { ViolationKind } from './history.js';
import type { OperationKind } from './log-entries.js';

const MAX_LISTED_VIOLATIONS = 50;

/** Kinds of violations that the summary counts as lost, doubled or reordered; it counts all other kinds together. */
const VIOLATION_CATEGORIES: Record<'lost' | 'doubled' | 'reordered', ViolationKind[]> = {
  lost: ['lost', 'gap', 'reset', 'unfinished'],
  doubled: ['duplicate'],
  reordered: ['order', 'disagreement'],
};

/** Returns the summary of a fault run as text: violations, faults, acknowledged operations and unavailability. */
export function summarize({ violations, acknowledged, faults }: LogCheck): string {
  const lines = violations
    .slice(0, MAX_LISTED_VIOLATIONS)
    .map(({ kind, source, what }) => `✗ ${kind}: ${source}: ${what}`);
  if (violations.length > lines.length) lines.push(`✗ ${violations.length - lines.length} more violations`);
  const counts = new Map<string, number>();
  for (const { fault } of faults) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  lines.push(`faults: ${faults.length}`, ...[...counts].toSorted().map(([fault, count]) => `  ${fault}: ${count}`));
  const operations = Object.entries(acknowledged);
  const total = operations.reduce((sum, [, count]) => sum + count, 0);
  lines.push(`acknowledged operations: ${total} (${operations.map(([kind, count]) => `${kind} ${count}`).join(', ')})`);
  lines.push('longest time without an acknowledgement:');
  for (const kind of Object.keys(acknowledged) as OperationKind[])
    lines.push(`  ${kind}: ${formatLongestUnavailability(faults, kind)}`);
  const countOf = (kinds: readonly ViolationKind[]) => violations.filter(({ kind }) => kinds.includes(kind)).length;
  const categories = Object.entries(VIOLATION_CATEGORIES).map(([name, kinds]) => `${countOf(kinds)} ${name}`);
  const other = violations.length - countOf(Object.values(VIOLATION_CATEGORIES).flat());
  lines.push(`${categories.join(', ')}, ${other} other violations`);
  return `${lines.join('\n')}\n`;
}

function formatLongestUnavailability(faults: LogCheck['faults'], kind: OperationKind): string {
  const [worst] = faults.toSorted((one, other) => (other.unavailableMs[kind] ?? 0) - (one.unavailableMs[kind] ?? 0));
  if (!worst) return '-';
  return `${((worst.unavailableMs[kind] ?? 0) / 1_000).toFixed(1)} s (${worst.fault}, ${worst.target})`;
}
