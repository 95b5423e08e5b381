import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { ROWS } from './access/access-matrix.js';
import { callOperation, pathsOf } from './access/caller.js';
import { createUnknownIds } from './access/ids.js';
import type { RequestFields } from './access/operation-row.js';
import { OPERATOR_ROWS } from './access/operator-rows.js';
import { declaredOperations } from './declared-operations.js';
import { FamilyFixture } from './family-fixture.js';
import { HttpClient, repeatWhileUnavailable } from './http-client.js';
import { Operator } from './operator.js';
import type { TestService } from './test-service.js';

export type ValueChange = (value: unknown) => unknown;

/** Low, because with more concurrent requests some would wait too long for a database connection and get 503. */
const CONCURRENT_REQUESTS = 8;

/**
 * A sign-out would end the session that the other requests use, a wrong password has the status of an ended session,
 * and on a busy machine the readiness check may fail.
 */
const EXCLUDED_OPERATIONS = ['signOut', 'signOutOperator', 'replaceOperatorCredentials', 'getReadiness'];

/** Calls every operation with changed fields, as a caller who may use the operation. */
export class HostileRequests {
  readonly unknownIds = createUnknownIds();
  private readonly anonymous: HttpClient;

  private constructor(
    url: string,
    readonly families: readonly [FamilyFixture, FamilyFixture],
    private readonly operator: Operator,
    private readonly routes: readonly DeclaredRoute[],
  ) {
    this.anonymous = new HttpClient(url);
  }

  static async open(service: TestService): Promise<HostileRequests> {
    const families = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    const operator = await Operator.create(service, ['ADMIN']);
    const routes = (await declaredOperations()).filter(({ id }) => !EXCLUDED_OPERATIONS.includes(id));
    return new HostileRequests(service.url, families, operator, routes);
  }

  /**
   * Calls each operation once.
   *
   * @returns operation, status and body of each response with a server error, of each response that shows internals of
   * the service, and of each request that was rejected before its fields were read
   */
  async findServerErrors(change: (fields: RequestFields) => RequestFields): Promise<string[]> {
    const failures: string[] = [];
    const callers = Array.from({ length: CONCURRENT_REQUESTS }, async (_, caller) => {
      for (const [index, route] of this.routes.entries()) {
        if (index % CONCURRENT_REQUESTS !== caller) continue;
        const { client, request, isPublic } = this.callOf(route, index);
        const [path = ''] = pathsOf(route);
        const { status, text } = await repeatWhileUnavailable(() =>
          callOperation(client, route, path, change(request)),
        );
        const isUntested = !isPublic && [401, 429].includes(status);
        if (status >= 500 || isUntested || INTERNALS.test(text)) failures.push(`${route.id}: ${status} ${text}`);
      }
    });
    await Promise.all(callers);
    return failures;
  }

  close(): void {
    for (const family of this.families) family.disconnectAll();
  }

  /** Returns a caller of the operation and a well-formed request with unknown ids. */
  private callOf(route: DeclaredRoute, index: number) {
    const operatorRow = OPERATOR_ROWS[route.id];
    if (operatorRow) return { client: this.operator, request: operatorRow.request(), isPublic: false };
    const row = ROWS[route.id];
    if (!row) throw new Error(`Operation ${route.id} has no row in the access matrix`);
    if (row.callerKinds === 'public') {
      const request = row.cases[0]?.request(this.unknownIds) ?? {};
      return { client: this.anonymous, request, isPublic: true };
    }
    const users = this.families.flatMap(({ owner, guardian }) => [owner, guardian]);
    const user = row.callerKinds.includes('user') ? users[index % users.length] : undefined;
    return { client: user ?? this.families[0].watch, request: row.request(this.unknownIds), isPublic: false };
  }
}

/** Parts of stack traces and of errors of Postgres. */
const INTERNALS = /\bat \S+ \(.*:\d+:\d+\)|\.[jt]s:\d+:\d+|syntax error at or near|violates \w+ constraint/;

/** Returns a copy with `members` added to each object, at every depth. */
export function inEachObject(value: unknown, members: object): unknown {
  if (Array.isArray(value)) return value.map((item) => inEachObject(item, members));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inEachObject(item, members)]));
  for (const [name, member] of Object.entries(members))
    Object.defineProperty(copy, name, { value: member, enumerable: true });
  return copy;
}

/** Returns a copy in which each value that is neither an object nor a list is replaced. */
export function forEachValue(value: unknown, replace: ValueChange): unknown {
  if (Array.isArray(value)) return value.map((item) => forEachValue(item, replace));
  if (typeof value !== 'object' || value === null) return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, forEachValue(item, replace)]));
}
