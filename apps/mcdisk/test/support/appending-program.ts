import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LocalDiskBlobStore } from '../../src/storage/blobs/local-disk/local-disk-blob-store.js';
import { patternedBytes } from './patterned-bytes.js';

/**
 * Appends to a blob, prints each number of durable bytes, and kills itself some time after the first print.
 * Arguments: directory of the store, key, start offset, total size, milliseconds until the kill.
 */
const [root = '', key = '', from = '', totalSize = '', delay = ''] = process.argv.slice(2);
const [offset, size] = [Number(from), Number(totalSize)];
const CHUNK_BYTES = 61_001;

function* createChunks(): Generator<Buffer> {
  for (let start = offset; start < size; start += CHUNK_BYTES)
    yield patternedBytes(start, Math.min(start + CHUNK_BYTES, size));
}

let killTimer: NodeJS.Timeout | undefined;

async function reportDurableBytes(durable: number): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(`${durable}\n`, () => resolve()));
  killTimer ??= setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(delay));
}

const options = { offset, maxBytes: size - offset, hash: createHash('sha256'), onDurable: reportDurableBytes };
const finalSize = await new LocalDiskBlobStore(root).append(key, Readable.from(createChunks()), options);
process.stdout.write(`${finalSize}\nend\n`, () => clearTimeout(killTimer));
