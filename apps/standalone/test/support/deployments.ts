import { describe, test } from '@jest/globals';
import { nginxIsThere } from '@family-watch/testing/service/distributed-service';
import { isNatsReachable, natsUrl } from '@family-watch/testing/service/nats';
import type { ServiceKind } from '@family-watch/testing/service/shared-services';

/** How the service under test runs. */
export type Deployment = ServiceKind;

/** Does a NATS server answer? */
export const natsIsThere = await isNatsReachable();

/** Runs the same suite on both ways; where NATS or nginx is missing, the report names the suite that did not run. */
export function describeBothDeployments(name: string, suite: (way: Deployment) => void): void {
  describe(`${name} (standalone)`, () => suite('standalone'));
  describeDistributed(name, suite);
}

/** Only on processes of their own, two of them gateways, behind nginx. */
export function describeDistributed(name: string, suite: (way: Deployment) => void): void {
  if (natsIsThere && nginxIsThere) {
    describe(`${name} (distributed)`, () => suite('distributed'));
  } else {
    const missing = natsIsThere ? 'no nginx installed' : `no NATS reachable at ${natsUrl}`;
    describe.skip(`${name} (distributed): ${missing}, not run`, () => {
      test('the same suite', () => undefined);
    });
  }
}
