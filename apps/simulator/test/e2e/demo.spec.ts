import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SCENES } from '../../src/day/demo.js';
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
  const programs: Program[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
  });

  // Kills programs that a failed test has left running, because they would keep jest from exiting.
  afterEach(() => Promise.all(programs.splice(0).map((program) => program.kill('SIGKILL'))));
  afterAll(() => server.stop());

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

  it('runs a school day along a GPX file and meets every expectation', async () => {
    const track = join(server.dataDir, 'track.gpx');
    writeFileSync(track, TRACK);
    const summary = await summaryOf(runDemo('--track', track, '--speed', '1000'));
    expect(summary).toMatchObject({ ok: true, points: 4, acknowledged: 4 + REQUESTED_POINT_COUNT, reconnections: 0 });
    expect(summary.proofs.map(({ name, ok }) => [name, ok])).toEqual(ALL_MET);
  });

  it('loses and duplicates no location point when the server is killed during the walk', async () => {
    const program = runDemo('--speed', '100');
    await program.waitForLine(/watch {3}walks/);
    await program.waitForLine(/mother {2}sees Mia/);
    await server.crashAndRestart();
    const summary = await summaryOf(program);
    expect(summary).toMatchObject({ ok: true, points: 120, acknowledged: 120 + REQUESTED_POINT_COUNT });
    expect(summary.reconnections).toBeGreaterThanOrEqual(2);
    expect(summary.proofs.map(({ name, ok }) => [name, ok])).toEqual(ALL_MET);
  });

  it('fails every scene when the family cannot be created', async () => {
    const program = runDemo('--sms-file', join(server.dataDir, 'no-such-file'));
    expect(await program.waitForExit()).toBe(1);
    expect(program.allOutput).toContain('No SMS code for');
    const { ok, proofs } = JSON.parse(program.output) as Summary;
    expect([ok, proofs.map(({ name, ok: isMet }) => [name, isMet])]).toEqual([
      false,
      SCENES.map(({ expectation }) => [expectation, false]),
    ]);
  });

  it('prints which option is invalid and which server is unreachable', async () => {
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
