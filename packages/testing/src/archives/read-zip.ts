import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Returns the entries of a ZIP archive by path. Checks sizes and checksums. */
export async function readZip(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    if (bytes.length !== entry.uncompressedSize) throw new Error(`${entry.fileName} is incomplete`);
    if (entries.has(entry.fileName)) throw new Error(`${entry.fileName} occurs twice`);
    entries.set(entry.fileName, bytes);
  }
  return entries;
}

/** Returns the records of a JSON file of an archive. @throws Error if the archive has no such file */
export function recordsOf<Record = object>(entries: ReadonlyMap<string, Buffer>, path: string): Record[] {
  const bytes = entries.get(path);
  if (!bytes) throw new Error(`The archive has no ${path}, but ${[...entries.keys()].join(', ')}`);
  return JSON.parse(bytes.toString()) as Record[];
}
