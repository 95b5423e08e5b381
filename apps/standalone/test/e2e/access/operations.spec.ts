import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ERROR_CATALOGUE, statusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { declaredRoutes } from '@family-watch/platform/http/routes';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { ACCOUNT_ROWS, CHILD_ROWS, PASSWORD } from '../../support/access/account-rows.js';
import { addressesOf, call, fingerprint } from '../../support/access/caller.js';
import { CALL_ROWS } from '../../support/access/call-rows.js';
import { CENTER_ROWS } from '../../support/access/center-rows.js';
import { CLOUD_BATCH_TASK_ROWS } from '../../support/access/cloud-batch-task-rows.js';
import { CLOUD_CATALOG_ROWS } from '../../support/access/cloud-catalog-rows.js';
import { CLOUD_PHOTO_ROWS } from '../../support/access/cloud-photo-rows.js';
import { CLOUD_DOWNLOAD_ROWS } from '../../support/access/cloud-download-rows.js';
import { CLOUD_RECYCLE_BIN_ROWS } from '../../support/access/cloud-recycle-bin-rows.js';
import { CLOUD_SHARING_ROWS } from '../../support/access/cloud-sharing-rows.js';
import { CLOUD_UPLOAD_ROWS } from '../../support/access/cloud-upload-rows.js';
import { COMMAND_ROWS } from '../../support/access/command-rows.js';
import { CONVERSATION_ROWS } from '../../support/access/conversation-rows.js';
import { FENCE_ROWS } from '../../support/access/fence-rows.js';
import { CLOUD_ROWS, FAMILY_ROWS } from '../../support/access/family-rows.js';
import { idsOf, idsOfNothing } from '../../support/access/ids.js';
import type { Ids } from '../../support/access/ids.js';
import { MEMBERSHIP_ROWS } from '../../support/access/membership-rows.js';
import { LOCATION_ROWS } from '../../support/access/location-rows.js';
import type { OperationRow, Outcome, ProtectedRow } from '../../support/access/operation-row.js';
import { POSITIONING_ROWS } from '../../support/access/positioning-rows.js';
import { SETTINGS_ROWS } from '../../support/access/settings-rows.js';
import { expectRefusal, expectSuccess } from '../../support/envelopes.js';
import { Household } from '../../support/household.js';
import { HttpClient } from '../../support/http-client.js';
import type { Answer } from '../../support/http-client.js';
import { tableDigests, untilQuiet } from '../../support/table-digests.js';
import { TestService } from '../../support/test-service.js';
import { describeBothWays } from '../../support/ways.js';

jest.setTimeout(30_000);

/** Safety table A1 and A2: who may call what, about whose things. An operation without a row fails, and a row without one. */
const ROWS: Readonly<Record<string, OperationRow>> = {
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
const PROTECTED = Object.entries(ROWS).flatMap(([id, row]) => (row.access === 'public' ? [] : [[id, row] as const]));
const PUBLIC = Object.entries(ROWS).flatMap(([id, row]) => (row.access === 'public' ? [[id, row] as const] : []));

const ACTORS = ['watch', 'guardian', 'owner'] as const;

describeBothWays('the access matrix of the operations', (way) => {
  let service: TestService;
  let routes: Map<string, DeclaredRoute>;
  let own: Household;
  let foreign: Household;
  let ownIds: Ids;
  let foreignIds: Ids;
  const noIds = idsOfNothing();
  /** Every test but the last ones is about refusals: not one may change a row. */
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start(way);
    routes = new Map(declaredRoutes(service.app).map((route) => [route.id, route]));
    [own, foreign] = await Promise.all([settle(), settle()]);
    [ownIds, foreignIds] = await Promise.all([idsOf(service, own), idsOf(service, foreign)]);
    await untilQuiet(service);
    before = await tableDigests(service);
  }, 180_000);
  afterAll(() => service.stop());

  const settle = () => Household.settle(service, { password: PASSWORD });
  const routeOf = (id: string): DeclaredRoute => {
    const route = routes.get(id);
    if (!route) throw new Error(`No operation ${id}`);
    return route;
  };
  const check = (address: string, answer: Answer, outcome: Outcome) =>
    outcome === 'ok' ? void expectSuccess(address, answer) : expectRefusal(address, answer, outcome);

  test('A2: every operation of the running application has a row, and every row an operation', () => {
    expect(Object.keys(ROWS).toSorted()).toEqual([...routes.keys()].toSorted());
    for (const [id, row] of Object.entries(ROWS)) expect([id, routes.get(id)?.access]).toEqual([id, row.access]);
  });

  describe.each(PROTECTED)('%s', (id, row) => {
    const callersOf = ({ owner, guardian, watch }: Household) =>
      [owner, guardian, watch].filter((actor) => row.access.includes(actor === watch ? 'watch' : 'user'));

    test('nobody, and the wrong kind of caller, are refused alike whatever they name', async () => {
      const outsiders = [own.owner, own.watch].filter((actor) => !callersOf(own).includes(actor));
      for (const address of addressesOf(routeOf(id))) {
        for (const ids of [ownIds, foreignIds, noIds]) {
          const ask = (client: HttpClient) => call(client, routeOf(id), address, row.request(ids));
          expectRefusal(address, await ask(new HttpClient(service.url)), 'TOKEN_MISSING');
          for (const outsider of outsiders) expectRefusal(address, await ask(outsider), 'FORBIDDEN');
        }
      }
      expect(await tableDigests(service)).toEqual(before);
    });

    const named = Object.entries(row.refuses) as [keyof Ids, Outcome][];
    if (named.length > 0) {
      test('a foreign id answers as one of nothing, byte for byte, and changes nothing', async () => {
        for (const address of addressesOf(routeOf(id))) {
          for (const caller of callersOf(own)) {
            for (const [name, outcome] of named) {
              const expected = outcomeFor(row, actorOf(own, caller), name, outcome);
              const answers = [];
              for (const other of [foreignIds, noIds]) {
                const ids = { ...ownIds, [name]: other[name] };
                const answer = await call(caller, routeOf(id), address, row.request(ids));
                check(address, answer, expected);
                answers.push(fingerprint(answer, ids));
              }
              expect(answers[0]).toBe(answers[1]);
            }
          }
        }
        expect(await tableDigests(service)).toEqual(before);
      });

      test('people and watches of another family find nothing of this one', async () => {
        for (const address of addressesOf(routeOf(id))) {
          for (const caller of callersOf(foreign)) {
            const [theirs, nothing] = [
              await call(caller, routeOf(id), address, row.request(ownIds)),
              await call(caller, routeOf(id), address, row.request(noIds)),
            ];
            expect(fingerprint(theirs, ownIds)).toBe(fingerprint(nothing, noIds));
            expect(theirs.status).toBeGreaterThanOrEqual(400);
          }
        }
        expect(await tableDigests(service)).toEqual(before);
      });
    }
  });

  describe.each(PUBLIC)('%s, for anybody', (id, { cases }) => {
    test.each(cases)('$about', async ({ request, outcome }) => {
      for (const address of addressesOf(routeOf(id))) {
        const nobody = new HttpClient(service.url);
        const answer = await call(nobody, routeOf(id), address, request(ownIds));
        if (BODILESS.includes(routeOf(id).method)) expectStatus(answer, outcome);
        else check(address, answer, outcome);
      }
    });
  });

  // Last, because successes go on in the background after their answer.
  describe('with the ids of the own family', () => {
    test.each(PROTECTED)('%s', async (id, row) => {
      const home = row.destroys ? await settle() : own;
      const ids = row.destroys ? await idsOf(service, home) : ownIds;
      const addresses = row.destroys ? addressesOf(routeOf(id)).slice(0, 1) : addressesOf(routeOf(id));
      for (const actor of ACTORS.filter((one) => row.access.includes(one === 'watch' ? 'watch' : 'user'))) {
        for (const address of addresses) {
          const answer = await call(home[actor], routeOf(id), address, row.request(ids));
          check(address, answer, row[actor] ?? 'ok');
        }
      }
    });
  });
});

/** Methods whose answers have no body to say more. */
const BODILESS: readonly string[] = ['HEAD', 'OPTIONS'];

function expectStatus(answer: Answer, outcome: Outcome): void {
  expect(answer.text).toBe('');
  expect(answer.status).toBe(outcome === 'ok' ? 204 : statusOf(ERROR_CATALOGUE[outcome].code));
}

/** Of a family, a child, a watch or a cloud: without it nothing else of the request matters. */
const ROOTS: readonly (keyof Ids)[] = ['familyId', 'cid', 'deletedCid', 'did', 'cloudID'];

type Actor = (typeof ACTORS)[number];

function actorOf(home: Household, caller: HttpClient): Actor {
  return ACTORS.find((actor) => home[actor] === caller) ?? 'owner';
}

/** Who may not do it at all hears so before it matters what it would have been done to. */
function outcomeFor(row: ProtectedRow, actor: Actor, name: keyof Ids, outcome: Outcome): Outcome {
  return row[actor] === 'PERMISSION_MISSING' && !ROOTS.includes(name) ? row[actor] : outcome;
}
