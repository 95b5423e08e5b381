import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { AccessMatrix, checkOutcome, PROTECTED_ROWS, PUBLIC_ROWS, ROWS } from '../../support/access/access-matrix.js';
import { OPERATOR_ROWS } from '../../support/access/operator-rows.js';
import type { Outcome } from '../../support/access/operation-row.js';
import { declaredOperations } from '../../support/declared-operations.js';
import { HttpClient } from '../../support/http-client.js';
import type { ServiceResponse } from '../../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../../support/table-digests.js';
import { TestService } from '../../support/test-service.js';

/** An operation without a row in the access matrix fails the suite, and so does a row without an operation. */
describe('A1, A2 access matrix of the operations: rejections', () => {
  let service: TestService;
  let matrix: AccessMatrix;
  let unauthenticated: HttpClient;
  let before: Record<string, string>;

  beforeAll(async () => {
    // The suite uses a separate service, because other suites would change the table digests.
    service = await TestService.start('standalone');
    matrix = await AccessMatrix.open(service);
    unauthenticated = new HttpClient(service.url);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  test('the access matrix lists exactly the operations that the application declares, with their callers', async () => {
    const routes = new Map((await declaredOperations()).map((route) => [route.id, route]));
    expect([...Object.keys(ROWS), ...Object.keys(OPERATOR_ROWS)].toSorted()).toEqual([...routes.keys()].toSorted());
    for (const [id, row] of Object.entries(ROWS)) expect([id, routes.get(id)?.access]).toEqual([id, row.callerKinds]);
    for (const [id, { roles }] of Object.entries(OPERATOR_ROWS))
      expect([id, routes.get(id)?.access]).toMatchObject([id, { operatorRoles: roles }]);
  });

  describe.each(PROTECTED_ROWS)('operation %s', (id, row) => {
    test('rejects callers without a token, operators and callers of the wrong kind, whatever ids they send', async () => {
      await matrix.checkOutsiders(id, row, unauthenticated);
    });

    if (row.callerKinds.includes('user')) {
      test('rejects caregivers and contacts whose role does not permit it', async () => {
        await matrix.checkRestrictedMembers(id, row);
      });
    }

    if (Object.keys(row.rejections).length > 0) {
      test('returns the same bytes for an id of another family as for an unknown id', async () => {
        await matrix.checkForeignIds(id, row);
      });

      test('returns the same response to strangers and a former guardian as for unknown ids', async () => {
        await matrix.checkForeignCallers(id, row);
      });

      test('rejects values that are no ids', async () => {
        await matrix.checkMalformedIds(id, row);
      });
    }
  });

  test('the rejected requests change no database row', async () => {
    expect(await tableDigests(service)).toEqual(before);
  });

  test('the access matrix checks at least 10,000 requests', () => {
    expect(matrix.checkedRequests).toBeGreaterThanOrEqual(10_000);
  });

  describe.each(PUBLIC_ROWS)('operation %s without a token', (id, { cases }) => {
    test.each(cases)('responds as the access matrix declares: $title', async ({ request, outcome }) => {
      for (const path of matrix.pathsOf(id)) {
        const answer = await matrix.callPublic(unauthenticated, id, path, request);
        if (METHODS_WITHOUT_RESPONSE_BODY.includes(matrix.routeOf(id).method)) expectStatus(answer, outcome);
        else checkOutcome(path, answer, outcome);
      }
    });
  });
});

/** Methods whose responses have no body. */
const METHODS_WITHOUT_RESPONSE_BODY: readonly string[] = ['HEAD', 'OPTIONS'];

function expectStatus(answer: ServiceResponse, outcome: Outcome): void {
  expect(answer.text).toBe('');
  expect(answer.status).toBe(outcome === 'ok' ? 204 : httpStatusOf(ERROR_CATALOGUE[outcome].code));
}
