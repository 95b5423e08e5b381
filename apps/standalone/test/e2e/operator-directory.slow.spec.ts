import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  AccountPageDto,
  AccountStateDto,
  FamilyStatePageDto,
} from '@family-watch/domain/operators/dto/directory.dto';
import type { WatchPageDto } from '@family-watch/domain/operators/dto/fleet.dto';
import type { OrderListDto } from '@family-watch/domain/payments/dto/payment.dto';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { Operator, OPERATOR_PATH } from '../support/operator.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { Watch } from '../support/watch.js';

const path = (name: string) => `${OPERATOR_PATH}${name}`;

describe('what operators find', () => {
  let service: TestService;
  let family: FamilyFixture;
  let admin: Operator;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    family = await FamilyFixture.create(service);
    admin = await Operator.create(service, ['ADMIN']);
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  const find = (phoneNumber: string) =>
    admin.post<AccountStateDto>(path('user/find'), { areaCode: '+86', phoneNumber });
  const listAccounts = (query: object) => expectOk(admin.get<AccountPageDto>(path('user/list'), { ...query }));
  const listFamilies = (query: object) => expectOk(admin.get<FamilyStatePageDto>(path('family/list'), { ...query }));
  const listWatches = (query: object) => expectOk(admin.get<WatchPageDto>(path('watch/list'), { ...query }));

  /** Reads all pages of a list, each with one item. */
  async function readAll<Item>(
    list: (query: object) => Promise<{ items: Item[]; nextCursor: string | null }>,
    query: object = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: Item[]; nextCursor: string | null } = await list({ ...query, limit: 1, cursor });
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  test('a person by the whole phone number, without name and number, also in the audit list', async () => {
    const { owner, familyId } = family;
    const found = await expectOk(find(owner.phoneNumber));
    expect(found).toEqual({
      userId: owner.userId,
      createdAt: expect.any(Number),
      suspendedAt: null,
      hasPassword: expect.any(Boolean),
      sessions: 1,
      families: [{ familyId, role: 1 }],
    });
    for (const part of [owner.phoneNumber.slice(0, 10), '19999999999'])
      expect((await find(part)).body).toMatchObject({
        reason: expect.stringMatching(/^(VALIDATION_FAILED|ACCOUNT_NOT_FOUND)$/),
      });
    const entries = await service.query<{ fields: object }>(
      `SELECT fields FROM userctx.operator_audit_entry WHERE operation = 'findAccountState'`,
    );
    expect(entries.map(({ fields }) => fields)).toEqual(Array.from({ length: 3 }, () => ({ areaCode: '+86' })));
  });

  test('accounts by page, by state and by id', async () => {
    const suspended = await Parent.signUp(service);
    await expectOk(admin.post(path('user/suspend'), { userId: suspended.userId }));
    const all = await readAll(listAccounts);
    const [owner, guardian] = [family.owner, family.guardian].map(({ userId }) => userId);
    expect(all.map(({ userId }) => userId).slice(0, 1)).toEqual([suspended.userId]);
    expect(
      all
        .slice(1)
        .map(({ userId }) => userId)
        .sort(),
    ).toEqual([owner, guardian].sort());
    expect(await readAll(listAccounts, { state: 'SUSPENDED' })).toEqual([
      {
        ...all[0],
        suspendedAt: expect.any(Number),
        sessions: 0,
        families: [],
      },
    ]);
    expect(await readAll(listAccounts, { state: 'ACTIVE' })).toEqual(all.slice(1));
    const found = all.filter(({ userId }) => userId === owner);
    expect(await readAll(listAccounts, { userId: owner?.toUpperCase() })).toEqual(found);
    for (const userId of ['x', randomUUID()]) expect((await listAccounts({ userId })).items).toEqual([]);
  });

  test('families by page, by state and by the id that a parent reads out', async () => {
    const { owner, guardian, watch, familyId } = family;
    const [found] = await readAll(listFamilies, { familyId });
    expect(found).toEqual({
      familyId,
      createdAt: expect.any(Number),
      dissolvedAt: null,
      members: [
        { userId: owner.userId, role: 1 },
        { userId: guardian.userId, role: 2 },
      ],
      children: [{ did: watch.did }],
      plans: [],
    });
    const all = await readAll(listFamilies);
    expect(all.filter((each) => each.familyId === familyId)).toEqual([found]);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort((a, b) => b - a));
    expect(await readAll(listFamilies, { state: 'DISSOLVED' })).toEqual([]);
    for (const unknown of ['x', randomUUID()]) expect((await listFamilies({ familyId: unknown })).items).toEqual([]);
  });

  test('watches by page and filter', async () => {
    const { watch } = family;
    const unbound = await Watch.enrol(service.url);
    const revoked = await Watch.enrol(service.url);
    await expectOk(admin.post(path('watch/revoke-key'), { did: revoked.did }));
    const { groupId } = await expectOk(
      admin.post<{ groupId: string }>(path('firmware/group/create'), { name: randomUUID() }),
    );
    await expectOk(admin.post(path('firmware/group/watch/add'), { groupId, dids: [unbound.did] }));
    const didsOf = async (query: object) => (await readAll(listWatches, query)).map(({ did }) => did);
    expect(await didsOf({})).toEqual([revoked.did, unbound.did, watch.did]);
    expect(await didsOf({ state: 'BOUND' })).toEqual([watch.did]);
    expect(await didsOf({ state: 'UNBOUND' })).toEqual([unbound.did]);
    expect(await didsOf({ state: 'REVOKED' })).toEqual([revoked.did]);
    expect(await didsOf({ imeiPrefix: unbound.imei })).toEqual([unbound.did]);
    expect(await didsOf({ imeiPrefix: '35', model: 'another model' })).toEqual([]);
    expect(await didsOf({ groupId })).toEqual([unbound.did]);
    expect(await didsOf({ groupId: 'x' })).toEqual([]);
    expect(await didsOf({ lastContactBefore: Date.now() - 3_600_000 })).toEqual([]);
    expect(await didsOf({ lastContactBefore: Date.now() + 3_600_000 })).toHaveLength(3);
    const { items } = await expectOk(admin.get<WatchPageDto>(path('watch/get'), { did: watch.did }));
    expect((await listWatches({ state: 'BOUND' })).items).toEqual(items);
  });

  test('a request examines a limited number of watches, and the next one continues', async () => {
    const { did } = family.watch;
    await service.query(
      `INSERT INTO userctx.watch (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at)
       SELECT number, sha256(number::text::bytea), '490154203237518', 'many', '1.0.0', $1, $1
         FROM generate_series(1, 20100) AS number`,
      [Date.now() + 60_000],
    );
    const first = await listWatches({ state: 'BOUND' });
    expect(first).toEqual({ items: [], nextCursor: expect.any(String) });
    const second = await listWatches({ state: 'BOUND', cursor: first.nextCursor });
    expect(second).toMatchObject({ items: [{ did }], nextCursor: null });
    await service.query(`DELETE FROM userctx.watch WHERE model = 'many'`);
  });

  test('orders of all families and of one', async () => {
    const { owner, familyId } = family;
    const productId = `p-${randomUUID().slice(0, 8)}`;
    await expectOk(
      admin.post(path('product/set'), {
        ...{ productId, title: 'Space', amount: 500, currency: 'EUR', periodDays: 30, cloudBytes: 1024 },
      }),
    );
    const { orderId } = await expectOk(
      owner.post<{ orderId: string }>('/apis/v2/payment/order/create', { productId, familyId }),
    );
    const list = (query: object) => expectOk(admin.get<OrderListDto>(path('order/list'), { ...query }));
    for (const query of [{}, { familyId }, { state: 'CREATED' }, { familyId, state: 'CREATED' }])
      expect(await readAll(list, query)).toMatchObject([{ orderId, productId, state: 'CREATED' }]);
    for (const query of [{ state: 'PAID' }, { familyId: randomUUID() }, { familyId: 'x' }])
      expect((await list(query)).items).toEqual([]);
  });

  test('no response contains a name, a phone number or a child', async () => {
    const responses = JSON.stringify([
      await listAccounts({ limit: 200 }),
      await listFamilies({ limit: 200 }),
      await listWatches({ limit: 200 }),
    ]);
    const { owner, guardian, cid } = family;
    for (const secret of [owner.phoneNumber, guardian.phoneNumber, cid, 'nickname', 'name"'])
      expect(responses).not.toContain(secret);
  });
});
