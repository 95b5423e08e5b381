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
import { CLOUD_ROWS, FAMILY_ROWS } from './family-rows.js';
import { MEMBERSHIP_ROWS } from './membership-rows.js';
import { LOCATION_ROWS } from './location-rows.js';
import { POSITIONING_ROWS } from './positioning-rows.js';
import { SETTINGS_ROWS } from './settings-rows.js';
import { declaredOperations } from '../declared-operations.js';
import { expectRefusal, expectSuccess } from '../envelopes.js';
import { FamilyFixture } from '../family-fixture.js';
import type { Answer, HttpClient } from '../http-client.js';
import type { TestService } from '../test-service.js';
import { addressesOf, call, fingerprint } from './caller.js';
import { idsOf, idsOfNothing } from './ids.js';
import type { Ids } from './ids.js';
import type { OperationRow, Outcome, ProtectedRow, PublicRow } from './operation-row.js';

/** Safety table A1 and A2: who may call what, about whose things. */
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
  ...CLOUD_CATALOG_ROWS,
  ...CLOUD_UPLOAD_ROWS,
  ...COMMAND_ROWS,
  ...CALL_ROWS,
  ...CONVERSATION_ROWS,
  ...LOCATION_ROWS,
  ...FENCE_ROWS,
  ...MEMBERSHIP_ROWS,
};

const entries = Object.entries(ROWS);
export const PROTECTED = entries.flatMap(([id, row]) => (row.access === 'public' ? [] : [[id, row] as const]));
export const PUBLIC = entries.flatMap(([id, row]) => (row.access === 'public' ? [[id, row] as const] : []));

const ACTORS = ['watch', 'guardian', 'owner'] as const;
type Actor = (typeof ACTORS)[number];

/** Of a family, a child, a watch or a cloud: without it nothing else of the request matters. */
const ROOTS: readonly (keyof Ids)[] = ['familyId', 'cid', 'deletedCid', 'did', 'cloudID'];

/** Two households that have one of everything, on a service whose operations are called about either. */
export class AccessMatrix {
  readonly noIds = idsOfNothing();

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
    const [own, foreign] = await Promise.all([settle(service), settle(service)]);
    const [ownIds, foreignIds] = await Promise.all([idsOf(service, own), idsOf(service, foreign)]);
    return new AccessMatrix(service, routes, own, foreign, ownIds, foreignIds);
  }

  routeOf(id: string): DeclaredRoute {
    const route = this.routes.get(id);
    if (!route) throw new Error(`No operation ${id}`);
    return route;
  }

  addressesOf(id: string): string[] {
    return addressesOf(this.routeOf(id));
  }

  call(client: HttpClient, id: string, address: string, { request }: ProtectedRow, ids: Ids): Promise<Answer> {
    return call(client, this.routeOf(id), address, request(ids));
  }

  /** Nobody, and callers of the wrong kind, whatever they name. */
  async checkOutsiders(id: string, row: ProtectedRow, nobody: HttpClient): Promise<void> {
    const { own } = this;
    const outsiders = [own.owner, own.watch].filter((actor) => !this.callersOf(own, row).includes(actor));
    await Promise.all(
      this.addressesOf(id).flatMap((address) =>
        [this.ownIds, this.foreignIds, this.noIds].map(async (ids) => {
          expectRefusal(address, await this.call(nobody, id, address, row, ids), 'TOKEN_MISSING');
          for (const outsider of outsiders)
            expectRefusal(address, await this.call(outsider, id, address, row, ids), 'FORBIDDEN');
        }),
      ),
    );
  }

  /**
   * Each id that a request names, taken from another family, answers as one of nothing: byte for byte. The addresses of
   * an operation lead to the same handler and take turns.
   */
  async checkForeignIds(id: string, row: ProtectedRow): Promise<void> {
    const named = Object.entries(row.refuses) as [keyof Ids, Outcome][];
    const addresses = this.addressesOf(id);
    const cases = this.callersOf(this.own, row).flatMap((caller, turn) =>
      named.map(([name, outcome], index) => ({ caller, name, outcome, address: inTurn(addresses, turn + index) })),
    );
    await Promise.all(
      cases.map(async ({ caller, name, outcome, address }) => {
        const expected = outcomeFor(row, actorOf(this.own, caller), name, outcome);
        const answers = [];
        for (const other of [this.foreignIds, this.noIds]) {
          const ids = { ...this.ownIds, [name]: other[name] };
          const answer = await this.call(caller, id, address, row, ids);
          checkOutcome(address, answer, expected);
          answers.push(fingerprint(answer, ids));
        }
        expect(answers[0]).toBe(answers[1]);
      }),
    );
  }

  /** People and watches of another family, with all ids of this one. */
  async checkForeignCallers(id: string, row: ProtectedRow): Promise<void> {
    if (Object.keys(row.refuses).length === 0) return;
    const addresses = this.addressesOf(id);
    await Promise.all(
      this.callersOf(this.foreign, row).map(async (caller, turn) => {
        const address = inTurn(addresses, turn);
        const theirs = await this.call(caller, id, address, row, this.ownIds);
        const nothing = await this.call(caller, id, address, row, this.noIds);
        expect(fingerprint(theirs, this.ownIds)).toBe(fingerprint(nothing, this.noIds));
        expect(theirs.status).toBeGreaterThanOrEqual(400);
      }),
    );
  }

  /** Every actor that may, about the own family; a household of its own where that destroys what others need. */
  async checkOwnIds(id: string, row: ProtectedRow): Promise<void> {
    const fixture = row.destroys ? await settle(this.service) : this.own;
    const ids = row.destroys ? await idsOf(this.service, fixture, (named) => row.request(named)) : this.ownIds;
    const addresses = row.destroys ? this.addressesOf(id).slice(0, 1) : this.addressesOf(id);
    for (const actor of ACTORS.filter((one) => row.access.includes(one === 'watch' ? 'watch' : 'user'))) {
      for (const address of addresses) {
        checkOutcome(address, await this.call(fixture[actor], id, address, row, ids), row[actor] ?? 'ok');
      }
    }
    if (row.destroys) fixture.hangUp();
  }

  async callPublic(client: HttpClient, id: string, address: string, request: PublicRow['cases'][number]['request']) {
    return call(client, this.routeOf(id), address, request(this.ownIds));
  }

  private callersOf({ owner, guardian, watch }: FamilyFixture, row: ProtectedRow): HttpClient[] {
    return [owner, guardian, watch].filter((actor) => row.access.includes(actor === watch ? 'watch' : 'user'));
  }
}

const inTurn = (addresses: readonly string[], turn: number): string => addresses[turn % addresses.length] ?? '';

const settle = (service: TestService): Promise<FamilyFixture> => FamilyFixture.create(service, { password: PASSWORD });

export function checkOutcome(address: string, answer: Answer, outcome: Outcome): void {
  if (outcome === 'ok') expectSuccess(address, answer);
  else expectRefusal(address, answer, outcome);
}

function actorOf(fixture: FamilyFixture, caller: HttpClient): Actor {
  return ACTORS.find((actor) => fixture[actor] === caller) ?? 'owner';
}

/** Who may not do it at all hears so before it matters what it would have been done to. */
function outcomeFor(row: ProtectedRow, actor: Actor, name: keyof Ids, outcome: Outcome): Outcome {
  return row[actor] === 'PERMISSION_MISSING' && !ROOTS.includes(name) ? row[actor] : outcome;
}
