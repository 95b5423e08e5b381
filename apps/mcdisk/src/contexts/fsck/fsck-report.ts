import type { Finding, FsckReport } from './finding.js';

/** Findings of one kind that are listed one by one. */
const LISTED = 20;

/** What an operator reads. */
export function reportText({ refused, stored, hashed, findings }: FsckReport): string {
  const lines = [
    `The store has ${stored.blobs} blobs with ${stored.bytes} bytes${hashed > 0 ? `; ${hashed} were hashed` : ''}.`,
    ...[...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, found]) => section(kind, found)),
    findings.length === 0 ? 'Store and database agree.' : closing(findings),
  ];
  if (refused !== undefined) lines.push(`Nothing was repaired: ${refused}.`);
  return `${lines.join('\n')}\n`;
}

function section(kind: string, found: readonly Finding[]): string[] {
  const shown = found.slice(0, LISTED);
  return [
    `${kind}: ${found.length}`,
    ...shown.map(({ subject, detail, repaired }) => `  ${subject}  ${detail}${repaired ? '  – repaired' : ''}`),
    ...(found.length > LISTED ? [`  and ${found.length - LISTED} more (--json lists all)`] : []),
  ];
}

function closing(findings: readonly Finding[]): string {
  const repaired = findings.filter((finding) => finding.repaired).length;
  return `${findings.length} findings, ${repaired} repaired.`;
}
