import { describe, test } from '@jest/globals';
import { natsAnswers, natsUrl } from '@family-watch/testing/service/nats';
import { nginxIsThere } from './two-gateways.js';

/** How the contexts of the service under test talk to each other, and how many processes of the gateway there are. */
export type Way = 'in-process bus' | 'NATS' | 'two gateways';

const natsIsThere = await natsAnswers();

/** Runs the same suite on both ways; where no NATS answers, the report names the suite that did not run. */
export function describeBothWays(name: string, suite: (way: Way) => void): void {
  describe(`${name} (in-process bus)`, () => suite('in-process bus'));
  describeWhere(natsIsThere, `no NATS reachable at ${natsUrl}`, name, 'NATS', suite);
}

/** The same, and a third time on processes of their own, two of them gateways, behind nginx. */
export function describeEveryWay(name: string, suite: (way: Way) => void): void {
  describeBothWays(name, suite);
  describeTwoGateways(name, suite);
}

/** Only on two gateways behind nginx. */
export function describeTwoGateways(name: string, suite: (way: Way) => void): void {
  const missing = natsIsThere ? 'no nginx installed' : `no NATS reachable at ${natsUrl}`;
  describeWhere(natsIsThere && nginxIsThere, missing, name, 'two gateways', suite);
}

function describeWhere(holds: boolean, missing: string, name: string, way: Way, suite: (way: Way) => void): void {
  if (holds) {
    describe(`${name} (${way})`, () => suite(way));
  } else {
    describe.skip(`${name} (${way}): ${missing}, not run`, () => {
      test('the same suite', () => undefined);
    });
  }
}
