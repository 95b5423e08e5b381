import { beforeAll, describe, test } from '@jest/globals';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import { AccessMatrix, LIST_ROWS, PROTECTED_ROWS } from '../../support/access/access-matrix.js';
import { TestService } from '../../support/test-service.js';

/** Tests requests of permitted callers at the paths that `operations.spec.ts` leaves. */
describe('access matrix of the operations: ids of the own family', () => {
  let matrix: AccessMatrix;

  beforeAll(async () => {
    matrix = await AccessMatrix.open(await TestService.shared('standalone'), 'others');
  });

  test.each(sampleOf(PROTECTED_ROWS, 60))(
    '%s has the outcome that the matrix lists for each permitted caller',
    (id, row) => matrix.checkOwnIds(id, row),
  );

  test.each(LIST_ROWS)('%s applies a list of own, foreign and unknown ids to own resources only', (id, row) =>
    matrix.checkMixedLists(id, row),
  );
});
