import { expect, it } from '@jest/globals';
import { LocationReporter } from './location-reporter.js';
import { WatchVitals } from './watch-vitals.js';
import { FakeLink } from '../../test/support/fake-link.js';

/** A metre in degrees of latitude. */
const DEGREES_PER_METRE = 1 / 111_195;
const at = (metres: number, positionTime: number) => ({
  latitude: (metres * DEGREES_PER_METRE).toFixed(7),
  longitude: '14.0000000',
  radius: 10,
  pointType: 1 as const,
  positionTime,
});

function createReporter(points: object[]) {
  const fake = new FakeLink({ LocationPointChangeMessage: { points } });
  const vitals = new WatchVitals();
  return { fake, vitals, positioning: new LocationReporter(fake.link, vitals) };
}

it('LocationReporter counts acknowledged points and steps and records rejected points', async () => {
  const answers = [
    { index: 0, accepted: true, reason: null },
    { index: 1, accepted: false, reason: 'NOT_BOUND_THEN' },
  ];
  const { vitals, positioning } = createReporter(answers);
  const points = [at(0, 1), at(600, 2)];
  await positioning.report(points);
  expect(positioning.acknowledged).toBe(1);
  expect(positioning.rejectedPoints).toEqual([{ point: points[1], reason: 'NOT_BOUND_THEN' }]);
  expect(vitals.steps).toBe(1_000);
  expect(vitals.heartbeat().stepTotal).toBe(vitals.stepTotal);
});

it('LocationReporter throws when the response does not contain a result for each point', async () => {
  const { positioning } = createReporter([]);
  await expect(positioning.report([at(0, 1)])).rejects.toThrow('The response does not cover every point');
});

it('LocationReporter responds to a location request with a newer point, even if the clock of the server is ahead', async () => {
  const { fake, positioning } = createReporter([{ index: 0, accepted: true, reason: null }]);
  await fake.deliver('AskLocationPointNoticeMessage', { time: 5 });
  expect(fake.sent).toEqual([]);
  await positioning.report([at(0, 1)]);
  const asked = Date.now() + 60_000;
  await fake.deliver('AskLocationPointNoticeMessage', { time: asked });
  expect(fake.sent.at(-1)).toEqual(['LocationPointChangeMessage', { points: [at(0, asked + 1)] }]);
});
