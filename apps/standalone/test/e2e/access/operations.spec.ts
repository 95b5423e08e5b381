import { describe, expect, test } from '@jest/globals';
import { ROWS } from '../../support/access/access-matrix.js';
import { OPERATOR_ROWS } from '../../support/access/operator-rows.js';
import { testOperations } from '../../support/access/operation-tests.js';
import { declaredOperations } from '../../support/declared-operations.js';

test('A2 the access matrix lists exactly the operations that the application declares, with their callers', async () => {
  const routes = new Map((await declaredOperations()).map((route) => [route.id, route]));
  expect([...Object.keys(ROWS), ...Object.keys(OPERATOR_ROWS)].toSorted()).toEqual([...routes.keys()].toSorted());
  for (const [id, row] of Object.entries(ROWS)) expect([id, routes.get(id)?.access]).toEqual([id, row.callerKinds]);
  for (const [id, { roles }] of Object.entries(OPERATOR_ROWS))
    expect([id, routes.get(id)?.access]).toMatchObject([id, { operatorRoles: roles }]);
});

/** The other paths, malformed ids and lists of ids are tested by `operations.slow.spec.ts`. */
describe('A1 access matrix of the operations: one path', () => testOperations('standalone', 'one'));
