import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { createCloud } from '../support/test-cloud.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Runs curl and returns the head and the body of the response as one text. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(programPath('curl'), ['-sS', '-i', ...args]);
  return stdout;
}

needs('curl').test('curl resumes an upload at the offset that HEAD returns', async () => {
  const { cloudID, owner } = await createCloud();
  const folder = await mkdtemp(join(tmpdir(), 'curl-'));
  const bytes = randomBytes(300_000);
  const [first, rest] = [join(folder, 'first'), join(folder, 'rest')];
  await writeFile(first, bytes.subarray(0, 123_456));
  await writeFile(rest, bytes.subarray(123_456));
  const { tusURL, contentID } = await owner.announceFile(cloudID, bytes.length);
  const tus = ['-H', 'Tus-Resumable: 1.0.0'];
  const type = ['-H', 'Content-Type: application/offset+octet-stream'];
  const patch = (offset: number, file: string) =>
    curl('-X', 'PATCH', ...tus, ...type, '-H', `Upload-Offset: ${offset}`, '--data-binary', `@${file}`, tusURL);
  expect(await patch(0, first)).toMatch(/^HTTP\/1.1 204 [^]*upload-offset: 123456\r\n/i);
  const head = await curl('--head', ...tus, tusURL);
  expect(head).toMatch(/^HTTP\/1.1 200 /);
  expect(head).toMatch(/upload-offset: 123456\r\n/i);
  expect(head).toMatch(/upload-length: 300000\r\n/i);
  expect(head).toMatch(/cache-control: no-store\r\n/i);
  expect(await patch(0, first)).toMatch(/^HTTP\/1.1 409 [^]*UPLOAD_OFFSET/);
  const last = await patch(123_456, rest);
  expect(last).toMatch(/^HTTP\/1.1 204 /);
  expect(last).toContain(`upload-receipt: sha256=${sha256(bytes)};size=300000;`);
  expect(await curl('--head', ...tus, tusURL)).toMatch(/upload-offset: 300000\r\n/i);
  expect(sha256(await owner.download(cloudID, contentID))).toBe(sha256(bytes));
  await rm(folder, { recursive: true });
});
