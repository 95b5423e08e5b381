import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Environment } from '@family-watch/platform/config/environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../../support/deployments.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { HttpClient, type ServiceResponse } from '../../support/http-client.js';
import { VALID_CHILD } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { WATCH_PATH } from '../../support/watch.js';

const { RATE_LIMIT_CALLER_REQUESTS } = new Environment();
const WRITERS = 40;
const ROUNDS = 20;
const PASSWORD = 'zebra-piano-41-rain';

/** Starts its own service, because the writers would delay the requests of other suites. */
describeOneDeployment(
  'A37 one ordinary account that writes over 40 connections within its limits',
  'distributed',
  (deployment) => {
    let service: TestService;
    let writer: FamilyFixture;
    let family: FamilyFixture;

    beforeAll(async () => {
      service = await TestService.start(deployment);
      writer = await FamilyFixture.create(service);
      family = await FamilyFixture.create(service, { password: PASSWORD });
    });
    afterAll(async () => {
      for (const fixture of [writer, family]) fixture.disconnectAll();
      await service.stop();
    });

    /**
     * Changes the child of the writing family over many connections, one request at a time over each, until the returned
     * function is called and more requests than connections have succeeded. It returns the number of responses by status.
     */
    function write(): () => Promise<Record<number, number>> {
      const statuses: Record<number, number> = {};
      let remaining = RATE_LIMIT_CALLER_REQUESTS;
      const run = async (): Promise<void> => {
        // Each writer has its own address, and thus its own connection.
        const phone = new HttpClient(service.url, writer.owner.token);
        while (remaining-- > 0) {
          const child = { ...VALID_CHILD, cid: writer.cid, name: `Mia ${remaining}` };
          const { status } = await phone.post('child/update', child);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      const writers = Array.from({ length: WRITERS }, run);
      return async () => {
        await waitUntil('more successful requests than connections', () => (statuses[200] ?? 0) > WRITERS);
        remaining = 0;
        await Promise.all(writers);
        return statuses;
      };
    }

    /** Sends each request from an address of its own, so that no limit per address rejects it. */
    const anyone = () => new HttpClient(service.url);

    test('A37 sign-in, refresh, watch sign-in, SMS code and SOS of another family all succeed meanwhile', async () => {
      let { refreshToken } = family.owner.tokens;
      const { phoneNumber, tokens } = family.owner;
      const { deviceToken } = tokens;
      const requests: Record<string, () => Promise<ServiceResponse>> = {
        'sign-in': () =>
          anyone().post('account/sign-in', { areaCode: '+86', phoneNumber, password: PASSWORD, deviceToken }),
        refresh: async () => {
          const response = await anyone().post<{ refreshToken: string }>('account/token/refresh', { refreshToken });
          if (response.status === 200) ({ refreshToken } = response.body);
          return response;
        },
        'watch sign-in': async () => {
          const { watch } = family;
          return watch.post(`${WATCH_PATH}token/create`, await watch.createTokenRequest());
        },
        'SMS code': () => {
          const newNumber = `177${String(randomInt(10 ** 8)).padStart(8, '0')}`;
          return anyone().post('account/sms-code/send', { areaCode: '+86', phoneNumber: newNumber, scene: 'SIGN_UP' });
        },
        SOS: () => family.watch.post(`${WATCH_PATH}sos/raise`, {}),
      };
      const stop = write();
      const outcomes = await Promise.all(
        Object.entries(requests).map(async ([name, send]) => {
          const failures: string[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            // A failure of the first step of the watch sign-in is thrown.
            const outcome = await send().catch((error: unknown) => ({ status: 0, text: String(error) }));
            if (outcome.status !== 200) failures.push(`${outcome.status} ${outcome.text}`);
          }
          return [name, failures];
        }),
      );
      const statuses = await stop();
      expect(outcomes).toEqual(Object.keys(requests).map((name) => [name, []]));
      expect(statuses[200]).toBeGreaterThan(WRITERS);
    });

    test('A37 responses to more concurrent requests than wait per caller are delayed, so that they cost little', async () => {
      // The requests of the other account may be used up.
      const eager = await FamilyFixture.create(service);
      const child = { ...VALID_CHILD, cid: eager.cid };
      const responses = await Promise.all(
        Array.from({ length: 400 }, async () => {
          const sentAt = performance.now();
          const { status, text } = await new HttpClient(service.url, eager.owner.token).post('child/update', child);
          return { status, text, duration: performance.now() - sentAt };
        }),
      );
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected.length).toBeGreaterThan(0);
      expect(rejected.filter(({ text }) => !text.includes('TOO_MANY_CONCURRENT_REQUESTS'))).toEqual([]);
      expect(rejected.filter(({ duration }) => duration < 500)).toEqual([]);
      expect(responses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
      eager.disconnectAll();
    });
  },
);
