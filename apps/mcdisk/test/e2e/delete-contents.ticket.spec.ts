import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import type { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';

describe('A30 the ticket of deleteContents', () => {
  const family = sampleFamily();
  const other = sampleFamily();
  const { cloudID } = family;
  let server: CloudServer;
  let owner: CloudClient;
  let stranger: CloudClient;

  const store = () => owner.uploadFile(cloudID, 'file', Buffer.from('bytes'));

  beforeAll(async () => {
    server = await CloudServer.getShared();
    await server.publishFamily(family.snapshot);
    await server.publishFamily(other.snapshot);
    owner = await server.as(family.owner);
    stranger = await server.as(other.owner);
  });
  afterAll(() => server.stop());

  const scope = ['read', 'add', 'delete'];
  const claims = { did: family.dids[0], cloudID, scope };

  test('accepts a valid ticket, which does not change the permissions of its holder', async () => {
    const ticket = await server.signTicket(claims);
    const contentID = await store();
    expect((await stranger.delete(cloudID, [contentID], { ticket })).body.reason).toBe('CLOUD_NOT_FOUND');
    const caregiver = await server.as(family.caregiver);
    expect((await caregiver.delete(cloudID, [contentID], { ticket })).body.data.deleteContIDList).toEqual([]);
    expect((await owner.delete(cloudID, [contentID], { ticket })).body.data.deleteContIDList).toEqual([contentID]);
  });

  test('returns 401 for a ticket without an access token', async () => {
    const ticket = await server.signTicket(claims);
    const anonymous = { authorization: `Bearer ${ticket}` };
    const answer = await owner.post('deleteContents', { cloudID, contentIDList: ['x'], ticket }, anonymous);
    expect([answer.status, answer.body.reason]).toEqual([401, 'TOKEN_INVALID']);
  });

  test.each([
    ['that was issued for another cloud', { ...claims, cloudID: other.cloudID }, {}],
    ['without the scope to delete', { ...claims, scope: ['read', 'add'] }, {}],
    ['with a scope that is not a list', { ...claims, scope: 'delete' as unknown as string[] }, {}],
    ['that is expired', claims, { expiresAt: 1_000_000_000 }],
    ['for another audience', claims, { audience: 'family-watch' }],
    ['that has the type of an access token', claims, { type: 'at+jwt' }],
  ])('rejects a ticket %s', async (_, wrong, forge) => {
    const contentID = await store();
    const ticket = await server.signTicket(wrong, forge);
    const answer = await owner.delete(cloudID, [contentID], { ticket });
    expect([answer.status, answer.body.code]).toEqual([403, 403004]);
    expect(await owner.listIds(cloudID)).toContain(contentID);
  });

  test('rejects malformed tickets, tickets signed with another key and access tokens', async () => {
    const { privateKey } = await generateKeyPair('EdDSA');
    const tickets = [
      'nonsense',
      ' ',
      await server.signTicket(claims, { key: privateKey }),
      await server.signAccessToken(family.owner),
      `${Buffer.from('{"alg":"none","typ":"fct+jwt"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    ];
    for (const ticket of tickets) {
      expect((await owner.delete(cloudID, ['x'], { ticket })).body.reason).toBe('TICKET_INVALID');
    }
  });

  test('accepts from a watch only a ticket that was issued to it', async () => {
    const child = await server.as(family.watches[1]!);
    const answer = async (did: number) =>
      child.delete(cloudID, ['x'], { ticket: await server.signTicket({ ...claims, did }) });
    expect((await answer(family.dids[0])).body.reason).toBe('TICKET_INVALID');
    expect((await answer(family.dids[1])).status).toBe(200);
  });
});
