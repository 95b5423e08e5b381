import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type FirmwareImage = Schema<'FirmwareImageDto'>;
export type Rollout = Schema<'RolloutDto'>;
export type RolloutProgress = Schema<'RolloutProgressDto'>;
export type Deployment = Schema<'DeploymentDto'>;
export type DeploymentState = Deployment['state'];
export type RolloutAction = Schema<'ChangeRolloutDto'>['action'];

export function imagesQuery({ client }: OperatorSession, model = '') {
  return pagedQuery(['images', model], (page, options) =>
    client.listFirmwareImages({ ...filtersOf({ model }), ...page }, options),
  );
}

export function groupWatchesQuery({ client }: OperatorSession, groupId: string) {
  return pagedQuery(['group-watches', groupId], (page, options) =>
    client.listFirmwareGroupWatches({ groupId, ...page }, options),
  );
}

export function rolloutsQuery({ client }: OperatorSession) {
  return pagedQuery(['rollouts'], (page, options) => client.listRollouts(page, options));
}

export function rolloutQuery({ client }: OperatorSession, rolloutId: string) {
  return queryOptions({
    queryKey: ['rollout', rolloutId],
    queryFn: ({ signal }) => client.getRollout({ rolloutId }, { signal }),
  });
}

export function deploymentsQuery({ client }: OperatorSession, rolloutId: string, state: '' | DeploymentState) {
  return pagedQuery(['deployments', rolloutId, state], (page, options) =>
    client.listDeployments({ rolloutId, ...filtersOf({ state }), ...page }, options),
  );
}
