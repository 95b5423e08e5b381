import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import {
  FIRMWARE_IMAGE_PATH,
  FIRMWARE_TICKET,
  type FirmwareTicketClaims,
} from '@family-watch/domain/watches/contracts/firmware';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { Fsck } from '../../src/storage/fsck/fsck.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { CloudServer, type TicketForgery } from '../support/cloud-server.js';

const DAY_MS = 24 * 3_600_000;

interface TestImage {
  imageId: string;
  bytes: Buffer;
  digest: string;
}

function createImage(size = 300_000): TestImage {
  const bytes = randomBytes(size);
  return { imageId: randomUUID(), bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}

// Uses a separate server, because garbage collection and fsck look at the whole store.
describe('firmware images', () => {
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());

  /** Returns a URL with a ticket as userctx signs it. Properties in `forge` override the valid ones. */
  async function urlOf(
    { imageId, bytes, digest }: TestImage,
    scope: 'upload' | 'download',
    { audience, type, expiresAt, key, ...claims }: Partial<FirmwareTicketClaims> & TicketForgery = {},
  ): Promise<string> {
    const valid = { imageId, scope, size: bytes.length, digest, sub: 'watch:1' };
    const forge = { audience, type, expiresAt, key };
    const ticket = await server.signTicket(FIRMWARE_TICKET, { ...valid, ...claims }, forge);
    return `${server.url}${FIRMWARE_IMAGE_PATH}?ticket=${ticket}`;
  }

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  const put = (url: string, body: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body });
  const outcomeOf = async (response: Response) => {
    const { code, reason } = (await response.json()) as { code: number; reason?: string };
    return code === 0 ? 'ok' : reason;
  };
  const upload = async (image: TestImage, body: Buffer = image.bytes) =>
    outcomeOf(await put(await urlOf(image, 'upload'), new Uint8Array(body)));
  const storedEvents = (imageId: string) =>
    query<{ payload: object }>(
      `SELECT payload FROM mcdisk.outbox WHERE name = 'mcdisk.firmware-image.stored' AND key = $1`,
      [imageId],
    );
  const blobKeyOf = async ({ imageId }: TestImage) => {
    const sql = 'SELECT blob_key AS key FROM mcdisk.firmware_image WHERE image_id = $1';
    return (await query<{ key: string }>(sql, [imageId]))[0]!.key;
  };
  const withdraw = ({ imageId }: TestImage) =>
    server.publish('userctx', {
      name: 'userctx.firmware-image.withdrawn',
      key: imageId,
      payload: { imageId, time: Date.now() },
    });
  const blobCount = async () => {
    const store = server.get(BlobStore);
    let count = 0;
    for await (const { size } of store.list()) count += size > 1_000 ? 1 : 0;
    return count;
  };

  test('stores an image once, publishes it, and sends every range of it with the same ETag for each ticket', async () => {
    const image = createImage();
    const { imageId, bytes, digest } = image;
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => upload(image)));
    expect([...outcomes, await upload(image)]).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(await storedEvents(imageId)).toEqual([
      { payload: { imageId, size: bytes.length, digest, time: expect.any(Number) } },
    ]);
    expect(await blobCount()).toBe(1);
    const whole = await fetch(await urlOf(image, 'download'));
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
    const etag = whole.headers.get('etag') ?? '';
    const head = await fetch(await urlOf(image, 'download'), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    // A download continues with a new ticket.
    const rest = await fetch(await urlOf(image, 'download', { sub: 'watch:2' }), {
      headers: { range: 'bytes=100000-', 'if-range': etag },
    });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 100000-299999/300000']);
    expect(Buffer.from(await rest.arrayBuffer())).toEqual(bytes.subarray(100_000));
    const beyond = await fetch(await urlOf(image, 'download'), { headers: { range: 'bytes=300000-' } });
    expect([beyond.status, await outcomeOf(beyond)]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
  });

  test('rejects bytes that are not those of the image, and keeps none of them', async () => {
    const before = await blobCount();
    const image = createImage();
    const { bytes } = image;
    expect(await upload(image, randomBytes(bytes.length))).toBe('DIGEST_MISMATCH');
    expect(await upload(image, bytes.subarray(1))).toBe('DIGEST_MISMATCH');
    expect(await upload(image, Buffer.concat([bytes, Buffer.alloc(1)]))).toBe('BODY_TOO_LARGE');
    const chunked = await fetch(await urlOf(image, 'upload'), {
      method: 'PUT',
      body: new Blob([new Uint8Array(bytes), new Uint8Array(1)]).stream(),
      duplex: 'half',
    });
    expect(await outcomeOf(chunked)).toBe('BODY_TOO_LARGE');
    // An interrupted request.
    const url = new URL(await urlOf(image, 'upload'));
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    socket.end(bytes.subarray(0, 100_000));
    await waitUntil('the received bytes are deleted', async () => (await blobCount()) === before);
    expect((await fetch(await urlOf(image, 'download'))).status).toBe(404);
    expect(await storedEvents(image.imageId)).toEqual([]);
    expect(await upload(image)).toBe('ok');
  });

  test('accepts only tickets that userctx signed for this use, and only until they expire', async () => {
    const image = createImage();
    await upload(image);
    const now = Math.floor(Date.now() / 1_000);
    const { privateKey } = await generateKeyPair(FIRMWARE_TICKET.algorithm);
    const forged = [
      { key: privateKey },
      { audience: 'family-watch/mcdisk' },
      { type: 'fct+jwt' },
      { expiresAt: now - 1 },
      { imageId: '../x' },
      { size: 2 ** 40 },
      { scope: 'download' as const },
    ];
    for (const forge of forged)
      expect(await outcomeOf(await put(await urlOf(image, 'upload', forge), new Uint8Array(image.bytes)))).toBe(
        'TICKET_INVALID',
      );
    for (const url of [
      `${server.url}${FIRMWARE_IMAGE_PATH}`,
      `${server.url}${FIRMWARE_IMAGE_PATH}?ticket=x&ticket=y`,
      `${server.url}${FIRMWARE_IMAGE_PATH}?ticket=${'x'.repeat(2_000)}`,
      `${server.url}${FIRMWARE_IMAGE_PATH}?ticket=..%2f..%2fsecret.key`,
      await urlOf(image, 'upload'),
      await urlOf(image, 'download', { expiresAt: now - 1 }),
    ]) {
      const response = await fetch(url);
      expect([response.status, await outcomeOf(response)]).toEqual([403, 'TICKET_INVALID']);
    }
    expect(server.logs.filter((line) => line.includes('ticket='))).toEqual([]);
  });

  test('garbage collection and fsck keep an image until it is withdrawn, and then delete its bytes', async () => {
    const image = createImage();
    await upload(image);
    const key = await blobKeyOf(image);
    const stateOfBlob = async () =>
      (await query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE blob_key = $1', [key]))[0]?.state;
    const garbageCollection = server.get(GarbageCollectionService);
    const later = Date.now() + 30 * DAY_MS;
    for (let run = 0; run < 3; run += 1) await garbageCollection.run(later);
    expect(await stateOfBlob()).toBe('LIVE');
    const store = server.get(BlobStore);
    const check = () =>
      new Fsck(server.unitOfWork, store).run({ repair: true, sampleSize: Number.POSITIVE_INFINITY }, later);
    expect(await check()).toMatchObject({ findings: [] });
    await withdraw(image);
    await withdraw(image);
    expect(await stateOfBlob()).toBe('CONDEMNED');
    expect((await fetch(await urlOf(image, 'download'))).status).toBe(404);
    expect(await upload(image)).toBe('UPLOAD_NOT_FOUND');
    await garbageCollection.run(later + DAY_MS);
    expect(await stateOfBlob()).toBe('GONE');
    expect(await check()).toMatchObject({ findings: [] });
  });

  test('an image that was withdrawn before its bytes arrive is not stored', async () => {
    const image = createImage();
    await withdraw(image);
    const before = await blobCount();
    expect(await upload(image)).toBe('UPLOAD_NOT_FOUND');
    expect(await blobCount()).toBe(before);
    expect(await storedEvents(image.imageId)).toEqual([]);
  });

  test('fsck reports a firmware image whose bytes are lost', async () => {
    const image = createImage();
    await upload(image);
    const key = await blobKeyOf(image);
    const store = server.get(BlobStore);
    await store.discard(key);
    const { findings } = await new Fsck(server.unitOfWork, store).run(
      { repair: false, sampleSize: 0 },
      Date.now() + DAY_MS,
    );
    expect(findings).toEqual([
      {
        kind: 'MISSING_BYTES',
        subject: key,
        detail: 'referenced by 1 contents or firmware images',
        repaired: false,
      },
    ]);
  });
});
