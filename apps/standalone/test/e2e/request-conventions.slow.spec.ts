import { beforeAll, expect, test } from '@jest/globals';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { declaredOperations } from '../support/declared-operations.js';
import { describeOneDeployment } from '../support/deployments.js';
import { expectError } from '../support/envelopes.js';
import { expectOk, HttpClient, PATH_PREFIX } from '../support/http-client.js';
import { Parent, VALID_CHILD } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

/** What app developers expect of every operation: methods, encodings, `null`, ids and cursors. */
describeOneDeployment('request conventions', 'distributed', (deployment) => {
  let service: TestService;
  let parent: Parent;
  let cid: string;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    parent = await Parent.signUp(service);
    cid = await parent.createChild({ avatar: null, birthday: null, gender: null, timeZone: null });
  });

  const detail = () => expectOk(parent.get('child/detail', { cid }));

  test('every path responds 405 to another method and lists its methods', async () => {
    const methodsByPath = Map.groupBy(await declaredOperations(), ({ path }) => path);
    const client = new HttpClient(service.url);
    for (const [path, routes] of methodsByPath) {
      // The distributed deployment has no health checks of its own at its URL.
      if (path.startsWith('/health/') && deployment === 'distributed') continue;
      const allowed = routes.map(({ method }: DeclaredRoute) => method).sort();
      const other = ['PUT', 'PATCH', 'DELETE', 'GET'].find((method) => !allowed.includes(method)) ?? '';
      const response = await client.send(other, path.replace(/:\w+/g, 'x'));
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, allowed.join(', ')]);
    }
  });

  test('null in optional fields is the same as an omitted field on create', async () => {
    expect(await detail()).toMatchObject({ cid, gender: 0 });
    expect(await detail()).not.toHaveProperty('avatar');
  });

  test('null keeps a value on update, and clears a value that may be empty', async () => {
    const update = (fields: object) => expectOk(parent.post('child/update', { ...VALID_CHILD, cid, ...fields }));
    await update({ avatar: 'media/1', birthday: '2018-05-04', timeZone: 'Europe/Berlin' });
    await update({ avatar: null, birthday: null, gender: null, timeZone: null });
    const { avatar, birthday, gender, timeZone } = await detail();
    expect({ avatar, birthday, gender, timeZone }).toEqual({ gender: VALID_CHILD.gender, timeZone: 'Europe/Berlin' });
    const rejected = await parent.post('child/update', { ...VALID_CHILD, cid, name: null });
    expectError(`${PATH_PREFIX.plain}child`, rejected, 'VALIDATION_FAILED');
  });

  test('an id in upper case is found, in the query, in the body and in the path', async () => {
    const upper = cid.toUpperCase();
    expect(await expectOk(parent.get('child/detail', { cid: upper }))).toMatchObject({ cid });
    await expectOk(parent.post('child/update', { ...VALID_CHILD, cid: upper, name: 'Mia Li' }));
    expect(await detail()).toMatchObject({ name: 'Mia Li' });
    const other = await parent.createChild();
    await expectOk(parent.get(`child/delete/${other.toUpperCase()}`));
    expectError(`${PATH_PREFIX.plain}child`, await parent.get('child/detail', { cid: other }), 'CHILD_NOT_FOUND');
  });

  test('an empty cursor requests the first page', async () => {
    const first = await expectOk(parent.get('account/access-log/get', { cid, cursor: '' }));
    expect(first).toEqual(await expectOk(parent.get('account/access-log/get', { cid })));
  });
});
