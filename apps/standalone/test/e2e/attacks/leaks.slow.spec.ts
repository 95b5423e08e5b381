import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForConversation } from '../../support/family-fixture.js';
import { expectOk, HttpClient } from '../../support/http-client.js';
import { TestService } from '../../support/test-service.js';
import { WATCH_PATH } from '../../support/watch.js';

/** Beginning of the line that refuse-outgoing-traffic.mjs writes. */
const REFUSAL = 'Refused outgoing traffic to';

const plant = () => `planted-${randomBytes(12).toString('hex')}`;

// The suite starts its own service, because it reads the log at level debug.
describe('what leaves the service', () => {
  let service: TestService;
  let family: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    family = await FamilyFixture.create(service, { password: 'seven quiet herons' });
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  test('A28 no log line contains a credential, a link, a name, a text or a position of a request', async () => {
    const { owner, watch, cid } = family;
    const [password, header, query, text, name, token] = Array.from({ length: 6 }, plant) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const latitude = `31.${String(Date.now()).slice(-6)}`;
    const { phoneNumber } = owner;
    await owner.post('account/sign-in', { areaCode: '+86', phoneNumber, password });
    await owner.post('account/password/set', { password, stepUp: { password } });
    await owner.send('GET', `/apis/v2/userctx/user/child/get?access_token=${query}&password=${query}`);
    await owner.send('GET', `/share/${token}`);
    await owner.send('GET', `/app-api/mcdisk/blob/${token}`);
    await new HttpClient(service.url, header).get('child/get');
    await new HttpClient(service.url).send('GET', `/${token}`, { headers: { cookie: header, 'user-agent': header } });
    await owner.post('device/contacts/create', { deviceId: watch.did, name, phoneNumber: name, areaCode: '86' });
    await owner.send('POST', 'child/create', {
      body: `{"name":"${name}","phoneNumber":`,
      headers: { 'content-type': 'application/json' },
    });
    const conversationId = await waitForConversation(owner, 'FAMILY');
    const socket = await owner.connect();
    await socket.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
    await socket.send('ChatTextMessage', { clientMsgId: text, conversationId: text, text: { text } });
    await socket.send('token', { token });
    const rejected = new TestClient(service.url, { token });
    await rejected.waitForRejection();
    rejected.close();
    const point = { latitude, longitude: '121.4', radius: 9, pointType: 1, positionTime: Date.now() };
    await expectOk(watch.post(`${WATCH_PATH}location/report`, { points: [point] }));
    const { url: shareUrl } = await expectOk(owner.post<{ url: string }>('location/share/create', { cid }));
    await new HttpClient(service.url).send('GET', new URL(shareUrl).pathname);
    const contentID = await family.storeFile(`${name}.jpg`);
    const path = await family.linkTo(contentID);
    const link = path.split('/').at(-1) ?? '';
    await new HttpClient(service.url).send('GET', path);

    const last = randomUUID();
    await owner.send('GET', '/apis/v2/nothing', { headers: { 'x-request-id': last } });
    const secrets = {
      password,
      header,
      query,
      text,
      name,
      token,
      latitude,
      link,
      phoneNumber,
      accessToken: owner.tokens.accessToken,
      refreshToken: owner.tokens.refreshToken,
      share: shareUrl.split('/').at(-1) ?? '',
    };
    const findLines = (part: string) => service.logs.filter((line) => line.includes(part));
    await waitUntil('the log line of the last request', () => findLines(last).length > 0);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret.length).toBeGreaterThan(8);
      expect([what, findLines(secret)]).toEqual([what, []]);
    }
  });

  test('A29 the service opens no connection to another host while it serves a family', async () => {
    await family.storeFile('picture.jpg');
    await expectOk(family.watch.post(`${WATCH_PATH}sos/raise`, {}));
    expect(service.logs.filter((line) => line.startsWith(REFUSAL))).toEqual([]);
  });

  test('A29 programs started by tests cannot connect to other hosts', async () => {
    const program = `
      const outcome = (url) => fetch(url).then(() => 'connected', ({ cause }) => cause.code);
      const outcomes = await Promise.all(['http://192.0.2.1/', 'https://example.com/', process.argv[1]].map(outcome));
      console.log(JSON.stringify(outcomes));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program, `${service.url}/health/live`],
      { env: PROGRAM_ENVIRONMENT },
    );
    expect(JSON.parse(stdout)).toEqual(['ENETUNREACH', 'ENETUNREACH', 'connected']);
    expect(stderr.trim().split('\n').toSorted()).toEqual([`${REFUSAL} 192.0.2.1`, `${REFUSAL} example.com`]);
  });
});
