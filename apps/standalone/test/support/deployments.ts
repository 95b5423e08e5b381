import { describe } from '@jest/globals';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { needs } from '@family-watch/testing/requirements/needs';
import { findMissing } from '@family-watch/testing/requirements/requirements';
import type { ServiceKind } from '@family-watch/testing/service/shared-services';

/** How the service under test runs. */
export type Deployment = ServiceKind;

/** Runs a suite of behaviour that the deployment may affect, on both deployments. Without NATS or nginx, the report lists the distributed suite as skipped. */
export function describeBothDeployments(name: string, suite: (deployment: Deployment) => void): void {
  describe(`${name} (standalone)`, () => suite('standalone'));
  describeDistributed(name, suite);
}

/**
 * Runs a suite of behaviour that does not depend on the deployment: on one of them, in `npm run test:long` on both.
 *
 * @param preferred - the one deployment; without NATS or nginx, it is standalone
 */
export function describeOneDeployment(
  name: string,
  preferred: Deployment,
  suite: (deployment: Deployment) => void,
): void {
  if (isLongRun()) return describeBothDeployments(name, suite);
  const deployment = canBeDistributed() ? preferred : 'standalone';
  describe(`${name} (${deployment})`, () => suite(deployment));
}

/**
 * Runs a suite once for all deployments, in which each test tests both deployments at the same time: for tests that
 * spend most of their time waiting. Without NATS or nginx, the suite runs on standalone only, and the report lists the
 * distributed suite as skipped.
 */
export function describeBothDeploymentsAtOnce(name: string, suite: (deployments: readonly Deployment[]) => void): void {
  if (canBeDistributed()) {
    describe(`${name} (standalone and distributed)`, () => suite(['standalone', 'distributed']));
  } else {
    describe(`${name} (standalone)`, () => suite(['standalone']));
    describeDistributed(name, () => suite(['distributed']));
  }
}

/** Runs a suite on the distributed deployment only: separate processes, two gateways, nginx. */
export function describeDistributed(name: string, suite: (deployment: Deployment) => void): void {
  needs('nats', 'nginx').describe(`${name} (distributed)`, () => suite('distributed'));
}

function canBeDistributed(): boolean {
  return findMissing('nats') === undefined && findMissing('nginx') === undefined;
}
