import type { Finding, FsckReport } from './finding.js';

/** Maximum number of findings listed per kind. */
const MAX_FINDINGS_PER_KIND = 20;

/** Formats the report for an operator. */
export function formatFsckReport({ refused, stored, hashed, findings }: FsckReport): string {
  const lines = [
    `The store has ${stored.blobs} blobs with ${stored.bytes} bytes${hashed > 0 ? `; ${hashed} hashed` : ''}.`,
    ...[...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, found]) => formatKind(kind, found)),
    findings.length === 0 ? 'Store and database agree.' : formatSummary(findings),
  ];
  if (refused !== undefined) lines.push(`Nothing was repaired: ${refused}.`);
  return `${lines.join('\n')}\n`;
}

function formatKind(kind: string, found: readonly Finding[]): string[] {
  const shown = found.slice(0, MAX_FINDINGS_PER_KIND);
  return [
    `${kind}: ${found.length}`,
    ...shown.map(({ subject, detail, repaired }) => `  ${subject}  ${detail}${repaired ? '  – repaired' : ''}`),
    ...(found.length > MAX_FINDINGS_PER_KIND
      ? [`  and ${found.length - MAX_FINDINGS_PER_KIND} more (--json lists all)`]
      : []),
  ];
}

function formatSummary(findings: readonly Finding[]): string {
  const repaired = findings.filter((finding) => finding.repaired).length;
  return `${findings.length} findings, ${repaired} repaired.`;
}
