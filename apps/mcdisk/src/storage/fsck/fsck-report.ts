/** Kinds of inconsistency between store and database, most severe first. */
export const FINDING = {
  /** The store identities differ: store and database do not belong together, which may cause all other findings. */
  STORE_MARK: 'STORE_MARK',
  /**
   * A blob has no bytes in the store, so the contents or firmware image that refer to it are lost. Reported
   * only, never repaired.
   */
  MISSING_BYTES: 'MISSING_BYTES',
  WRONG_SIZE: 'WRONG_SIZE',
  WRONG_DIGEST: 'WRONG_DIGEST',
  /** A content or firmware image refers to a blob that was deleted, or a content to a blob of another cloud. */
  CONTENT_WITHOUT_BLOB: 'CONTENT_WITHOUT_BLOB',
  /** A folder's stored path does not match its parent, or belongs to another cloud. */
  CATALOG_CHAIN: 'CATALOG_CHAIN',
  /** The usage counters of a cloud differ from the sums over its contents and uploads. */
  QUOTA: 'QUOTA',
  /** The bytes of a rendition, or of its source, are deleted or lost. */
  RENDITION: 'RENDITION',
  /** A blob is still staged although its upload ended long ago. */
  STUCK_STAGED: 'STUCK_STAGED',
  /** The deletion of a blob was begun but never finished. */
  STUCK_DELETING: 'STUCK_DELETING',
  /** Bytes in the store are older than an hour and have no row in the database. */
  ORPHAN: 'ORPHAN',
} as const;
export type FindingKind = (typeof FINDING)[keyof typeof FINDING];

/** A single inconsistency. */
export interface Finding {
  kind: FindingKind;
  /** Key of a blob, or id of a content, firmware image, folder or cloud. */
  subject: string;
  detail: string;
  repaired: boolean;
}

/** The result of a consistency check. */
export interface FsckReport {
  /** Reason why the requested repair was not run, otherwise `undefined`. */
  refused?: string;
  /** Number of promoted blobs in the store, and the total size of these blobs in bytes. */
  stored: { blobs: number; bytes: number };
  /** Number of blobs whose bytes were read and hashed. */
  hashed: number;
  findings: Finding[];
}

/** Options of a check: whether to repair, how many blobs to hash, and how many blobs to delete at most. */
export interface FsckOptions {
  repair: boolean;
  /** Number of blobs whose bytes are read and hashed, `Infinity` for all blobs. */
  sampleSize: number;
  /** Maximum number of blobs that a repair may delete; 1 % of all blobs by default. */
  maxDeletions?: number;
}

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
