import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { BindCodeDto } from '@family-watch/domain/watches/dto/binding.dto';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { ChildWatchLinksService } from '../../../src/contexts/families/child-watch-links.service.js';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfilesService } from '../../../src/contexts/families/member-profiles.service.js';
import { BIND_CODE_TTL_SECONDS } from '../../../src/contexts/watches/binding/bind-code.service.js';
import { DeviceService } from '../../../src/contexts/watches/device.service.js';
import { CloseBindingOfDeletedChildHandler } from '../../../src/contexts/watches/binding/close-binding-of-deleted-child.handler.js';
import { UNBOUND_WATCH_RETENTION_MS, WatchExpiryJob } from '../../../src/contexts/watches/watch-expiry.job.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { WatchRevocationService } from '../../../src/contexts/watches/identity/watch-revocation.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { freshImei, tampered, TestWatch } from '../../support/test-watch.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let bindings: WatchBindingService;
let owner: Principal;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  bindings = replica.get(WatchBindingService);
  owner = await world.person(replica);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => world.close());

const refused = (reason: string) => expect.objectContaining({ reason });

const outcomes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'won' : (result.reason as { reason: string }).reason));

/** What a request to bind holds, with digits that are certainly wrong. */
function wrongDigits({ bindCode, confirmCode }: BindCodeDto) {
  return { bindCode, confirmCode: String((Number(confirmCode) + 1) % 1_000_000).padStart(6, '0') };
}

async function guardianOf(familyId: string): Promise<Principal> {
  const guardian = await world.person(replica);
  const { card } = await replica.get(MemberProfilesService).get(guardian.id);
  const grant = { role: 2, permissions: ['LOCATION'], childPermissions: {} } as const;
  await replica
    .get(UserctxUnitOfWork)
    .run(() =>
      replica
        .get(FamilyRosterService)
        .addMember(familyId, guardian.id, { ...grant, permissions: [...grant.permissions] }, card),
    );
  return guardian;
}

describe('binding', () => {
  it('makes the watch act as the child, and tells it after the snapshot of the family', async () => {
    const [cid, watch] = [await world.child(replica, owner), await TestWatch.enrolled(replica)];
    const familyId = await world.familyOf(cid);
    const { bindCode, confirmCode, expiresIn } = await watch.bindCode(replica);
    expect(expiresIn).toBe(BIND_CODE_TTL_SECONDS);
    expect(Buffer.from(bindCode, 'base64url')).toHaveLength(16);
    expect(confirmCode).toMatch(/^\d{6}$/);
    const request = { bindCode, confirmCode, cid, appellation: 'Mama', identityType: 2 } as const;
    expect(await bindings.bind(owner, request)).toBe(watch.did);

    const fact = (await world.events('userctx.watch.bound', familyId)).at(-1);
    expect(fact).toMatchObject({ familyId, cid, did: watch.did, by: `user:${owner.id}` });
    const snapshot = (await world.events('userctx.family.changed', familyId)).at(-1);
    expect(snapshot?.children).toContainEqual({ cid, did: watch.did });
    const [contact] = await world.query<{ appellation: string; identity_type: number }>(
      'select appellation, identity_type from userctx.contact where cid = $1 and role = 1',
      [cid],
    );
    expect(contact).toEqual({ appellation: 'Mama', identity_type: 2 });
  });

  it('keeps no code that could be used', async () => {
    const watch = await TestWatch.enrolled(replica);
    const { bindCode, confirmCode } = await watch.bindCode(replica);
    const [row] = await world.query<object>('select * from userctx.bind_code where did = $1', [watch.did]);
    const stored = JSON.stringify(row, (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    );
    expect(stored).not.toContain(bindCode);
    expect(stored).not.toContain(confirmCode);
  });

  it('uses a code up, also when it is sent twice at once', async () => {
    const watch = await TestWatch.enrolled(replica);
    const [first, second] = [await world.child(replica, owner), await world.child(replica, owner)];
    const { bindCode, confirmCode } = await watch.bindCode(replica);
    const results = await Promise.allSettled(
      [first, second].map((cid) => bindings.bind(owner, { bindCode, confirmCode, cid })),
    );
    expect(outcomes(results).toSorted()).toEqual(['BIND_CODE_INVALID', 'won']);
    const free = results[0]?.status === 'fulfilled' ? second : first;
    await expect(bindings.bind(owner, { bindCode, confirmCode, cid: free })).rejects.toEqual(
      refused('BIND_CODE_INVALID'),
    );
  });

  it('lets one of two owners win a watch', async () => {
    const rival = await world.person(replica);
    const [mine, theirs] = [await world.child(replica, owner), await world.child(replica, rival)];
    const watch = await TestWatch.enrolled(replica);
    const code = await watch.bindCode(replica);
    const results = await Promise.allSettled([
      bindings.bind(owner, { ...code, cid: mine }),
      bindings.bind(rival, { ...code, cid: theirs }),
    ]);
    expect(outcomes(results).toSorted()).toEqual(['BIND_CODE_INVALID', 'won']);
    const bound = await world.query('select 1 from userctx.family_child where did = $1', [watch.did]);
    expect(bound).toHaveLength(1);
  });

  it('lets one of two watches win a child', async () => {
    const cid = await world.child(replica, owner);
    const watches = [await TestWatch.enrolled(replica), await TestWatch.enrolled(replica)];
    const codes = await Promise.all(watches.map((watch) => watch.bindCode(replica)));
    const results = await Promise.allSettled(codes.map((code) => bindings.bind(owner, { ...code, cid })));
    expect(outcomes(results).toSorted()).toEqual(['CHILD_HAS_WATCH', 'won']);
    // The loser's code was not used up.
    const loser = results[0]?.status === 'fulfilled' ? 1 : 0;
    const other = await world.child(replica, owner);
    const code = codes[loser];
    await expect(code && bindings.bind(owner, { ...code, cid: other })).resolves.toBe(watches[loser]?.did);
  });

  it('lets one of two watches that claim an IMEI win it', async () => {
    const imei = freshImei();
    const rival = await world.person(replica);
    const children = [await world.child(replica, owner), await world.child(replica, rival)] as const;
    const watches = [await TestWatch.enrolled(replica, imei), await TestWatch.enrolled(replica, imei)] as const;
    const codes = [await watches[0].bindCode(replica), await watches[1].bindCode(replica)] as const;
    const results = await Promise.allSettled([
      bindings.bind(owner, { ...codes[0], cid: children[0] }),
      bindings.bind(rival, { ...codes[1], cid: children[1] }),
    ]);
    expect(outcomes(results).toSorted()).toEqual(['IMEI_TAKEN', 'won']);
  });
});

describe('bind codes', () => {
  it('are refused when forged, expired, replaced, or tried five times', async () => {
    const cid = await world.child(replica, owner);
    const watch = await TestWatch.enrolled(replica);
    const old = await watch.bindCode(replica);
    const code = await watch.bindCode(replica);
    const invalid = refused('BIND_CODE_INVALID');
    await expect(bindings.bind(owner, { ...old, cid })).rejects.toEqual(invalid);
    await expect(bindings.bind(owner, { ...code, bindCode: tampered(code.bindCode), cid })).rejects.toEqual(invalid);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(bindings.bind(owner, { ...wrongDigits(code), cid })).rejects.toEqual(invalid);
    }
    await expect(bindings.bind(owner, { ...code, cid })).rejects.toEqual(invalid);
    const fresh = await watch.bindCode(replica);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + BIND_CODE_TTL_SECONDS * 1_000 + 1_000);
    await expect(bindings.bind(owner, { ...fresh, cid })).rejects.toEqual(invalid);
  });

  it('count five tries even of 200 parallel guesses', async () => {
    const cid = await world.child(replica, owner);
    const watch = await TestWatch.enrolled(replica);
    const code = await watch.bindCode(replica);
    const guesses = Array.from({ length: 200 }, () => bindings.bind(owner, { ...wrongDigits(code), cid }));
    expect(new Set(outcomes(await Promise.allSettled(guesses)))).toEqual(new Set(['BIND_CODE_INVALID']));
    const [row] = await world.query<{ tries: number }>('select tries from userctx.bind_code where did = $1', [
      watch.did,
    ]);
    expect(row?.tries).toBe(5);
  });

  it('are not given by a bound watch', async () => {
    const cid = await world.child(replica, owner);
    const watch = await TestWatch.enrolled(replica);
    await watch.bindTo(replica, owner, cid);
    await expect(watch.bindCode(replica)).rejects.toEqual(refused('WATCH_ALREADY_BOUND'));
  });

  it('open nothing for strangers and members who are not the owner, and cost them no try', async () => {
    const cid = await world.child(replica, owner);
    const watch = await TestWatch.enrolled(replica);
    const code = await watch.bindCode(replica);
    const guardian = await guardianOf(await world.familyOf(cid));
    const stranger = await world.person(replica);
    await expect(bindings.bind(guardian, { ...code, cid })).rejects.toEqual(refused('PERMISSION_MISSING'));
    await expect(bindings.bind(stranger, { ...code, cid })).rejects.toEqual(refused('CHILD_NOT_FOUND'));
    await expect(bindings.bind(owner, { ...code, cid: 'no such child' })).rejects.toEqual(refused('CHILD_NOT_FOUND'));
    const [row] = await world.query<{ tries: number }>('select tries from userctx.bind_code where did = $1', [
      watch.did,
    ]);
    expect(row?.tries).toBe(0);
  });
});

describe('unbinding', () => {
  it('needs the owner and a step-up; the watch keeps its token and can be bound anew', async () => {
    const devices = replica.get(DeviceService);
    const [cid, watch] = [await world.child(replica, owner), await TestWatch.enrolled(replica)];
    const familyId = await world.familyOf(cid);
    await watch.bindTo(replica, owner, cid);
    const { did } = watch;
    const [guardian, stranger] = [await guardianOf(familyId), await world.person(replica)];
    const stepUp = { password: PASSWORD };
    await expect(devices.unbind(stranger, { did, stepUp })).rejects.toEqual(refused('WATCH_NOT_FOUND'));
    await expect(devices.unbind(guardian, { did, stepUp })).rejects.toEqual(refused('PERMISSION_MISSING'));
    await expect(devices.unbind(owner, { did })).rejects.toEqual(refused('STEP_UP_REQUIRED'));
    await expect(devices.unbind(owner, { did, stepUp: { password: 'wrong' } })).rejects.toEqual(
      refused('STEP_UP_REQUIRED'),
    );
    await devices.unbind(owner, { did, stepUp });

    expect((await world.events('userctx.watch.unbound', familyId)).at(-1)).toMatchObject({ familyId, cid, did });
    expect((await world.events('userctx.family.changed', familyId)).at(-1)?.children).toContainEqual({
      cid,
      did: null,
    });
    expect(await replica.get(ChildWatchLinksService).findByWatch(did)).toBeNull();
    await expect(devices.unbind(owner, { did, stepUp })).rejects.toEqual(refused('WATCH_NOT_FOUND'));
    await expect(watch.token(replica)).resolves.toBeDefined();
    await watch.bindTo(replica, owner, cid);
  });

  it('follows the deletion of the child', async () => {
    const [cid, watch] = [await world.child(replica, owner), await TestWatch.enrolled(replica)];
    const familyId = await world.familyOf(cid);
    await watch.bindTo(replica, owner, cid);
    await replica.get(ChildDeletionService).delete(owner, cid);
    const payload = { familyId, cid, did: watch.did, by: `user:${owner.id}` } as const;
    await world.deliver(replica, replica.get(CloseBindingOfDeletedChildHandler), {
      name: 'userctx.child.deleted',
      payload,
    });
    await watch.bindTo(replica, owner, await world.child(replica, owner));
  });

  it('follows the end of the key', async () => {
    const [cid, watch] = [await world.child(replica, owner), await TestWatch.enrolled(replica)];
    await watch.bindTo(replica, owner, cid);
    await replica.get(WatchRevocationService).revokeKey(watch.did, `user:${owner.id}`);
    const familyId = await world.familyOf(cid);
    expect((await world.events('userctx.watch.unbound', familyId)).at(-1)).toMatchObject({ did: watch.did });
    const another = await TestWatch.enrolled(replica, watch.imei);
    await another.bindTo(replica, owner, cid);
  });

  it('spares bound watches from being forgotten', async () => {
    const [cid, watch] = [await world.child(replica, owner), await TestWatch.enrolled(replica)];
    await watch.bindTo(replica, owner, cid);
    await replica.get(WatchExpiryJob).run(Date.now() + UNBOUND_WATCH_RETENTION_MS + 1_000);
    await expect(watch.token(replica)).resolves.toBeDefined();
  });
});

describe('lists of watches', () => {
  it('show each member what they may see, page by page', async () => {
    const [parent, devices] = [await world.person(replica), replica.get(DeviceService)];
    const dids: number[] = [];
    let familyId = '';
    for (let index = 0; index < 3; index += 1) {
      const [cid, watch] = [await world.child(replica, parent), await TestWatch.enrolled(replica)];
      await watch.bindTo(replica, parent, cid);
      familyId = await world.familyOf(cid);
      dids.push(watch.did);
    }
    const sorted = dids.toSorted((a, b) => a - b);
    const first = await devices.list(parent, { limit: 2 });
    expect(first.items.map(({ did }) => did)).toEqual(sorted.slice(0, 2));
    const second = await devices.list(parent, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ did }) => did)).toEqual(sorted.slice(2));
    expect(second.nextCursor).toBeNull();
    const guardian = await guardianOf(familyId);
    expect((await devices.list(guardian, {})).items).toHaveLength(3);
    expect((await devices.list(await world.person(replica), {})).items).toEqual([]);
    await expect(devices.list(parent, { cursor: 'x' })).rejects.toEqual(refused('VALIDATION_FAILED'));
  });
});
