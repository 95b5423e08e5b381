import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LocalDiskBlobStore } from '../../src/contexts/blobs/local-disk/local-disk-blob-store.js';
import { patternedBytes } from './patterned-bytes.js';

/**
 * Appends to a blob, says what is lasting, and kills itself some time after it said so first.
 * Arguments: folder of the store, key, offset to go on at, size of the whole, milliseconds until it dies.
 */
const [root = '', key = '', from = '', whole = '', delay = ''] = process.argv.slice(2);
const [offset, size] = [Number(from), Number(whole)];
const CHUNK = 61_001;

function* chunks(): Generator<Buffer> {
  for (let start = offset; start < size; start += CHUNK) yield patternedBytes(start, Math.min(start + CHUNK, size));
}

let dying: NodeJS.Timeout | undefined;

async function say(durable: number): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(`${durable}\n`, () => resolve()));
  dying ??= setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(delay));
}

const options = { offset, maxBytes: size - offset, hash: createHash('sha256'), onDurable: say };
const end = await new LocalDiskBlobStore(root).append(key, Readable.from(chunks()), options);
process.stdout.write(`${end}\nend\n`, () => clearTimeout(dying));
