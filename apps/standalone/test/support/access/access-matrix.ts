import { expect } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { OPERATOR_ROLE } from '@family-watch/domain/operators/contracts/operator';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { ACCOUNT_ROWS, CHILD_ROWS, PASSWORD } from './account-rows.js';
import { CALL_ROWS } from './call-rows.js';
import { CENTER_ROWS } from './center-rows.js';
import { CLOUD_BATCH_TASK_ROWS } from './cloud-batch-task-rows.js';
import { CLOUD_CATALOG_ROWS } from './cloud-catalog-rows.js';
import { CLOUD_PHOTO_ROWS } from './cloud-photo-rows.js';
import { CLOUD_DOWNLOAD_ROWS } from './cloud-download-rows.js';
import { CLOUD_RECYCLE_BIN_ROWS } from './cloud-recycle-bin-rows.js';
import { CLOUD_SHARING_ROWS } from './cloud-sharing-rows.js';
import { CLOUD_UPLOAD_ROWS } from './cloud-upload-rows.js';
import { COMMAND_ROWS } from './command-rows.js';
import { CONVERSATION_ROWS } from './conversation-rows.js';
import { FENCE_ROWS } from './fence-rows.js';
import { FIRMWARE_ROWS } from './firmware-rows.js';
import { CLOUD_ROWS, FAMILY_ROWS } from './family-rows.js';
import { MEMBERSHIP_ROWS } from './membership-rows.js';
import { LOCATION_ROWS } from './location-rows.js';
import { PAYMENT_ROWS } from './payment-rows.js';
import { POSITIONING_ROWS } from './positioning-rows.js';
import { SETTINGS_ROWS } from './settings-rows.js';
import { declaredOperations } from '../declared-operations.js';
import { expectError, expectSuccess } from '../envelopes.js';
import { FamilyFixture } from '../family-fixture.js';
import { Operator } from '../operator.js';
import { expectOk, repeatWhileUnavailable, type ServiceResponse, type HttpClient } from '../http-client.js';
import { Parent } from '../parent.js';
import { tableDigests } from '../table-digests.js';
import type { TestService } from '../test-service.js';
import { pathsOf, callOperation, fingerprint } from './caller.js';
import { idsOf, createUnknownIds, type Ids } from './ids.js';
import type { OperationRow, Outcome, ProtectedRow, PublicRow } from './operation-row.js';

/**
 * The access matrix: the operations, their permitted callers, and the outcomes for ids of the own family and of another
 * family.
 */
export const ROWS: Readonly<Record<string, OperationRow>> = {
  ...ACCOUNT_ROWS,
  ...CHILD_ROWS,
  ...FAMILY_ROWS,
  ...CLOUD_ROWS,
  ...CLOUD_PHOTO_ROWS,
  ...CLOUD_BATCH_TASK_ROWS,
  ...CLOUD_DOWNLOAD_ROWS,
  ...CLOUD_RECYCLE_BIN_ROWS,
  ...CLOUD_SHARING_ROWS,
  ...CENTER_ROWS,
  ...SETTINGS_ROWS,
  ...POSITIONING_ROWS,
  ...PAYMENT_ROWS,
  ...FIRMWARE_ROWS,
  ...CLOUD_CATALOG_ROWS,
  ...CLOUD_UPLOAD_ROWS,
  ...COMMAND_ROWS,
  ...CALL_ROWS,
  ...CONVERSATION_ROWS,
  ...LOCATION_ROWS,
  ...FENCE_ROWS,
  ...MEMBERSHIP_ROWS,
};

const matrixEntries = Object.entries(ROWS);
export const PROTECTED_ROWS = matrixEntries.flatMap(([id, row]) =>
  row.callerKinds === 'public' ? [] : [[id, row] as const],
);
export const PUBLIC_ROWS = matrixEntries.flatMap(([id, row]) =>
  row.callerKinds === 'public' ? [[id, row] as const] : [],
);

const ACTORS = ['watch', 'guardian', 'owner'] as const;
type Actor = (typeof ACTORS)[number] | 'caregiver';

/** Values that are no id of any type. */
const MALFORMED_IDS: readonly unknown[] = [
  'x',
  "' OR 1=1 --",
  '../../secret.key',
  'constructor',
  '-1',
  '00000000-0000-4000-8000-00000000000g',
  '\u0000',
  'a'.repeat(200),
  -1,
  1.5,
  2 ** 60,
  'true',
  '[object Object]',
  'null',
  '%2e%2e',
  '9'.repeat(40),
  { $ne: '' },
];

/** Ids of a family, a child, a watch or a cloud, which apps check before the other ids of a request. */
const ROOT_IDS: readonly (keyof Ids)[] = ['familyId', 'cid', 'deletedCid', 'did', 'cloudID'];

/** People other than owner and guardian who have something to do with the family `own`. */
interface Acquaintances {
  caregiver: Parent;
  /** A member with the role CONTACT. */
  contact: Parent;
  /** A guardian whom the owner has removed. */
  formerGuardian: Parent;
  /** An operator of the service with every role. */
  operator: Operator;
}

/** Two families that each have one resource of every type. The checks call operations with the ids of both families. */
export class AccessMatrix {
  readonly unknownIds = createUnknownIds();

  private constructor(
    readonly service: TestService,
    private readonly declarations: ReadonlyMap<string, { route: DeclaredRoute; paths: string[] }>,
    readonly own: FamilyFixture,
    readonly foreign: FamilyFixture,
    private readonly acquaintances: Acquaintances,
    readonly ownIds: Ids,
    readonly foreignIds: Ids,
  ) {}

  /**
   * @param paths - `one` checks each operation at one of its paths, at the first path of one operation and at the next
   *   path of another, so that all kinds of paths occur; `others` checks the other paths
   */
  static async open(service: TestService, paths: 'one' | 'others'): Promise<AccessMatrix> {
    const declared = (await declaredOperations()).map((route, index) => {
      const all = pathsOf(route);
      const selected = all.filter((_, position) => (position === index % all.length) === (paths === 'one'));
      return [route.id, { route, paths: selected }] as const;
    });
    const [own, foreign] = await Promise.all([createFamily(service), createFamily(service)]);
    const [ownIds, foreignIds] = await Promise.all([idsOf(service, own), idsOf(service, foreign)]);
    const acquaintances = await createAcquaintances(service, own);
    await keepValid(service);
    return new AccessMatrix(service, new Map(declared), own, foreign, acquaintances, ownIds, foreignIds);
  }

  routeOf(id: string): DeclaredRoute {
    return this.declarationOf(id).route;
  }

  pathsOf(id: string): string[] {
    return this.declarationOf(id).paths;
  }

  private declarationOf(id: string): { route: DeclaredRoute; paths: string[] } {
    const declaration = this.declarations.get(id);
    if (!declaration) throw new Error(`No operation ${id}`);
    return declaration;
  }

  call(client: HttpClient, id: string, path: string, { request }: ProtectedRow, ids: Ids): Promise<ServiceResponse> {
    return repeatWhileUnavailable(() => callOperation(client, this.routeOf(id), path, request(ids)));
  }

  /**
   * Checks that unauthenticated callers, operators and callers of the wrong kind are rejected, whatever ids they send.
   */
  async checkOutsiders(id: string, row: ProtectedRow, unauthenticated: HttpClient): Promise<void> {
    const { own } = this;
    const outsiders = [own.owner, own.watch].filter((actor) => !this.callersOf(own, row).includes(actor));
    await Promise.all(
      this.pathsOf(id).flatMap((path) =>
        [this.ownIds, this.foreignIds, this.unknownIds].map(async (ids) => {
          expectError(path, await this.call(unauthenticated, id, path, row, ids), 'TOKEN_MISSING');
          const { operator } = this.acquaintances;
          expectError(path, await this.call(operator, id, path, row, ids), 'TOKEN_INVALID');
          for (const outsider of outsiders)
            expectError(path, await this.call(outsider, id, path, row, ids), 'FORBIDDEN');
        }),
      ),
    );
  }

  /**
   * Checks that the response for each id of another family has the same bytes as the response for an unknown id.
   */
  async checkForeignIds(id: string, row: ProtectedRow): Promise<void> {
    const named = Object.entries(row.rejections) as [keyof Ids, Outcome][];
    const paths = this.pathsOf(id);
    const callers = this.callersOf(this.own, row);
    const cases = callers.flatMap((caller) =>
      named.flatMap(([name, outcome]) => paths.map((path) => ({ caller, name, outcome, path }))),
    );
    await Promise.all(
      cases.map(async ({ caller, name, outcome, path }) => {
        const expected = outcomeFor(row, this.actorOf(caller), name, outcome);
        const response = await this.callWithForeignId(caller, id, path, row, name);
        checkOutcome(path, response, expected);
      }),
    );
  }

  /** Calls with one id of another family and with one unknown id, and checks that the responses have the same bytes. */
  private async callWithForeignId(
    caller: HttpClient,
    id: string,
    path: string,
    row: ProtectedRow,
    name: keyof Ids,
  ): Promise<ServiceResponse> {
    const foreignIds = { ...this.ownIds, [name]: this.foreignIds[name] };
    const unknownIds = { ...this.ownIds, [name]: this.unknownIds[name] };
    const foreign = await this.call(caller, id, path, row, foreignIds);
    const unknown = await this.call(caller, id, path, row, unknownIds);
    expect(fingerprint(foreign, foreignIds)).toBe(fingerprint(unknown, unknownIds));
    return foreign;
  }

  /**
   * Checks that callers of the foreign family and a former guardian receive the same error for ids of the own family as
   * for unknown ids.
   */
  async checkForeignCallers(id: string, row: ProtectedRow): Promise<void> {
    if (Object.keys(row.rejections).length === 0) return;
    const callers = this.callersOf(this.foreign, row);
    if (isForUsers(row)) callers.push(this.acquaintances.formerGuardian);
    await Promise.all(
      callers.flatMap((caller) =>
        this.pathsOf(id).map(async (path) => {
          const foreign = await this.call(caller, id, path, row, this.ownIds);
          const unknown = await this.call(caller, id, path, row, this.unknownIds);
          expect(fingerprint(foreign, this.ownIds)).toBe(fingerprint(unknown, this.unknownIds));
          expect(foreign.status).toBeGreaterThanOrEqual(400);
        }),
      ),
    );
  }

  /**
   * Checks that a caregiver cannot do what only guardians may do, that a contact can do nothing but what the row lists, and
   * that both learn nothing about ids of another family.
   */
  async checkRestrictedMembers(id: string, row: ProtectedRow): Promise<void> {
    if (!isForUsers(row)) return;
    const { caregiver, contact } = this.acquaintances;
    const names = Object.entries(row.rejections) as [keyof Ids, Outcome][];
    await Promise.all(
      this.pathsOf(id).map(async (path) => {
        if (row.caregiver !== undefined && row.caregiver !== 'ok')
          checkOutcome(path, await this.call(caregiver, id, path, row, this.ownIds), row.caregiver);
        if (row.contact !== 'ok') await this.checkContact(id, path, row);
        for (const [name, outcome] of names) {
          for (const member of [caregiver, contact]) {
            const { status } = await this.callWithForeignId(member, id, path, row, name);
            if (outcome !== 'ok') expect(status).toBeGreaterThanOrEqual(400);
          }
        }
      }),
    );
  }

  /** Checks that a contact lacks the permission, or that the ids of the family or of its resources are unknown to it. */
  private async checkContact(id: string, path: string, row: ProtectedRow): Promise<void> {
    const { contact } = this.acquaintances;
    const response = await this.call(contact, id, path, row, this.ownIds);
    if (row.contact !== undefined) {
      checkOutcome(path, response, row.contact);
      return;
    }
    if (reasonOf(response) === 'PERMISSION_MISSING') return;
    const ownRoots = Object.fromEntries(ROOT_IDS.map((name) => [name, this.ownIds[name]]));
    const expected = [];
    for (const ids of [this.unknownIds, { ...this.unknownIds, ...ownRoots }])
      expected.push(fingerprint(await this.call(contact, id, path, row, ids), ids));
    expect(expected).toContain(fingerprint(response, this.ownIds));
    if (!Object.values(row.rejections).includes('ok')) expect(response.status).toBeGreaterThanOrEqual(400);
  }

  /**
   * Checks that an operation on a list of ids does with the own ids what it does without others in the list, or rejects the
   * whole list, and does not touch the resources of the other family.
   */
  async checkMixedLists(id: string, row: ProtectedRow): Promise<void> {
    const family = await createFamily(this.service);
    const ids = await idsOf(this.service, family, (all) => row.request(all));
    const [path = ''] = pathsOf(this.routeOf(id));
    const names = (Object.keys(row.rejections) as (keyof Ids)[]).filter((name) => !ROOT_IDS.includes(name));
    const foreign = names.map((name) => String(this.foreignIds[name]));
    const before = await tableDigests(this.service, foreign);
    for (const [name, outcome] of Object.entries(row.rejections) as [keyof Ids, Outcome][]) {
      const [own, ...others] = [ids, this.foreignIds, this.unknownIds].map(
        (from) => row.request({ ...ids, [name]: from[name] }).body ?? {},
      );
      const body = mixLists(own ?? {}, others);
      if (!body) continue;
      const response = await this.call(family.owner, id, path, { ...row, request: () => ({ body }) }, ids);
      checkOutcome(path, response, response.status === 200 ? 'ok' : outcome);
    }
    expect(await tableDigests(this.service, foreign)).toEqual(before);
    family.disconnectAll();
  }

  /** Checks that values that are no ids are rejected, in place of each id of the request. */
  async checkMalformedIds(id: string, row: ProtectedRow): Promise<void> {
    const callers = this.callersOf(this.own, row);
    const paths = pathsOf(this.routeOf(id));
    const names = Object.entries(row.rejections) as [keyof Ids, Outcome][];
    const cases = names.flatMap(([name, outcome]) => MALFORMED_IDS.map((value) => ({ name, outcome, value })));
    await Promise.all(
      cases.map(async ({ name, outcome, value }, turn) => {
        const caller = callers[turn % callers.length] ?? this.own.owner;
        const path = pathForTurn(paths, Math.floor(turn / callers.length));
        const response = await this.call(caller, id, path, escapePath(row), { ...this.ownIds, [name]: value });
        if (response.status === 200 && outcome === 'ok') return;
        const allowed = ['VALIDATION_FAILED', outcomeFor(row, this.actorOf(caller), name, outcome)];
        const describeOutcome = (reason: unknown) => `${name} ${JSON.stringify(value)}: ${String(reason)}`;
        expect(allowed.map(describeOutcome)).toContain(describeOutcome(reasonOf(response)));
      }),
    );
  }

  /**
   * Checks the outcome for every permitted actor with the ids of its own family. Rows with `needsSeparateFamily` use a
   * separate family, because they change data that other rows need.
   */
  async checkOwnIds(id: string, row: ProtectedRow): Promise<void> {
    if (this.pathsOf(id).length === 0) return;
    const family = row.needsSeparateFamily ? await createFamily(this.service) : this.own;
    const ids = row.needsSeparateFamily ? await idsOf(this.service, family, (ids) => row.request(ids)) : this.ownIds;
    const paths = row.needsSeparateFamily ? this.pathsOf(id).slice(0, 1) : this.pathsOf(id);
    for (const actor of ACTORS.filter((name) => row.callerKinds.includes(name === 'watch' ? 'watch' : 'user'))) {
      for (const path of paths) {
        checkOutcome(path, await this.call(family[actor], id, path, row, ids), row[actor] ?? 'ok');
      }
    }
    if (row.needsSeparateFamily) family.disconnectAll();
    if (isForUsers(row)) await this.checkCaregiver(id, row);
  }

  /** Checks the outcome for a caregiver who may call the operation. The other caregivers are restricted members. */
  private async checkCaregiver(id: string, row: ProtectedRow): Promise<void> {
    const outcome = row.caregiver ?? row.guardian ?? 'ok';
    if (outcome !== 'ok') return;
    const [path = ''] = this.pathsOf(id);
    let { caregiver } = this.acquaintances;
    let ids = this.ownIds;
    if (row.needsSeparateFamily) {
      const [family, joining] = await Promise.all([createFamily(this.service), Parent.signUp(this.service)]);
      await family.owner.addMember(joining, { role: FAMILY_ROLE.CAREGIVER });
      await family.waitUntilProjected(this.service);
      caregiver = joining;
      ids = await idsOf(this.service, family, (all) => row.request(all));
    }
    checkOutcome(path, await this.call(caregiver, id, path, row, ids), outcome);
  }

  /** Checks the outcome of a case of an operation that needs no token. */
  async checkPublic(id: string, { request, outcome }: PublicRow['cases'][number], client: HttpClient): Promise<void> {
    for (const path of this.pathsOf(id)) {
      const route = this.routeOf(id);
      const response = await callOperation(client, route, path, request(this.ownIds));
      if (METHODS_WITHOUT_RESPONSE_BODY.includes(route.method)) checkStatus(response, outcome);
      else checkOutcome(path, response, outcome);
    }
  }

  private actorOf(caller: HttpClient): Actor {
    return ACTORS.find((actor) => this.own[actor] === caller) ?? 'caregiver';
  }

  private callersOf({ owner, guardian, watch }: FamilyFixture, row: ProtectedRow): HttpClient[] {
    return [owner, guardian, watch].filter((actor) => row.callerKinds.includes(actor === watch ? 'watch' : 'user'));
  }
}

/** Extends the validity of the codes and uploads of the families, which may be shorter than the suite on a slow machine. */
async function keepValid(service: TestService): Promise<void> {
  for (const table of ['userctx.bind_code', 'userctx.family_code', 'userctx.friend_code', 'mcdisk.upload'])
    await service.query(`UPDATE ${table} SET expires_at = expires_at + 86400000`);
}

async function createAcquaintances(service: TestService, family: FamilyFixture): Promise<Acquaintances> {
  const { owner, familyId } = family;
  const [caregiver, contact, formerGuardian] = await Promise.all([
    Parent.signUp(service),
    Parent.signUp(service),
    Parent.signUp(service),
  ]);
  await owner.addMember(caregiver, { role: FAMILY_ROLE.CAREGIVER });
  await owner.addMember(contact, { role: FAMILY_ROLE.CONTACT });
  await owner.addMember(formerGuardian, { role: FAMILY_ROLE.GUARDIAN });
  await expectOk(owner.post('family/member/remove', { familyId, userId: formerGuardian.userId }));
  await family.waitUntilProjected(service);
  const operator = await Operator.create(service, Object.values(OPERATOR_ROLE));
  return { caregiver, contact, formerGuardian, operator };
}

const isForUsers = ({ callerKinds }: ProtectedRow): boolean => callerKinds.includes('user');

const reasonOf = ({ body }: ServiceResponse): unknown => body['reason'];

/** Returns the row with escaped path parameters, so that a malformed id does not change the route. */
function escapePath(row: ProtectedRow): ProtectedRow {
  const escape = (path: Record<string, string>) =>
    Object.fromEntries(Object.entries(path).map(([name, value]) => [name, encodeURIComponent(value)]));
  return {
    ...row,
    request: (ids) => {
      const { path, ...fields } = row.request(ids);
      return { ...fields, ...(path && { path: escape(path) }) };
    },
  };
}

/**
 * Adds the lists of the other bodies to the lists of `own` that contain ids. Returns undefined if the body has no such
 * list.
 */
function mixLists(own: object, others: readonly object[]): object | undefined {
  let isMixed = false;
  const mixed = Object.entries(own).map(([name, value]): [string, unknown] => {
    const lists = others.map((body) => (body as Record<string, unknown>)[name]);
    if (!Array.isArray(value) || JSON.stringify(value) === JSON.stringify(lists[0])) return [name, value];
    isMixed = true;
    return [name, [...lists.flat(), ...(value as unknown[])]];
  });
  return isMixed ? Object.fromEntries(mixed) : undefined;
}

/** Rows whose requests contain a list of ids. */
export const LIST_ROWS = PROTECTED_ROWS.filter(([, { request, rejections }]) => {
  const [ids, others] = [createUnknownIds(), createUnknownIds()];
  return Object.keys(rejections).some((name) =>
    mixLists(request(ids).body ?? {}, [request({ ...ids, [name]: others[name as keyof Ids] }).body ?? {}]),
  );
});

const pathForTurn = (paths: readonly string[], turn: number): string => paths[turn % paths.length] ?? '';

const createFamily = (service: TestService): Promise<FamilyFixture> =>
  FamilyFixture.create(service, { password: PASSWORD });

/** Methods whose responses have no body. */
const METHODS_WITHOUT_RESPONSE_BODY: readonly string[] = ['HEAD', 'OPTIONS'];

function checkStatus({ status, text }: ServiceResponse, outcome: Outcome): void {
  expect(text).toBe('');
  expect(status).toBe(outcome === 'ok' ? 204 : httpStatusOf(ERROR_CATALOGUE[outcome].code));
}

export function checkOutcome(path: string, response: ServiceResponse, outcome: Outcome): void {
  if (outcome === 'ok') expectSuccess(path, response);
  else expectError(path, response, outcome);
}

/** Returns the expected outcome. A missing permission takes precedence over an unknown id that is not in `ROOT_IDS`. */
function outcomeFor(row: ProtectedRow, actor: Actor, name: keyof Ids, outcome: Outcome): Outcome {
  return row[actor] === 'PERMISSION_MISSING' && !ROOT_IDS.includes(name) ? row[actor] : outcome;
}
