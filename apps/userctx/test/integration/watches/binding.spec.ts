import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { BindCodeDto } from '@family-watch/domain/watches/dto/watch.dto';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { FamilyRosterService } from '../../../src/families/family-roster.service.js';
import { WatchBindingService, BIND_CODE_TTL_SECONDS } from '../../../src/watches/binding/watch-binding.service.js';
import {
  WatchIdentityService,
  UNBOUND_WATCH_RETENTION_MS,
} from '../../../src/watches/identity/watch-identity.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import { createImei, changeOneCharacter, TestWatch } from '../../support/test-watch.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let bindings: WatchBindingService;
let owner: Principal;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  bindings = replica.get(WatchBindingService);
  owner = await environment.createPerson(replica);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

const errorWith = (reason: string) => expect.objectContaining({ reason });

const outcomes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'ok' : (result.reason as { reason: string }).reason));

/** Returns the bind code with a wrong confirm code. */
function withWrongConfirmCode({ bindCode, confirmCode }: BindCodeDto) {
  return { bindCode, confirmCode: String((Number(confirmCode) + 1) % 1_000_000).padStart(6, '0') };
}

const triesOf = ({ did }: TestWatch) => environment.query('SELECT tries FROM userctx.bind_code WHERE did = $1', [did]);
const addGuardian = (familyId: string) =>
  environment.addMember(replica, familyId, { role: 2, permissions: ['LOCATION'] });

const didOf = async (cid: string) => {
  const [link] = await environment.query<{ did: number | null }>(
    'SELECT did FROM userctx.family_child WHERE cid = $1',
    [cid],
  );
  return link?.did;
};

type BoundFamily = Awaited<ReturnType<typeof createBoundFamily>> & { parent: Principal };

/** Delivers the newest event of this name to the handler of the watches. */
async function deliverChange(
  { familyId }: { familyId: string },
  name: 'userctx.child.deleted' | 'userctx.child.restored',
): Promise<void> {
  const payload = (await environment.events(name, familyId)).at(-1)!;
  await environment.deliver(replica, 'userctx.watches.end-binding-of-deleted-child', { name, payload });
}

async function deleteChild(family: BoundFamily): Promise<void> {
  await replica.get(ChildDeletionService).delete(family.parent, family.cid);
  await deliverChange(family, 'userctx.child.deleted');
}

async function restoreChild(family: BoundFamily): Promise<void> {
  await replica.get(ChildDeletionService).restore(family.parent, family.cid);
  await deliverChange(family, 'userctx.child.restored');
}

/** Creates a family and deletes its child, which has a watch; `prepare` is called before the deletion. */
async function createDeletedFamily(prepare?: (family: BoundFamily) => Promise<void>): Promise<BoundFamily> {
  const parent = await environment.createPerson(replica);
  const family = { ...(await createBoundFamily(environment, replica, parent)), parent };
  await prepare?.(family);
  await deleteChild(family);
  return family;
}

describe('binding a watch', () => {
  test('publishes the watch of the child in a family snapshot, and stores the relationship of the owner', async () => {
    const [cid, watch] = [await environment.createChild(replica, owner), await TestWatch.createEnrolled(replica)];
    const familyId = await environment.familyOf(cid);
    const { bindCode, confirmCode, expiresIn } = await watch.bindCode(replica);
    expect(expiresIn).toBe(BIND_CODE_TTL_SECONDS);
    expect(Buffer.from(bindCode, 'base64url')).toHaveLength(16);
    expect(confirmCode).toMatch(/^\d{6}$/);
    const typedCode = `${confirmCode.slice(0, 3)} ${confirmCode.slice(3)}`;
    const request = { bindCode, confirmCode: typedCode, cid, appellation: 'Mama', identityType: 2 } as const;
    expect(await bindings.bind(owner, request)).toBe(watch.did);

    const event = (await environment.events('userctx.watch.bound', familyId)).at(-1);
    expect(event).toMatchObject({ familyId, cid, did: watch.did, by: `user:${owner.id}` });
    const snapshot = (await environment.events('userctx.family.changed', familyId)).at(-1);
    expect(snapshot?.children).toContainEqual({ cid, did: watch.did });
    const [contact] = await environment.query<{ appellation: string; identity_type: number }>(
      'SELECT appellation, identity_type FROM userctx.contact WHERE cid = $1 AND role = 1',
      [cid],
    );
    expect(contact).toEqual({ appellation: 'Mama', identity_type: 2 });
  });

  test('stores neither the bind code nor the confirm code in plain text', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    const { bindCode, confirmCode } = await watch.bindCode(replica);
    const [row] = await environment.query<object>('SELECT * FROM userctx.bind_code WHERE did = $1', [watch.did]);
    const stored = JSON.stringify(row, (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    );
    expect(stored).not.toContain(bindCode);
    expect(stored).not.toContain(confirmCode);
  });

  test('accepts a code once, even for two concurrent requests', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    const [first, second] = [
      await environment.createChild(replica, owner),
      await environment.createChild(replica, owner),
    ];
    const { bindCode, confirmCode } = await watch.bindCode(replica);
    const results = await Promise.allSettled(
      [first, second].map((cid) => bindings.bind(owner, { bindCode, confirmCode, cid })),
    );
    expect(outcomes(results).toSorted()).toEqual(['BIND_CODE_INVALID', 'ok']);
    const unboundCid = results[0]?.status === 'fulfilled' ? second : first;
    await expect(bindings.bind(owner, { bindCode, confirmCode, cid: unboundCid })).rejects.toEqual(
      errorWith('BIND_CODE_INVALID'),
    );
  });

  test('succeeds once when two owners bind the same watch concurrently', async () => {
    const otherOwner = await environment.createPerson(replica);
    const [ownChild, otherChild] = [
      await environment.createChild(replica, owner),
      await environment.createChild(replica, otherOwner),
    ];
    const watch = await TestWatch.createEnrolled(replica);
    const code = await watch.bindCode(replica);
    const results = await Promise.allSettled([
      bindings.bind(owner, { ...code, cid: ownChild }),
      bindings.bind(otherOwner, { ...code, cid: otherChild }),
    ]);
    expect(outcomes(results).toSorted()).toEqual(['BIND_CODE_INVALID', 'ok']);
    const children = await environment.query('SELECT 1 FROM userctx.family_child WHERE did = $1', [watch.did]);
    expect(children).toHaveLength(1);
  });

  test('succeeds once when two watches are bound to the same child concurrently', async () => {
    const cid = await environment.createChild(replica, owner);
    const watches = [await TestWatch.createEnrolled(replica), await TestWatch.createEnrolled(replica)];
    const codes = await Promise.all(watches.map((watch) => watch.bindCode(replica)));
    const results = await Promise.allSettled(codes.map((code) => bindings.bind(owner, { ...code, cid })));
    expect(outcomes(results).toSorted()).toEqual(['CHILD_HAS_WATCH', 'ok']);
    // The code of the rejected request is still valid.
    const rejectedIndex = results[0]?.status === 'fulfilled' ? 1 : 0;
    const other = await environment.createChild(replica, owner);
    const code = codes[rejectedIndex];
    await expect(code && bindings.bind(owner, { ...code, cid: other })).resolves.toBe(watches[rejectedIndex]?.did);
  });

  test('succeeds once when two watches with the same IMEI are bound concurrently', async () => {
    const imei = createImei();
    const otherOwner = await environment.createPerson(replica);
    const children = [
      await environment.createChild(replica, owner),
      await environment.createChild(replica, otherOwner),
    ] as const;
    const watches = [
      await TestWatch.createEnrolled(replica, imei),
      await TestWatch.createEnrolled(replica, imei),
    ] as const;
    const codes = [await watches[0].bindCode(replica), await watches[1].bindCode(replica)] as const;
    const results = await Promise.allSettled([
      bindings.bind(owner, { ...codes[0], cid: children[0] }),
      bindings.bind(otherOwner, { ...codes[1], cid: children[1] }),
    ]);
    expect(outcomes(results).toSorted()).toEqual(['IMEI_TAKEN', 'ok']);
  });
});

describe('bind codes', () => {
  test('are rejected when they are forged, expired or replaced, and after five wrong attempts', async () => {
    const cid = await environment.createChild(replica, owner);
    const watch = await TestWatch.createEnrolled(replica);
    const replacedCode = await watch.bindCode(replica);
    const code = await watch.bindCode(replica);
    const invalid = errorWith('BIND_CODE_INVALID');
    await expect(bindings.bind(owner, { ...replacedCode, cid })).rejects.toEqual(invalid);
    await expect(bindings.bind(owner, { ...code, bindCode: changeOneCharacter(code.bindCode), cid })).rejects.toEqual(
      invalid,
    );
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(bindings.bind(owner, { ...withWrongConfirmCode(code), cid })).rejects.toEqual(invalid);
    }
    await expect(bindings.bind(owner, { ...code, cid })).rejects.toEqual(invalid);
    const expiringCode = await watch.bindCode(replica);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + BIND_CODE_TTL_SECONDS * 1_000 + 1_000);
    await expect(bindings.bind(owner, { ...expiringCode, cid })).rejects.toEqual(invalid);
  });

  test('are invalid after five wrong confirm codes, also when 200 wrong confirm codes arrive concurrently', async () => {
    const cid = await environment.createChild(replica, owner);
    const watch = await TestWatch.createEnrolled(replica);
    const code = await watch.bindCode(replica);
    const guesses = Array.from({ length: 200 }, () => bindings.bind(owner, { ...withWrongConfirmCode(code), cid }));
    expect(new Set(outcomes(await Promise.allSettled(guesses)))).toEqual(new Set(['BIND_CODE_INVALID']));
    expect(await triesOf(watch)).toEqual([{ tries: 5 }]);
  });

  test('are not issued to a bound watch', async () => {
    const { watch } = await createBoundFamily(environment, replica, owner);
    await expect(watch.bindCode(replica)).rejects.toEqual(errorWith('WATCH_ALREADY_BOUND'));
  });

  test('count no attempt by strangers and by members other than the owner', async () => {
    const cid = await environment.createChild(replica, owner);
    const watch = await TestWatch.createEnrolled(replica);
    const code = await watch.bindCode(replica);
    const guardian = await addGuardian(await environment.familyOf(cid));
    const stranger = await environment.createPerson(replica);
    await expect(bindings.bind(guardian, { ...code, cid })).rejects.toEqual(errorWith('PERMISSION_MISSING'));
    await expect(bindings.bind(stranger, { ...code, cid })).rejects.toEqual(errorWith('CHILD_NOT_FOUND'));
    await expect(bindings.bind(owner, { ...code, cid: 'no such child' })).rejects.toEqual(errorWith('CHILD_NOT_FOUND'));
    expect(await triesOf(watch)).toEqual([{ tries: 0 }]);
  });
});

describe('unbinding a watch', () => {
  test('requires the owner and a step-up, and the watch can then still get tokens and be bound again', async () => {
    const { cid, familyId, watch } = await createBoundFamily(environment, replica, owner);
    const { did } = watch;
    const [guardian, stranger] = [await addGuardian(familyId), await environment.createPerson(replica)];
    const stepUp = { password: PASSWORD };
    await expect(bindings.unbindWithStepUp(stranger, { did, stepUp })).rejects.toEqual(errorWith('WATCH_NOT_FOUND'));
    await expect(bindings.unbindWithStepUp(guardian, { did, stepUp })).rejects.toEqual(errorWith('PERMISSION_MISSING'));
    await expect(bindings.unbindWithStepUp(owner, { did })).rejects.toEqual(errorWith('STEP_UP_REQUIRED'));
    await expect(bindings.unbindWithStepUp(owner, { did, stepUp: { password: 'wrong' } })).rejects.toEqual(
      errorWith('STEP_UP_REQUIRED'),
    );
    await bindings.unbindWithStepUp(owner, { did, stepUp });

    expect((await environment.events('userctx.watch.unbound', familyId)).at(-1)).toMatchObject({ familyId, cid, did });
    expect((await environment.events('userctx.family.changed', familyId)).at(-1)?.children).toContainEqual({
      cid,
      did: null,
    });
    expect(await replica.get(FamilyRosterService).findChildOfWatch(did)).toBeNull();
    await expect(bindings.unbindWithStepUp(owner, { did, stepUp })).rejects.toEqual(errorWith('WATCH_NOT_FOUND'));
    await expect(watch.token(replica)).resolves.toBeDefined();
    await watch.bindTo(replica, owner, cid);
  });

  test('happens when the child is deleted', async () => {
    const { cid, familyId, watch } = await createBoundFamily(environment, replica, owner);
    await replica.get(ChildDeletionService).delete(owner, cid);
    const payload = { familyId, cid, did: watch.did, by: `user:${owner.id}` } as const;
    await environment.deliver(replica, 'userctx.watches.end-binding-of-deleted-child', {
      name: 'userctx.child.deleted',
      payload,
    });
    await watch.bindTo(replica, owner, await environment.createChild(replica, owner));
  });

  test('is undone when the child is restored', async () => {
    const family = await createDeletedFamily();
    // The job deletes other watches that were unbound for as long.
    await replica.get(WatchIdentityService).deleteExpired(Date.now() + UNBOUND_WATCH_RETENTION_MS + 1_000);
    await restoreChild(family);
    const { cid, familyId, parent, watch } = family;
    expect(await didOf(cid)).toBe(watch.did);
    const bound = { cid, familyId, did: watch.did, by: `user:${parent.id}`, time: expect.any(Number) };
    expect((await environment.events('userctx.watch.bound', familyId)).at(-1)).toEqual(bound);
    expect(await environment.query('SELECT 1 FROM userctx.watch_binding WHERE did = $1', [watch.did])).toHaveLength(2);
    await deleteChild(family);
    await restoreChild(family);
    expect(await didOf(cid)).toBe(watch.did);
  });

  test('is not undone when the watch has acted for another child since, or its key was revoked', async () => {
    const [taken, returned, revoked] = [
      await createDeletedFamily(),
      await createDeletedFamily(),
      await createDeletedFamily(),
    ];
    for (const { watch } of [taken, returned])
      await watch.bindTo(replica, owner, await environment.createChild(replica, owner));
    await bindings.unbind(owner, returned.watch.did);
    await replica.get(WatchIdentityService).revokeKey(revoked.watch.did, `user:${owner.id}`);
    for (const family of [taken, returned, revoked]) {
      await restoreChild(family);
      expect(await didOf(family.cid)).toBeNull();
    }
  });

  test('is not undone when the watch was unbound before the deletion, or the child has another watch', async () => {
    const unbound = await createDeletedFamily(async ({ parent, watch }) => bindings.unbind(parent, watch.did));
    await restoreChild(unbound);
    expect(await didOf(unbound.cid)).toBeNull();
    const { parent, cid, familyId } = await createDeletedFamily();
    await replica.get(ChildDeletionService).restore(parent, cid);
    const another = await TestWatch.createEnrolled(replica);
    await another.bindTo(replica, parent, cid);
    await deliverChange({ familyId }, 'userctx.child.restored');
    expect(await didOf(cid)).toBe(another.did);
  });

  test('happens when the key of the watch is revoked', async () => {
    const { cid, familyId, watch } = await createBoundFamily(environment, replica, owner);
    await replica.get(WatchIdentityService).revokeKey(watch.did, `user:${owner.id}`);
    expect((await environment.events('userctx.watch.unbound', familyId)).at(-1)).toMatchObject({ did: watch.did });
    const another = await TestWatch.createEnrolled(replica, watch.imei);
    await another.bindTo(replica, owner, cid);
  });

  test('is required before the cleanup job deletes a watch', async () => {
    const { watch } = await createBoundFamily(environment, replica, owner);
    await replica.get(WatchIdentityService).deleteExpired(Date.now() + UNBOUND_WATCH_RETENTION_MS + 1_000);
    await expect(watch.token(replica)).resolves.toBeDefined();
  });
});

describe('lists of watches', () => {
  test('contain the watches that a member may see, and are paginated', async () => {
    const parent = await environment.createPerson(replica);
    const dids: number[] = [];
    let familyId = '';
    for (let index = 0; index < 3; index += 1) {
      const bound = await createBoundFamily(environment, replica, parent);
      familyId = bound.familyId;
      dids.push(bound.watch.did);
    }
    const sorted = dids.toSorted((a, b) => a - b);
    const first = await bindings.list(parent, { limit: 2 });
    expect(first.items.map(({ did }) => did)).toEqual(sorted.slice(0, 2));
    const second = await bindings.list(parent, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ did }) => did)).toEqual(sorted.slice(2));
    expect(second.nextCursor).toBeNull();
    const guardian = await addGuardian(familyId);
    expect((await bindings.list(guardian, {})).items).toHaveLength(3);
    expect((await bindings.list(await environment.createPerson(replica), {})).items).toEqual([]);
    await expect(bindings.list(parent, { cursor: 'x' })).rejects.toEqual(errorWith('VALIDATION_FAILED'));
  });
});
