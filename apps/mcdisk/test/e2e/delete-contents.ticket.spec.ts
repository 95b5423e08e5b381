import { beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair, type JWTPayload } from 'jose';
import { CLOUD_TICKET } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { TicketForgery } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

describe('A30 the ticket of deleteContents', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  let claims: JWTPayload;

  beforeAll(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
    claims = { did: family.dids[0], cloudID, scope: ['read', 'add', 'delete'] };
  });

  const store = () => owner.uploadFile(cloudID, 'file', Buffer.from('bytes'));
  const sign = (changes: JWTPayload = {}, forge: TicketForgery = {}) =>
    server.signTicket(CLOUD_TICKET, { ...claims, ...changes }, forge);

  test('accepts a valid ticket, which does not change the permissions of its holder', async () => {
    const [ticket, contentID] = [await sign(), await store()];
    const { owner: stranger } = await createCloud();
    expect((await stranger.delete(cloudID, [contentID], { ticket })).body.reason).toBe('CLOUD_NOT_FOUND');
    const caregiver = await server.as(family.caregiver);
    expect((await caregiver.delete(cloudID, [contentID], { ticket })).body.data.deleteContIDList).toEqual([]);
    expect((await owner.delete(cloudID, [contentID], { ticket })).body.data.deleteContIDList).toEqual([contentID]);
  });

  test('returns 401 for a ticket without an access token', async () => {
    const ticket = await sign();
    const anonymous = { authorization: `Bearer ${ticket}` };
    const answer = await owner.post('deleteContents', { cloudID, contentIDList: ['x'], ticket }, anonymous);
    expect([answer.status, answer.body.reason]).toEqual([401, 'TOKEN_INVALID']);
  });

  test.each<[string, JWTPayload, TicketForgery]>([
    ['that was issued for another cloud', { cloudID: 'other' }, {}],
    ['without the scope to delete', { scope: ['read', 'add'] }, {}],
    ['with a scope that is not a list', { scope: 'delete' }, {}],
    ['that is expired', {}, { expiresAt: 1_000_000_000 }],
    ['for another audience', {}, { audience: 'family-watch' }],
    ['that has the type of an access token', {}, { type: 'at+jwt' }],
  ])('rejects a ticket %s', async (_, changes, forge) => {
    const contentID = await store();
    const answer = await owner.delete(cloudID, [contentID], { ticket: await sign(changes, forge) });
    expect([answer.status, answer.body.code]).toEqual([403, 403004]);
    expect(await owner.listIds(cloudID)).toContain(contentID);
  });

  test('rejects malformed tickets, tickets signed with another key and access tokens', async () => {
    const { privateKey } = await generateKeyPair('EdDSA');
    const unsigned = ['{"alg":"none","typ":"fct+jwt"}', JSON.stringify(claims)];
    const tickets = [
      'nonsense',
      ' ',
      await sign({}, { key: privateKey }),
      await server.signAccessToken(family.owner),
      `${unsigned.map((part) => Buffer.from(part).toString('base64url')).join('.')}.`,
    ];
    for (const ticket of tickets) {
      expect((await owner.delete(cloudID, ['x'], { ticket })).body.reason).toBe('TICKET_INVALID');
    }
  });

  test('accepts from a watch only a ticket that was issued to it', async () => {
    const child = await server.as(family.watches[1]!);
    const answer = async (did: number) => child.delete(cloudID, ['x'], { ticket: await sign({ did }) });
    expect((await answer(family.dids[0])).body.reason).toBe('TICKET_INVALID');
    expect((await answer(family.dids[1])).status).toBe(200);
  });
});
