import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/rendition';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { MAX_PIXELS } from '../../src/contexts/media/renderer/render-task.js';
import { RendererPool } from '../../src/contexts/media/renderer/renderer-pool.js';
import { PictureRefusedError, RendererEndedError } from '../../src/contexts/media/renderer/renderer-process.js';
import { BOMBS, png } from '../support/decompression-bombs.js';
import { corners, noise } from '../support/pictures.js';
import { renderersOf } from '../support/renderers.js';

const HEIC = readFileSync(join(import.meta.dirname, '../fixtures/picture.heic'));
const MEBIBYTE = 1024 * 1024;
/** Just enough for a picture with the maximum number of pixels. */
const LIMITS = { timeMs: 110_000, memory: 900 * MEBIBYTE };
const KINDS: readonly RenditionKind[] = ['THUMBNAIL', 'SHARED'];

let pool: RendererPool;
/** Renderers of a shared server in this process. */
let sharedRenderers: ReadonlySet<number>;

beforeEach(async () => {
  sharedRenderers = new Set(await renderersOf(process.pid));
  pool = new RendererPool(1, LIMITS);
});

const ownRenderers = async () => (await renderersOf(process.pid)).filter((pid) => !sharedRenderers.has(pid));

afterEach(() => pool.close());

function render(bytes: Buffer, kind: RenditionKind = 'THUMBNAIL', from = pool): Promise<Buffer> {
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

/** Renders a picture whose bytes never end. */
function renderEndless(from: RendererPool): Promise<void> {
  return from.render(
    { kind: 'SHARED', size: 10 },
    () => Promise.resolve(new PassThrough()),
    () => Promise.resolve(),
  );
}

describe('decompression bombs', () => {
  test.each(BOMBS)('%s: is rejected or rendered without ending the renderer', async (_, make) => {
    const bomb = make();
    for (const kind of KINDS) {
      const outcome = await render(bomb, kind).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PictureRefusedError);
    }
    const [before] = await ownRenderers();
    expect((await render(await corners().png().toBuffer())).length).toBeGreaterThan(0);
    expect(await ownRenderers()).toEqual([before]);
  });

  test('a HEIC that claims to be huge is rejected', async () => {
    const bomb = Buffer.from(HEIC);
    const offset = bomb.indexOf('ispe', 0, 'latin1') + 8;
    expect(offset).toBeGreaterThan(8);
    bomb.writeUInt32BE(60_000, offset);
    bomb.writeUInt32BE(60_000, offset + 4);
    for (const kind of KINDS) await expect(render(bomb, kind)).rejects.toThrow(PictureRefusedError);
  });

  test('renders a picture just within the limit in bounded memory', async () => {
    const side = Math.floor(Math.sqrt(MAX_PIXELS));
    expect((await render(png(side, side, { bits: 1, rows: side }))).length).toBeGreaterThan(0);
    await expect(render(png(side + 1, side + 1, { bits: 1, rows: side + 1 }))).rejects.toMatchObject({
      tooLarge: true,
    });
  });
});

describe('renderers that exit during a picture', () => {
  test('fail the picture when killed, and the next picture gets a new renderer', async () => {
    const picture = await corners().png().toBuffer();
    await render(picture);
    const [pid = 0] = await ownRenderers();
    const stuck = renderEndless(pool);
    process.kill(pid, 'SIGKILL');
    await expect(stuck).rejects.toThrow(RendererEndedError);
    expect((await render(picture)).length).toBeGreaterThan(0);
  });

  test('are killed when they exceed the time limit', async () => {
    const shortLimitPool = new RendererPool(1, { ...LIMITS, timeMs: 3_000 });
    const stuck = renderEndless(shortLimitPool);
    await expect(stuck).rejects.toThrow(/longer than 3000 ms/);
    shortLimitPool.close();
  });

  test('are killed when they exceed the memory limit', async () => {
    const lowMemoryPool = new RendererPool(1, { ...LIMITS, memory: 8 * MEBIBYTE });
    const stuck = renderEndless(lowMemoryPool);
    await expect(stuck).rejects.toThrow(/bytes of memory/);
    lowMemoryPool.close();
  });

  test('fail only the picture when its source is too short or breaks', async () => {
    const picture = await corners().png().toBuffer();
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
    expect((await render(picture)).length).toBeGreaterThan(0);
  });

  test('do not inherit environment variables of the service', async () => {
    process.env['A_SECRET_OF_OURS'] = 'hunter2';
    await render(await corners().png().toBuffer());
    const [pid] = await ownRenderers();
    expect(await readFile(`/proc/${pid}/environ`, 'latin1')).not.toContain('hunter2');
    delete process.env['A_SECRET_OF_OURS'];
  });

  test('are all ended when the pool is closed, which then rejects pictures', async () => {
    const two = new RendererPool(2, LIMITS);
    const picture = await noise(500, 500).jpeg().toBuffer();
    await Promise.all([render(picture, 'SHARED', two), render(picture, 'SHARED', two), render(picture, 'SHARED', two)]);
    two.close();
    await expect(render(picture, 'SHARED', two)).rejects.toThrow('closed');
    await waitUntil('all renderers to exit', async () => (await ownRenderers()).length === 0);
  });
});

describe('arbitrary bytes are rendered or rejected', () => {
  const HEADS = [
    'ffd8ffe000104a4649460001',
    '89504e470d0a1a0a0000000d49484452',
    '474946383961',
    '49492a0008000000',
    '52494646ffffff7f57454250565038',
    '0000001c66747970686569630000',
  ];

  const attempt = async (bytes: Buffer, kind: RenditionKind) => {
    const outcome = await render(bytes, kind).catch((error: unknown) => error);
    // A crash would be survived, but these decoders are expected not to crash; the seed reproduces it.
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PictureRefusedError);
  };

  test('for the head of a picture followed by noise', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...HEADS),
        fc.uint8Array({ maxLength: 2_000 }),
        fc.constantFrom(...KINDS),
        (head, rest, kind) => attempt(Buffer.concat([Buffer.from(head, 'hex'), rest]), kind),
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test('for pictures with some bytes changed or missing', async () => {
    const pictures = [
      await corners().jpeg().toBuffer(),
      await corners().png().toBuffer(),
      await corners().webp().toBuffer(),
      await corners().gif().toBuffer(),
      await corners().tiff().toBuffer(),
      await corners().avif().toBuffer(),
      HEIC,
    ];
    const change = fc.tuple(fc.nat(5_000), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pictures),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(99),
        fc.constantFrom(...KINDS),
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
