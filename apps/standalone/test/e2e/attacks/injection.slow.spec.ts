import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import type { RequestFields } from '../../support/access/operation-row.js';
import { forEachValue, HostileRequests } from '../../support/hostile-requests.js';
import { TestService } from '../../support/test-service.js';

/** Texts that SQL, a shell, a template, a header, a path or a search expression would execute or interpret. */
const INJECTIONS = [
  `'; SELECT pg_sleep(600); --`,
  `" OR 1=1; DROP SCHEMA userctx CASCADE; /*`,
  '$(sleep 600)`sleep 600`|sleep 600;${{7*7}}{{7*7}}<%=7*7%>',
  'x\r\nX-Injected: yes\r\n\r\n',
  "1'||(SELECT password_hash FROM userctx.account LIMIT 1)||'",
  '../../../../../../etc/passwd',
  "{$ne:null}'%_\\'; COPY userctx.account TO PROGRAM 'sh' --",
  '*)(objectClass=*))(|(1=1',
];

describe('A11 injected commands in every field, sort order and filter', () => {
  let service: TestService;
  let requests: HostileRequests;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    requests = await HostileRequests.open(service);
  });
  afterAll(async () => {
    requests.close();
    await service.stop();
  });

  test.each(sampleOf(INJECTIONS, 3))('are data for every operation: %j', async (injection) => {
    const insert = (fields: RequestFields) => forEachValue(fields, () => injection) as RequestFields;
    const append = (fields: RequestFields) =>
      forEachValue(fields, (value) => (typeof value === 'string' ? value + injection : value)) as RequestFields;
    for (const change of [insert, append])
      expect(await requests.findServerErrors((fields) => withPath(fields, change(fields)))).toEqual([]);
    const running = await service.query(
      `SELECT query FROM pg_stat_activity WHERE state = 'active' AND query ~ 'pg_sleep\\(600|DROP SCHEMA'
         AND pid <> pg_backend_pid()`,
    );
    expect(running).toEqual([]);
    expect(await service.query('SELECT 1 FROM userctx.account LIMIT 1')).toHaveLength(1);
  });

  test('no operation copies a line break of a request into its headers', async () => {
    const [{ owner }] = requests.families;
    const { headers } = await owner.get('family/list', { cursor: 'x\r\nX-Injected: yes' });
    expect(headers.has('x-injected')).toBe(false);
  });
});

/** Path parameters are part of the URL, so the injection is encoded there. */
function withPath({ path }: RequestFields, changed: RequestFields): RequestFields {
  if (!path) return changed;
  return {
    ...changed,
    path: Object.fromEntries(
      Object.entries(changed.path ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]),
    ),
  };
}
