import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR_ROLE, type OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import { operatorAccessOf } from '@family-watch/platform/http/operation.decorator';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { checkOutcome } from '../../support/access/access-matrix.js';
import { callOperation, pathsOf } from '../../support/access/caller.js';
import { OPERATOR_ROWS } from '../../support/access/operator-rows.js';
import { declaredOperations } from '../../support/declared-operations.js';
import { expectError } from '../../support/envelopes.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { HttpClient } from '../../support/http-client.js';
import { Operator } from '../../support/operator.js';
import { TestService } from '../../support/test-service.js';

const ROLES = Object.values(OPERATOR_ROLE);

/** The access matrix of the operators' operations; `operations.slow.spec.ts` compares it with the application. */
describe('A2 access matrix of the operators', () => {
  let service: TestService;
  let family: FamilyFixture;
  let routes: DeclaredRoute[];
  let operators: Readonly<Record<OperatorRole, Operator>>;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    family = await FamilyFixture.create(service);
    routes = await declaredOperations();
    const ADMIN = await Operator.create(service, ['ADMIN']);
    const [SUPPORT, FLEET, BILLING] = await Promise.all([
      ADMIN.createOther(service, ['SUPPORT']),
      ADMIN.createOther(service, ['FLEET']),
      ADMIN.createOther(service, ['BILLING']),
    ]);
    operators = { ADMIN, SUPPORT, FLEET, BILLING };
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  /** Returns the newest entry of an operator in the audit list. */
  async function newestEntry({ credentials }: Operator) {
    const [entry] = await service.query<{ operation: string; admitted: boolean }>(
      'SELECT operation, admitted FROM userctx.operator_audit_entry WHERE actor = $1 ORDER BY time DESC LIMIT 1',
      [`operator:${credentials.operatorId}`],
    );
    return entry;
  }

  test.each(Object.entries(OPERATOR_ROWS))(
    '%s rejects persons and watches, admits only its roles, and leaves an entry in the audit list for each operator',
    async (id, row) => {
      const route = routes.find((each) => each.id === id);
      if (!route) throw new Error(`No operation ${id}`);
      const [path = '', wrappedPath = ''] = pathsOf(route);
      const call = (client: HttpClient, target: string) => callOperation(client, route, target, row.request());
      for (const target of [path, wrappedPath]) {
        expectError(target, await call(new HttpClient(service.url), target), 'TOKEN_MISSING');
        for (const outsider of [family.owner, family.watch])
          expectError(target, await call(outsider, target), 'TOKEN_INVALID');
      }
      for (const [turn, role] of ROLES.entries()) {
        const target = turn % 2 === 0 ? path : wrappedPath;
        const response = await call(operators[role], target);
        const admitted = row.roles.includes(role);
        checkOutcome(target, response, admitted ? (row.outcome ?? 'ok') : 'FORBIDDEN');
        expect([role, await newestEntry(operators[role])]).toEqual([role, { operation: id, admitted }]);
      }
    },
  );

  test('each operation of persons and watches rejects the token of an operator', async () => {
    const admin = await Operator.signIn(service, operators.ADMIN.credentials);
    for (const route of routes.filter(({ access }) => access !== 'public' && !operatorAccessOf(access))) {
      for (const path of pathsOf(route))
        expectError(path, await callOperation(admin, route, path.replace(/:\w+/g, 'x'), {}), 'TOKEN_INVALID');
    }
  });
});
