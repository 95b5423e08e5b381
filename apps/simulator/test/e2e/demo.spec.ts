import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Program } from '../support/programs.js';
import { TestServer } from '../support/test-server.js';

const LIMIT_MS = 180_000;
const PROOFS = 9;

/** Three places with times, one without, and a segment with nothing in it. */
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

interface Summary {
  ok: boolean;
  points: number;
  acknowledged: number;
  reconnections: number;
  proofs: { name: string; ok: boolean; detail: string }[];
}

describe('npm run demo', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  }, LIMIT_MS);

  afterAll(() => server.stop(), LIMIT_MS);

  function demo(...args: string[]): Program {
    const against = ['--url', server.url, '--sms-file', server.smsFile, '--json'];
    return Program.run('apps/simulator/src/main.ts', [...against, ...args]);
  }

  async function summaryOf(program: Program): Promise<Summary> {
    const exitCode = await program.ends();
    // The words are part of what is compared, so that a failure shows them.
    expect({ exitCode, words: program.words }).toEqual({ exitCode: 0, words: program.words });
    return JSON.parse(program.output) as Summary;
  }

  it(
    'walks along a file and proves that nothing was lost',
    async () => {
      const track = join(server.dataDir, 'track.gpx');
      writeFileSync(track, TRACK);
      const summary = await summaryOf(demo('--track', track, '--speed', '1000'));
      expect(summary).toMatchObject({ ok: true, points: 4, acknowledged: 4, reconnections: 0 });
      expect(summary.proofs.map(({ ok }) => ok)).toEqual(Array(PROOFS).fill(true));
    },
    LIMIT_MS,
  );

  it(
    'loses nothing, and stores nothing twice, when the server is killed in the middle of the walk',
    async () => {
      const program = demo('--speed', '100');
      await program.says(/watch {3}walks/);
      await program.says(/parent {2}sees Mia/);
      await server.crashAndRestart();
      const summary = await summaryOf(program);
      expect(summary).toMatchObject({ ok: true, points: 120, acknowledged: 120 });
      expect(summary.reconnections).toBeGreaterThanOrEqual(2);
      expect(summary.proofs.map(({ ok }) => ok)).toEqual(Array(PROOFS).fill(true));
    },
    LIMIT_MS,
  );

  it('says which options are wrong, and that nobody answers at a given address', async () => {
    const slow = demo('--speed', '0.5');
    expect([await slow.ends(), slow.words]).toEqual([2, '✗ --speed must be a number of at least 1']);
    const nobody = Program.run('apps/simulator/src/main.ts', ['--url', 'http://127.0.0.1:1']);
    expect([await nobody.ends(), nobody.words]).toEqual([2, '✗ No Family Watch server answers at http://127.0.0.1:1']);
  }, 30_000);
});
