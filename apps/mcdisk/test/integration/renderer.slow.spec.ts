import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/blob';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { MAX_PIXELS } from '../../src/renditions/renderer/render-task.js';
import { RendererPool } from '../../src/renditions/renderer/renderer-pool.js';
import { PictureRefusedError, RendererEndedError } from '../../src/renditions/renderer/renderer-process.js';
import { DECOMPRESSION_BOMBS, createPng } from '../support/decompression-bombs.js';
import { createCornersPicture, createNoisePicture } from '../support/pictures.js';
import { watchRenderers } from '../support/renderers.js';

const HEIC_FIXTURE = readFileSync(join(import.meta.dirname, '../fixtures/picture.heic'));
const MEBIBYTE = 1024 * 1024;
/** Limits just large enough for a picture with the maximum number of pixels. */
const RESOURCE_LIMITS = { timeMs: 110_000, memoryBytes: 900 * MEBIBYTE };
const RENDITION_KINDS: readonly RenditionKind[] = ['THUMBNAIL', 'SHARED'];

let pool: RendererPool;
/** Finds the renderers that are not those of the shared server. */
let findRenderersOfThisSuite: () => Promise<number[]>;

beforeEach(async () => {
  findRenderersOfThisSuite = await watchRenderers();
  pool = new RendererPool(1, RESOURCE_LIMITS);
});

afterEach(() => pool.close());

function renderPicture(bytes: Buffer, kind: RenditionKind = 'THUMBNAIL', from = pool): Promise<Buffer> {
  return from.render(
    { kind, size: bytes.length },
    () => Promise.resolve(Readable.from([bytes])),
    async (rendered) => {
      const rendition = await buffer(rendered.bytes);
      expect(rendition).toHaveLength(rendered.size);
      return rendition;
    },
  );
}

/** Renders a picture whose source sends nothing and never ends. */
function renderEndlessSource(from: RendererPool): Promise<void> {
  return from.render(
    { kind: 'SHARED', size: 10 },
    () => Promise.resolve(new PassThrough()),
    () => Promise.resolve(),
  );
}

describe('decompression bombs', () => {
  test.each(DECOMPRESSION_BOMBS)('%s is rejected or rendered, and the renderer keeps running', async (_, make) => {
    const bomb = make();
    for (const kind of RENDITION_KINDS) {
      const outcome = await renderPicture(bomb, kind).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PictureRefusedError);
    }
    const [before] = await findRenderersOfThisSuite();
    expect((await renderPicture(await createCornersPicture().png().toBuffer())).length).toBeGreaterThan(0);
    expect(await findRenderersOfThisSuite()).toEqual([before]);
  });

  test('a HEIC that claims to be huge is rejected', async () => {
    const bomb = Buffer.from(HEIC_FIXTURE);
    const offset = bomb.indexOf('ispe', 0, 'latin1') + 8;
    expect(offset).toBeGreaterThan(8);
    bomb.writeUInt32BE(60_000, offset);
    bomb.writeUInt32BE(60_000, offset + 4);
    for (const kind of RENDITION_KINDS) await expect(renderPicture(bomb, kind)).rejects.toThrow(PictureRefusedError);
  });

  test('a picture with the maximum number of pixels is rendered in bounded memory, a larger one rejected', async () => {
    const side = Math.floor(Math.sqrt(MAX_PIXELS));
    expect((await renderPicture(createPng(side, side, { bitDepth: 1, rows: side }))).length).toBeGreaterThan(0);
    await expect(renderPicture(createPng(side + 1, side + 1, { bitDepth: 1, rows: side + 1 }))).rejects.toMatchObject({
      isTooLarge: true,
    });
  });
});

describe('renderer processes', () => {
  test('when a renderer is killed, its picture fails and the next picture gets a new renderer', async () => {
    const picture = await createCornersPicture().png().toBuffer();
    await renderPicture(picture);
    const [pid = 0] = await findRenderersOfThisSuite();
    const stuck = renderEndlessSource(pool);
    process.kill(pid, 'SIGKILL');
    await expect(stuck).rejects.toThrow(RendererEndedError);
    expect((await renderPicture(picture)).length).toBeGreaterThan(0);
  });

  test('a renderer that exceeds the time limit is killed', async () => {
    const shortLimitPool = new RendererPool(1, { ...RESOURCE_LIMITS, timeMs: 3_000 });
    const stuck = renderEndlessSource(shortLimitPool);
    await expect(stuck).rejects.toThrow(/longer than 3000 ms/);
    shortLimitPool.close();
  });

  test('a renderer that exceeds the memory limit is killed', async () => {
    const lowMemoryPool = new RendererPool(1, { ...RESOURCE_LIMITS, memoryBytes: 8 * MEBIBYTE });
    const stuck = renderEndlessSource(lowMemoryPool);
    await expect(stuck).rejects.toThrow(/bytes of memory/);
    lowMemoryPool.close();
  });

  test('a source that is too short or fails makes only its own picture fail', async () => {
    const picture = await createCornersPicture().png().toBuffer();
    const short = pool.render(
      { kind: 'SHARED', size: 99 },
      () => Promise.resolve(Readable.from([picture.subarray(0, 9)])),
      () => Promise.resolve(),
    );
    await expect(short).rejects.toThrow('9 bytes of 99');
    const broken = new Readable({ read: () => broken.destroy(new Error('The disk is gone')) });
    const brokenRender = pool.render(
      { kind: 'SHARED', size: 99 },
      () => Promise.resolve(broken),
      () => Promise.resolve(),
    );
    await expect(brokenRender).rejects.toThrow('The disk is gone');
    expect((await renderPicture(picture)).length).toBeGreaterThan(0);
  });

  test('a renderer does not inherit environment variables of the service', async () => {
    process.env['A_SECRET_OF_OURS'] = 'hunter2';
    await renderPicture(await createCornersPicture().png().toBuffer());
    const [pid] = await findRenderersOfThisSuite();
    expect(await readFile(`/proc/${pid}/environ`, 'latin1')).not.toContain('hunter2');
    delete process.env['A_SECRET_OF_OURS'];
  });

  test('all renderers end when the pool is closed, and the pool rejects further pictures', async () => {
    const two = new RendererPool(2, RESOURCE_LIMITS);
    const picture = await createNoisePicture(500, 500).jpeg().toBuffer();
    await Promise.all([
      renderPicture(picture, 'SHARED', two),
      renderPicture(picture, 'SHARED', two),
      renderPicture(picture, 'SHARED', two),
    ]);
    two.close();
    await expect(renderPicture(picture, 'SHARED', two)).rejects.toThrow('closed');
    await waitUntil('all renderers to exit', async () => (await findRenderersOfThisSuite()).length === 0);
  });
});

describe('arbitrary bytes', () => {
  const HEADS = [
    'ffd8ffe000104a4649460001',
    '89504e470d0a1a0a0000000d49484452',
    '474946383961',
    '49492a0008000000',
    '52494646ffffff7f57454250565038',
    '0000001c66747970686569630000',
  ];

  const attempt = async (bytes: Buffer, kind: RenditionKind) => {
    const outcome = await renderPicture(bytes, kind).catch((error: unknown) => error);
    // The service survives the crash of a renderer, but the decoders of pictures must not crash. The printed seed
    // reproduces a crash.
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PictureRefusedError);
  };

  test('the head of a picture followed by noise is rendered or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...HEADS),
        fc.uint8Array({ maxLength: 2_000 }),
        fc.constantFrom(...RENDITION_KINDS),
        (head, rest, kind) => attempt(Buffer.concat([Buffer.from(head, 'hex'), rest]), kind),
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test('a picture with some bytes changed or missing is rendered or rejected', async () => {
    const pictures = [
      await createCornersPicture().jpeg().toBuffer(),
      await createCornersPicture().png().toBuffer(),
      await createCornersPicture().webp().toBuffer(),
      await createCornersPicture().gif().toBuffer(),
      await createCornersPicture().tiff().toBuffer(),
      await createCornersPicture().avif().toBuffer(),
      HEIC_FIXTURE,
    ];
    const change = fc.tuple(fc.nat(5_000), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pictures),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(99),
        fc.constantFrom(...RENDITION_KINDS),
        async (picture, changes, cut, kind) => {
          const bytes = Buffer.from(picture);
          for (const [offset, value] of changes) bytes[offset % bytes.length] = value;
          await attempt(cut < 20 ? bytes.subarray(0, Math.ceil((bytes.length * cut) / 20)) : bytes, kind);
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });
});
