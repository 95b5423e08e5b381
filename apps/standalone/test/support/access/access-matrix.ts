import { expect } from '@jest/globals';
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
import type { ServiceResponse, HttpClient } from '../http-client.js';
import type { TestService } from '../test-service.js';
import { pathsOf, callOperation, fingerprint } from './caller.js';
import { idsOf, createUnknownIds } from './ids.js';
import type { Ids } from './ids.js';
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
type Actor = (typeof ACTORS)[number];

/** Ids of a family, a child, a watch or a cloud, which apps check before the other ids of a request. */
const ROOT_IDS: readonly (keyof Ids)[] = ['familyId', 'cid', 'deletedCid', 'did', 'cloudID'];

/** Two families that each have one resource of every type. The checks call operations with the ids of both families. */
export class AccessMatrix {
  readonly unknownIds = createUnknownIds();

  private constructor(
    readonly service: TestService,
    private readonly routes: ReadonlyMap<string, DeclaredRoute>,
    readonly own: FamilyFixture,
    readonly foreign: FamilyFixture,
    readonly ownIds: Ids,
    readonly foreignIds: Ids,
  ) {}

  static async open(service: TestService): Promise<AccessMatrix> {
    const routes = new Map((await declaredOperations()).map((route) => [route.id, route]));
    const [own, foreign] = await Promise.all([createFamily(service), createFamily(service)]);
    const [ownIds, foreignIds] = await Promise.all([idsOf(service, own), idsOf(service, foreign)]);
    return new AccessMatrix(service, routes, own, foreign, ownIds, foreignIds);
  }

  routeOf(id: string): DeclaredRoute {
    const route = this.routes.get(id);
    if (!route) throw new Error(`No operation ${id}`);
    return route;
  }

  pathsOf(id: string): string[] {
    return pathsOf(this.routeOf(id));
  }

  call(client: HttpClient, id: string, path: string, { request }: ProtectedRow, ids: Ids): Promise<ServiceResponse> {
    return callOperation(client, this.routeOf(id), path, request(ids));
  }

  /** Checks that unauthenticated callers and callers of the wrong kind are rejected, whatever ids they send. */
  async checkOutsiders(id: string, row: ProtectedRow, unauthenticated: HttpClient): Promise<void> {
    const { own } = this;
    const outsiders = [own.owner, own.watch].filter((actor) => !this.callersOf(own, row).includes(actor));
    await Promise.all(
      this.pathsOf(id).flatMap((path) =>
        [this.ownIds, this.foreignIds, this.unknownIds].map(async (ids) => {
          expectError(path, await this.call(unauthenticated, id, path, row, ids), 'TOKEN_MISSING');
          for (const outsider of outsiders)
            expectError(path, await this.call(outsider, id, path, row, ids), 'FORBIDDEN');
        }),
      ),
    );
  }

  /**
   * Checks that the response for each id of another family has the same bytes as the response for an unknown id. The
   * cases alternate between the paths of an operation, because all its paths have the same handler.
   */
  async checkForeignIds(id: string, row: ProtectedRow): Promise<void> {
    const named = Object.entries(row.rejections) as [keyof Ids, Outcome][];
    const paths = this.pathsOf(id);
    const cases = this.callersOf(this.own, row).flatMap((caller, turn) =>
      named.map(([name, outcome], index) => ({ caller, name, outcome, path: pathForTurn(paths, turn + index) })),
    );
    await Promise.all(
      cases.map(async ({ caller, name, outcome, path }) => {
        const expected = outcomeFor(row, actorOf(this.own, caller), name, outcome);
        const fingerprints = [];
        for (const other of [this.foreignIds, this.unknownIds]) {
          const ids = { ...this.ownIds, [name]: other[name] };
          const response = await this.call(caller, id, path, row, ids);
          checkOutcome(path, response, expected);
          fingerprints.push(fingerprint(response, ids));
        }
        expect(fingerprints[0]).toBe(fingerprints[1]);
      }),
    );
  }

  /** Checks that callers of the foreign family receive the same error for ids of the own family as for unknown ids. */
  async checkForeignCallers(id: string, row: ProtectedRow): Promise<void> {
    if (Object.keys(row.rejections).length === 0) return;
    const paths = this.pathsOf(id);
    await Promise.all(
      this.callersOf(this.foreign, row).map(async (caller, turn) => {
        const path = pathForTurn(paths, turn);
        const foreign = await this.call(caller, id, path, row, this.ownIds);
        const unknown = await this.call(caller, id, path, row, this.unknownIds);
        expect(fingerprint(foreign, this.ownIds)).toBe(fingerprint(unknown, this.unknownIds));
        expect(foreign.status).toBeGreaterThanOrEqual(400);
      }),
    );
  }

  /**
   * Checks the outcome for every permitted actor with the ids of its own family. Rows with `needsSeparateFamily` use a
   * separate family, because they change data that other rows need.
   */
  async checkOwnIds(id: string, row: ProtectedRow): Promise<void> {
    const family = row.needsSeparateFamily ? await createFamily(this.service) : this.own;
    const ids = row.needsSeparateFamily ? await idsOf(this.service, family, (ids) => row.request(ids)) : this.ownIds;
    const paths = row.needsSeparateFamily ? this.pathsOf(id).slice(0, 1) : this.pathsOf(id);
    for (const actor of ACTORS.filter((name) => row.callerKinds.includes(name === 'watch' ? 'watch' : 'user'))) {
      for (const path of paths) {
        checkOutcome(path, await this.call(family[actor], id, path, row, ids), row[actor] ?? 'ok');
      }
    }
    if (row.needsSeparateFamily) family.disconnectAll();
  }

  async callPublic(client: HttpClient, id: string, path: string, request: PublicRow['cases'][number]['request']) {
    return callOperation(client, this.routeOf(id), path, request(this.ownIds));
  }

  private callersOf({ owner, guardian, watch }: FamilyFixture, row: ProtectedRow): HttpClient[] {
    return [owner, guardian, watch].filter((actor) => row.callerKinds.includes(actor === watch ? 'watch' : 'user'));
  }
}

const pathForTurn = (paths: readonly string[], turn: number): string => paths[turn % paths.length] ?? '';

const createFamily = (service: TestService): Promise<FamilyFixture> =>
  FamilyFixture.create(service, { password: PASSWORD });

export function checkOutcome(path: string, response: ServiceResponse, outcome: Outcome): void {
  if (outcome === 'ok') expectSuccess(path, response);
  else expectError(path, response, outcome);
}

function actorOf(family: FamilyFixture, caller: HttpClient): Actor {
  return ACTORS.find((actor) => family[actor] === caller) ?? 'owner';
}

/** Returns the expected outcome. A missing permission takes precedence over an unknown id that is not in `ROOT_IDS`. */
function outcomeFor(row: ProtectedRow, actor: Actor, name: keyof Ids, outcome: Outcome): Outcome {
  return row[actor] === 'PERMISSION_MISSING' && !ROOT_IDS.includes(name) ? row[actor] : outcome;
}
