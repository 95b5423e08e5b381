import { describe, test } from '@jest/globals';
import { natsAnswers, natsUrl } from '@family-watch/testing/service/nats';

/** How the contexts of the service under test talk to each other. */
export type Way = 'in-process bus' | 'NATS';

const natsIsThere = await natsAnswers();

/** Runs the same suite on both ways; where no NATS answers, the report names the suite that did not run. */
export function describeBothWays(name: string, suite: (way: Way) => void): void {
  describe(`${name} (in-process bus)`, () => suite('in-process bus'));
  if (natsIsThere) {
    describe(`${name} (NATS)`, () => suite('NATS'));
  } else {
    describe.skip(`${name} (NATS): no NATS reachable at ${natsUrl}, not run`, () => {
      test('the same suite', () => undefined);
    });
  }
}
