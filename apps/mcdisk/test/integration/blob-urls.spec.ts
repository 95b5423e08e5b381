import { beforeEach, describe, expect, test } from '@jest/globals';
import { putBytes } from '../support/cloud-client.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

describe('A22 upload and download URLs', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const announce = (size: number) => owner.announceFile(cloudID, size);

  test.each(['x', 'A'.repeat(43), '%2e%2e%2f%2e%2e%2fetc%2fpasswd', "'%20OR%201=1", 'a%00b'])(
    'a URL with the guessed token %s returns 404',
    async (token) => {
      const url = `${server.url}/app-api/mcdisk/blob/${token}`;
      const responses = [await fetch(url), await fetch(url, { method: 'PUT', body: 'x' })];
      expect(responses.map(({ status }) => status)).toEqual([404, 404]);
      expect(await responses[0]!.json()).toMatchObject({ code: 404011, reason: 'LINK_NOT_FOUND' });
      expect(await responses[1]!.json()).toMatchObject({ code: 404010, reason: 'UPLOAD_NOT_FOUND' });
    },
  );

  test('an upload URL rejects reads, and a download URL rejects writes', async () => {
    const { uploadURL } = await announce(1);
    expect((await fetch(uploadURL)).status).toBe(404);
    const link = await owner.createDownloadUrl(cloudID, await owner.uploadFile(cloudID, 'x', Buffer.from('x')));
    expect((await putBytes(link, Buffer.from('y'))).status).toBe(404);
  });

  test('the database stores only a hash of the token of an upload URL', async () => {
    const { uploadURL } = await announce(1);
    const rows = await server.query(`SELECT row_to_json(u)::text FROM mcdisk.upload u`);
    expect(JSON.stringify(rows)).not.toContain(uploadURL.split('/').at(-1));
  });

  test.each([
    ['sign-out', async () => server.revokeSession(family.owner.sessionId)],
    ['member removal', async () => server.publishFamily({ ...family.snapshot, version: 2, members: [] })],
    ['family dissolution', async () => server.publishFamily({ ...family.snapshot, version: 2, dissolved: true })],
  ])('upload and download URLs return 404 after %s', async (_, end) => {
    const { uploadURL } = await announce(1);
    const link = await owner.createDownloadUrl(cloudID, await owner.uploadFile(cloudID, 'x', Buffer.from('x')));
    expect((await fetch(link)).status).toBe(200);
    await end();
    expect((await fetch(link)).status).toBe(404);
    expect((await putBytes(uploadURL, Buffer.from('x'))).status).toBe(404);
  });

  test('an upload URL returns 404 after its expiry', async () => {
    const { uploadURL } = await announce(1);
    await server.query('UPDATE mcdisk.upload SET expires_at = $2 WHERE cloud_id = $1', [cloudID, Date.now()]);
    const put = await putBytes(uploadURL, Buffer.from('x'));
    expect([put.status, put.body.reason]).toEqual([404, 'UPLOAD_NOT_FOUND']);
  });
});
