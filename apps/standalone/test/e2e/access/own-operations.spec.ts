import { beforeAll, describe, test } from '@jest/globals';
import { AccessMatrix, PROTECTED } from '../../support/access/access-matrix.js';
import { TestService } from '../../support/test-service.js';

/** Safety table A1: allowed requests; the rejected ones are in operations.spec.ts. */
describe('access matrix of the operations: ids of the own family', () => {
  let matrix: AccessMatrix;

  beforeAll(async () => {
    matrix = await AccessMatrix.open(await TestService.shared('standalone'));
  });

  test.each(PROTECTED)('%s', (id, row) => matrix.checkOwnIds(id, row));
});
