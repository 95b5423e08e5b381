import { expect, test } from '@jest/globals';
import { LocationReporter } from './location-reporter.js';
import { WatchVitals } from './watch-vitals.js';
import { FakeWatchConnection } from '../../test/support/fake-watch-connection.js';

/** Degrees of latitude per metre. */
const DEGREES_PER_METRE = 1 / 111_195;
const locationAt = (metres: number, positionTime: number) => ({
  latitude: (metres * DEGREES_PER_METRE).toFixed(7),
  longitude: '14.0000000',
  radius: 10,
  pointType: 1 as const,
  positionTime,
});

function createReporter(points: object[]) {
  const fake = new FakeWatchConnection({ LocationPointChangeMessage: { points } });
  const vitals = new WatchVitals();
  return { fake, vitals, locationReporter: new LocationReporter(fake.connection, vitals) };
}

test('LocationReporter counts acknowledged points and steps and records rejected points', async () => {
  const answers = [
    { index: 0, accepted: true, reason: null },
    { index: 1, accepted: false, reason: 'NOT_BOUND_THEN' },
  ];
  const { vitals, locationReporter } = createReporter(answers);
  const points = [locationAt(0, 1), locationAt(600, 2)];
  await locationReporter.report(points);
  expect(locationReporter.acknowledgedCount).toBe(1);
  expect(locationReporter.rejectedPoints).toEqual([{ point: points[1], reason: 'NOT_BOUND_THEN' }]);
  expect(vitals.steps).toBe(1_000);
  expect(vitals.heartbeat().stepTotal).toBe(1_000);
});

test('WatchVitals counts no more steps than the service accepts at once, whatever the speed of the replay', () => {
  const vitals = new WatchVitals();
  vitals.walk(30_000);
  expect(vitals.heartbeat().stepTotal).toBe(12_000);
});

test('LocationReporter throws when the response does not contain a result for each point', async () => {
  const { locationReporter } = createReporter([]);
  await expect(locationReporter.report([locationAt(0, 1)])).rejects.toThrow('The response does not cover every point');
});

test('LocationReporter responds to a location request with a newer point, even if the clock of the server is ahead', async () => {
  const { fake, locationReporter } = createReporter([{ index: 0, accepted: true, reason: null }]);
  await fake.deliver('AskLocationPointNoticeMessage', { time: 5 });
  expect(fake.sent).toEqual([]);
  await locationReporter.report([locationAt(0, 1)]);
  const requestedAt = Date.now() + 60_000;
  await fake.deliver('AskLocationPointNoticeMessage', { time: requestedAt });
  expect(fake.sent.at(-1)).toEqual(['LocationPointChangeMessage', { points: [locationAt(0, requestedAt + 1)] }]);
});
