import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AccessMatrix, PROTECTED_ROWS, PUBLIC_ROWS } from '../../support/access/access-matrix.js';
import { HttpClient } from '../../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../../support/table-digests.js';
import { TestService } from '../../support/test-service.js';

describe('A1 access matrix of the operations: rejections at the other paths', () => {
  let service: TestService;
  let matrix: AccessMatrix;
  let unauthenticated: HttpClient;
  let before: Record<string, string>;

  beforeAll(async () => {
    // The suite uses a separate service, because other suites would change the table digests.
    service = await TestService.start('standalone');
    matrix = await AccessMatrix.open(service, 'others');
    unauthenticated = new HttpClient(service.url);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

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

  describe.each(PUBLIC_ROWS)('operation %s without a token', (id, { cases }) => {
    test.each(cases)('responds as the access matrix declares: $title', (row) =>
      matrix.checkPublic(id, row, unauthenticated),
    );
  });
});
