/** The watches of one manufacturer in a file, at most {@link BATCH_SIZE}, which one request adds. */
export interface EnrolmentBatch {
  readonly makerKey: string;
  /** IMEI and line of the file, counted from 1. */
  readonly entries: readonly { readonly imei: string; readonly line: number }[];
}

/** The contents of a file of watches. */
export interface EnrolmentFile {
  readonly batches: readonly EnrolmentBatch[];
  readonly count: number;
  /** Lines that are not `IMEI,KEY`, counted from 1. */
  readonly invalidLines: readonly number[];
}

/** Few enough that the progress is visible and that a request stays small. */
const BATCH_SIZE = 1_000;
const LINE_PATTERN = /^(\d{15})\s*[,;]\s*([\w-]{43})$/;

/**
 * Reads a CSV file with a line `IMEI,KEY` for each watch; KEY is the public key of the manufacturer (Ed25519, base64url).
 * Ignores empty lines, and a first line with names of columns.
 */
export function parseEnrolmentFile(text: string): EnrolmentFile {
  const byKey = new Map<string, { imei: string; line: number }[]>();
  const invalidLines: number[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const content = raw.trim().replaceAll('"', '');
    if (content === '' || (index === 0 && /^\D*$/.test(content))) continue;
    const [, imei = '', makerKey = ''] = LINE_PATTERN.exec(content) ?? [];
    const entry = { imei, line: index + 1 };
    if (imei === '') invalidLines.push(entry.line);
    else if (byKey.get(makerKey)?.push(entry) === undefined) byKey.set(makerKey, [entry]);
  }
  const batches = [...byKey].flatMap(([makerKey, entries]) =>
    Array.from({ length: Math.ceil(entries.length / BATCH_SIZE) }, (_, index) => ({
      makerKey,
      entries: entries.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    })),
  );
  const count = batches.reduce((sum, { entries }) => sum + entries.length, 0);
  return { batches, count, invalidLines };
}
