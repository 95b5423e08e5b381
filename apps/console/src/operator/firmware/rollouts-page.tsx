import { Anchor } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { CreateRollout } from './create-rollout.js';
import { rolloutsQuery } from './queries.js';
import { RolloutState } from './rollout-state.js';
import { useImageName, useGroupName } from './use-names.js';

/** The rollouts of firmware images. */
export function RolloutsPage() {
  const { t } = useTranslation('operatorFirmware');
  const imageName = useImageName();
  const groupName = useGroupName();
  const rollouts = useInfiniteQuery(rolloutsQuery(useOperator()));
  return (
    <Page title={t('rollouts')}>
      <Section title={t('createRollout')}>
        <CreateRollout />
      </Section>
      <Section title={t('rollouts')}>
        <PagedList
          label={t('rollouts')}
          query={rollouts}
          keyOf={({ rolloutId }) => rolloutId}
          columns={[
            {
              name: t('image'),
              value: ({ rolloutId, imageId }) => (
                <Anchor
                  renderRoot={(props) => <Link {...props} to="/operator/rollouts/$rolloutId" params={{ rolloutId }} />}
                >
                  {imageName(imageId)}
                </Anchor>
              ),
            },
            { name: t('toGroup'), value: ({ groupId }) => groupName(groupId) },
            { name: t('state'), value: ({ state }) => <RolloutState state={state} /> },
            {
              name: t('wave'),
              value: ({ currentWave, waves }) => t('waveOf', { wave: currentWave, count: waves.length }),
            },
            { name: t('changedAt'), value: ({ changedAt }) => <DateTime time={changedAt} /> },
          ]}
        />
      </Section>
    </Page>
  );
}
