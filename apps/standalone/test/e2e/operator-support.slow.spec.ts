import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeliveriesDto } from '@family-watch/domain/operators/dto/support.dto';
import type {
  AppStatusesDto,
  DeadLetterPageDto,
  DeadLetterResultsDto,
} from '@family-watch/domain/operators/dto/event-bus.dto';
import type { OperatorProductPageDto } from '@family-watch/domain/payments/dto/payment.dto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { conversationIdsOf } from '../support/access/conversation-ids.js';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { Operator, OPERATOR_PATH, runOperatorProgram } from '../support/operator.js';
import { TestService } from '../support/test-service.js';

const DELIVERIES = `${OPERATOR_PATH}deliveries/get`;

/** Returns all names of properties in a JSON value. */
function propertyNamesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(propertyNamesOf)];
}

describeOneDeployment('operators of support', 'distributed', (deployment) => {
  let service: TestService;
  let family: FamilyFixture;
  let support: Operator;
  let admin: Operator;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    family = await FamilyFixture.create(service);
    admin = await Operator.create(service, ['ADMIN']);
    support = await admin.createOther(service, ['SUPPORT']);
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  const diagnose = (query: Record<string, string | number>) => expectOk(support.get<DeliveriesDto>(DELIVERIES, query));

  test('a diagnosis shows who is connected and what is unacknowledged, and nothing that a message says', async () => {
    const { owner, guardian, watch, familyId } = family;
    const { conversationId } = await conversationIdsOf(family);
    const [phone, theirs] = [await owner.connect(), await guardian.connect()];
    theirs.close();
    const text = `secret ${randomUUID()}`;
    await phone.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
    const ofGuardian = ({ items }: DeliveriesDto) =>
      items.find(({ principal }) => principal === `user:${guardian.userId}`);
    await waitUntil('the end of the connection', async () => {
      return ofGuardian(await diagnose({ familyId }))?.connections.length === 0;
    });
    const diagnosis = await diagnose({ familyId });
    expect(diagnosis).toMatchObject({ familyId, blocked: [], unknownProjections: [] });
    expect(diagnosis.items.map(({ principal, role }) => [principal, role])).toEqual([
      [`user:${owner.userId}`, 1],
      [`user:${guardian.userId}`, 2],
      [`watch:${watch.did}`, null],
    ]);
    expect(diagnosis.items[0]).toMatchObject({ connections: [{ since: expect.any(Number) }] });
    const [session] = ofGuardian(diagnosis)?.sessions ?? [];
    expect(session?.oldestUnacknowledgedAt).toEqual(expect.any(Number));
    expect(session?.acknowledged).toBeLessThan(ofGuardian(diagnosis)?.mailboxHead ?? 0);
    const response = JSON.stringify(diagnosis);
    for (const secret of [text, owner.phoneNumber, guardian.phoneNumber]) expect(response).not.toContain(secret);
    expect([...new Set(propertyNamesOf(diagnosis))].sort()).toEqual([
      'acknowledged',
      'attempts',
      'blocked',
      'connections',
      'familyId',
      'items',
      'lastSeenAt',
      'mailboxHead',
      'nextAttemptAt',
      'nodeId',
      'oldestUnacknowledgedAt',
      'principal',
      'pushDisabled',
      'pushQueue',
      'pushRegistrations',
      'role',
      'sessionId',
      'sessions',
      'since',
      'unknownProjections',
      'waiting',
    ]);
    phone.close();
  });

  test('a diagnosis of a person, a watch and an unknown id', async () => {
    const { guardian, watch, familyId } = family;
    const { items } = await diagnose({ userId: guardian.userId.toUpperCase() });
    expect(items.map(({ principal }) => principal)).toEqual([`user:${guardian.userId}`]);
    expect(await diagnose({ did: watch.did })).toMatchObject({
      familyId,
      items: [{ principal: `watch:${watch.did}` }],
    });
    const invalid: Record<string, string | number>[] = [
      {},
      { familyId, did: 1 },
      { familyId: 'x' },
      { familyId: randomUUID() },
      { did: 1 },
      { userId: randomUUID() },
    ];
    const outcomes = [];
    for (const query of invalid) outcomes.push((await support.get(DELIVERIES, query)).body['reason']);
    expect(outcomes).toEqual([
      'VALIDATION_FAILED',
      'VALIDATION_FAILED',
      'FAMILY_NOT_FOUND',
      'FAMILY_NOT_FOUND',
      'WATCH_NOT_FOUND',
      'ACCOUNT_NOT_FOUND',
    ]);
  });

  test('an administrator sees all apps and replays and drops dead letters of each', async () => {
    const status = await expectOk(admin.get<AppStatusesDto>(`${OPERATOR_PATH}event-bus/status`));
    expect(status.items.map(({ app }) => app)).toEqual(['userctx', 'mcdisk', 'gateway']);
    expect(status.unavailable).toEqual([]);
    for (const { queues } of status.items) expect(queues).not.toEqual([]);
    for (const app of ['userctx', 'mcdisk', 'gateway']) {
      const handler = `${app}.test.${randomUUID()}`;
      const event = JSON.stringify({ id: randomUUID(), name: 'x', key: 'k', time: 0, payload: {} });
      const rows = await service.query<{ id: string }>(
        `INSERT INTO ${app}.dead_letter (handler, event_id, key, event, attempts, parked_at)
         SELECT $1, gen_random_uuid(), 'k', $2, 10, now() FROM generate_series(1, 2) RETURNING id::text`,
        [handler, event],
      );
      const [first = '', second = ''] = rows.map(({ id }) => id);
      const list = (query: object) =>
        expectOk(admin.get<DeadLetterPageDto>(`${OPERATOR_PATH}dead-letters/list`, { app, handler, ...query }));
      const { items, nextCursor } = await list({ limit: 1 });
      expect(items).toMatchObject([{ deadLetterId: first, handler, eventName: 'x' }]);
      expect(await list({ limit: 1, cursor: nextCursor ?? '' })).toMatchObject({
        items: [{ deadLetterId: second }],
        nextCursor: null,
      });
      const change = async (action: string, deadLetterIds: string[]) =>
        (
          await expectOk(
            admin.post<DeadLetterResultsDto>(`${OPERATOR_PATH}dead-letters/${action}`, { app, deadLetterIds }),
          )
        ).results;
      expect(await change('replay', [first, '999999999999'])).toEqual(['REPLAYED', 'NOT_FOUND']);
      expect(await change('drop', [second, first])).toEqual(['DROPPED', 'NOT_FOUND']);
      await service.query(`DELETE FROM ${app}.parked WHERE handler = $1`, [handler]);
    }
  });
});

describe('operators of billing', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());

  test('set, list and retire products, and find each change in the audit list', async () => {
    const billing = await Operator.create(service, ['BILLING']);
    const productId = `p-${randomUUID().slice(0, 8)}`;
    const product = { productId, title: 'Plan', amount: 500, currency: 'EUR', periodDays: 30 };
    const post = (action: string, body: object) => billing.post(`${OPERATOR_PATH}product/${action}`, body);
    await expectOk(post('set', product));
    await expectOk(post('set', { ...product, cloudBytes: 1024 }));
    const list = () => expectOk(billing.get<OperatorProductPageDto>(`${OPERATOR_PATH}product/list`, { limit: 200 }));
    const found = async () => (await list()).items.find((each) => each.productId === productId);
    expect(await found()).toEqual({
      ...product,
      kind: 'CLOUD_SPACE',
      cloudBytes: 1024,
      changedAt: expect.any(Number),
      retiredAt: null,
    });
    await expectOk(post('retire', { productId }));
    expect(await found()).toMatchObject({ retiredAt: expect.any(Number) });
    expect((await post('retire', { productId })).body['reason']).toBe('PRODUCT_NOT_FOUND');
    const entries = await service.query<{ operation: string }>(
      `SELECT operation, fields ->> 'productId' AS id FROM userctx.operator_audit_entry
       WHERE actor = $1 AND operation = 'setProduct' ORDER BY time LIMIT 2`,
      [`operator:${billing.credentials.operatorId}`],
    );
    expect(entries).toEqual([
      { operation: 'setProduct', id: productId },
      { operation: 'setProduct', id: productId },
    ]);
  });

  test('the command line diagnoses deliveries, and escapes control characters', async () => {
    const family = await FamilyFixture.create(service);
    const output = await runOperatorProgram(service, 'deliveries', 'get', '--family-id', family.familyId);
    const [summary = '', ...items] = output.trim().split('\n');
    expect(JSON.parse(summary)).toMatchObject({ familyId: family.familyId, unknownProjections: null });
    expect(items).toHaveLength(3);
    const productId = `p-${randomUUID().slice(0, 8)}`;
    const options = ['--amount', '1', '--currency', 'EUR', '--days', '1'];
    await runOperatorProgram(service, 'products', 'set', productId, '--title', 'a', ...options);
    // An earlier build accepted control characters in titles.
    await service.query('UPDATE userctx.payment_product SET title = $2 WHERE product_id = $1', [
      productId,
      'a\u001b[2Jb\u202e',
    ]);
    const listed = await runOperatorProgram(service, 'products', 'list');
    expect(listed).toContain(`${productId}  WATCH_PLAN  1 EUR (minor unit)  1 days  a\\u{1b}[2Jb\\u{202e}`);
    await runOperatorProgram(service, 'products', 'retire', productId);
    family.disconnectAll();
  });
});
