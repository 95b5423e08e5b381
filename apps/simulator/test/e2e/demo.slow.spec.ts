import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createClient,
  envelopeData,
  GatewayClient,
  responseData,
  userSession,
  type RestClient,
  type TokenSource,
} from '@family-watch/client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { SCENES } from '../../src/day/demo.js';
import { CLOUD_PATH, findCloudId } from '../../src/people/family-cloud.js';
import type { Credentials } from '../../src/people/person.js';
import { Program } from '../support/programs.js';
import { TestServer } from '../support/test-server.js';

/** Number of points that the watch reports in addition to the walk: one, on the only location request. */
const REQUESTED_POINT_COUNT = 1;

/** A GPX file with an empty segment and a segment of three points with times and one point without a time. */
const TRACK = `<?xml version="1.0"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
  <trk><trkseg/></trk>
  <trk><trkseg>
    <trkpt lat="45.0000" lon="14.0000"><time>2020-01-01T10:00:00Z</time></trkpt>
    <trkpt lat="45.0010" lon="14.0000"/>
    <trkpt lat="45.0020" lon="14.0000"><time>2020-01-01T10:04:00Z</time></trkpt>
    <trkpt lat="45.0030" lon="14.0001"><time>2020-01-01T10:06:00Z</time></trkpt>
  </trkseg></trk>
</gpx>
`;

const DAY_MS = 24 * 3_600_000;

/** Name and `ok` of each result when all expectations are met. */
const ALL_MET = SCENES.map(({ expectation }) => [expectation, true]);

interface Summary {
  ok: boolean;
  points: number;
  acknowledged: number;
  reconnections: number;
  proofs: { name: string; ok: boolean; detail: string }[];
}

describe('npm run demo', () => {
  let server: TestServer;
  /** A demo that waits half a minute for an SMS code, while the other tests run. */
  let withoutCodes: Program;
  const programs: Program[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
    withoutCodes = runDemo('--sms-file', join(server.dataDir, 'no-such-file'));
    programs.length = 0;
  });

  // Kills programs that a failed test has left running, because they would keep jest from exiting.
  afterEach(() => Promise.all(programs.splice(0).map((program) => program.kill('SIGKILL'))));
  afterAll(async () => {
    await withoutCodes.kill('SIGKILL');
    await server.stop();
  });

  function runDemo(...args: string[]): Program {
    const serverOptions = ['--url', server.url, '--sms-file', server.smsFile, '--json'];
    const program = Program.run('apps/simulator/dist/main.js', [...serverOptions, ...args]);
    programs.push(program);
    return program;
  }

  async function summaryOf(program: Program): Promise<Summary> {
    const exitCode = await program.waitForExit();
    if (exitCode !== 0) throw new Error(`The demo ended with exit code ${exitCode}:\n${program.allOutput}`);
    return JSON.parse(program.output) as Summary;
  }

  test('runs a school day along a GPX file and meets every expectation', async () => {
    const track = join(server.dataDir, 'track.gpx');
    writeFileSync(track, TRACK);
    const summary = await summaryOf(runDemo('--track', track, '--speed', '1000'));
    expect(summary).toMatchObject({ ok: true, points: 4, acknowledged: 4 + REQUESTED_POINT_COUNT, reconnections: 0 });
    expect(summary.proofs.map(({ name, ok }) => [name, ok])).toEqual(ALL_MET);
  });

  test('loses and duplicates no location point when the server is killed during the walk', async () => {
    const program = runDemo('--speed', '100');
    await program.waitForLine(/watch {3}walks/);
    await program.waitForLine(/mother {2}sees Mia/);
    await server.crashAndRestart();
    const summary = await summaryOf(program);
    expect(summary).toMatchObject({ ok: true, points: 120, acknowledged: 120 + REQUESTED_POINT_COUNT });
    expect(summary.reconnections).toBeGreaterThanOrEqual(2);
    expect(summary.proofs.map(({ name, ok }) => [name, ok])).toEqual(ALL_MET);
  }, 540_000);

  test('creates a family with a week of life, whose watches reply until Ctrl-C', async () => {
    const program = runDemo('--keep');
    await program.waitForLine(/^}$/);
    const { credentials } = JSON.parse(program.output) as { credentials: Credentials };
    const anonymous = createClient({ url: server.url });
    const tokens = userSession(anonymous, await anonymous.accounts.signIn(credentials));
    const api = createClient({ url: server.url, tokens }).rest;
    const { childList } = await responseData(api.GET('/apis/v2/userctx/user/child/get'));
    expect(childList.map(({ name }) => name).toSorted()).toEqual(['Leo', 'Mia']);
    const now = Date.now();
    for (const { cid } of childList)
      for (let to = now; to > now - 7 * DAY_MS; to -= DAY_MS) {
        const query = { cid, from: to - DAY_MS, to, limit: 1 };
        const { items } = await responseData(api.GET('/apis/v2/userctx/user/location/track', { params: { query } }));
        expect(items).toHaveLength(1);
      }
    const cloudID = await findCloudId(api);
    const { cloudPhotoList } = await envelopeData(api.POST(`${CLOUD_PATH}/queryCloudPhoto`, { body: { cloudID } }));
    expect(cloudPhotoList.map(({ photoName, contentCount }) => `${photoName}: ${contentCount}`).toSorted()).toEqual([
      'In the park: 13',
      'Our week: 40',
    ]);
    await expectReplyOfEachChild(tokens, api, childList.length);
    await program.kill('SIGINT');
    expect(await program.waitForExit()).toBe(0);
  });

  /** Writes to each child and waits for the replies of their watches. */
  async function expectReplyOfEachChild(tokens: TokenSource, api: RestClient, childCount: number): Promise<void> {
    const gateway = new GatewayClient({ url: server.url, tokens });
    const received: { conversationId: string; conversationSeq: number }[] = [];
    gateway.onMessage('ChatTextMessage', ({ payload }) => received.push(payload));
    gateway.start();
    try {
      await gateway.whenConnected();
      const { items } = await responseData(api.GET('/apis/v2/message/conversation/list'));
      const direct = items.filter(({ type }) => type === 'DIRECT');
      expect(direct).toHaveLength(childCount);
      for (const { conversationId } of direct) {
        const message = { clientMsgId: randomUUID(), conversationId, text: 'How are you?' };
        const { conversationSeq: sentSeq } = await gateway.send('ChatTextMessage', message);
        const isReply = (reply: (typeof received)[number]): boolean =>
          reply.conversationId === conversationId && reply.conversationSeq > sentSeq;
        await waitUntil('the reply of the child', () => received.some(isReply));
      }
    } finally {
      gateway.stop();
    }
  }

  test('fails every scene when the family cannot be created', async () => {
    expect(await withoutCodes.waitForExit()).toBe(2);
    expect(withoutCodes.allOutput).toContain('No SMS code for');
    const { ok, proofs } = JSON.parse(withoutCodes.output) as Summary;
    expect([ok, proofs.map(({ name, ok: isMet }) => [name, isMet])]).toEqual([
      false,
      SCENES.map(({ expectation }) => [expectation, false]),
    ]);
  });

  test('prints which option is invalid and which server is unreachable', async () => {
    const withInvalidSpeed = runDemo('--speed', '0.5');
    expect([await withInvalidSpeed.waitForExit(), withInvalidSpeed.allOutput]).toEqual([
      2,
      '✗ --speed must be a number of at least 1',
    ]);
    const withoutServer = Program.run('apps/simulator/dist/main.js', ['--url', 'http://127.0.0.1:1']);
    expect([await withoutServer.waitForExit(), withoutServer.allOutput]).toEqual([
      2,
      '✗ No Family Watch server responds at http://127.0.0.1:1',
    ]);
  });
});
