import { Group, Progress, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { WatchLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateFilter } from '../shared/state-filter.js';
import { RenewButton } from '../shared/renew-button.js';
import { useChange } from '../shared/use-change.js';
import {
  deploymentsQuery,
  rolloutQuery,
  type DeploymentState,
  type Rollout,
  type RolloutAction,
  type RolloutProgress,
} from './queries.js';
import { RolloutState } from './rollout-state.js';
import { useGroupName, useImageName } from './use-names.js';

const route = getRouteApi('/operator/rollouts/$rolloutId');

/** One rollout: its waves, what an operator can do with it, and the updates of its watches. */
export function RolloutPage() {
  const { t } = useTranslation('operatorFirmware');
  const { rolloutId } = route.useParams();
  const rollout = useQuery(rolloutQuery(useOperator(), rolloutId));
  return (
    <Page title={t('rollout')} back={{ to: '/operator/rollouts' }} action={<RenewButton query={rollout} />}>
      <QueryView query={rollout}>
        {(found) => (
          <Stack gap="lg">
            <RolloutSection rollout={found} />
            <Waves rollout={found} />
            <Deployments rolloutId={rolloutId} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

/** What the states allow; the first one is what comes next. */
const ACTIONS: Readonly<Record<Rollout['state'], readonly RolloutAction[]>> = {
  SCHEDULED: ['START', 'STOP'],
  RUNNING: ['ADVANCE', 'PAUSE', 'STOP'],
  PAUSED: ['RESUME', 'STOP'],
  FINISHED: ['STOP'],
  STOPPED: [],
};

function RolloutSection({ rollout }: { rollout: Rollout }) {
  const { t } = useTranslation('operatorFirmware');
  const { t: tList } = useTranslation('operatorLists');
  const imageName = useImageName();
  const groupName = useGroupName();
  const { rolloutId, imageId, groupId, state, currentWave, waves, startAt } = rollout;
  const actions = ACTIONS[state].filter((action) => action !== 'ADVANCE' || currentWave < waves.length);
  return (
    <Section title={imageName(imageId)} action={<RolloutState state={state} />}>
      <Facts
        facts={[
          [t('rolloutId'), rolloutId],
          [t('toGroup'), groupName(groupId)],
          [t('waves'), waves.map((wave) => `${wave} %`).join(', ')],
          [t('wave'), t('waveOf', { wave: currentWave, count: waves.length })],
          [t('successThreshold'), rollout.successThreshold],
          [t('errorThreshold'), `${rollout.errorThreshold} · ${t(`error${rollout.errorAction}`)}`],
          [t('minBattery'), rollout.minBattery],
          [t('requiresCharging'), tList(rollout.requiresCharging ? 'yes' : 'no')],
          [t('avoidsSchoolTime'), tList(rollout.avoidsSchoolTime ? 'yes' : 'no')],
          [t('startAt'), startAt === null ? '–' : <DateTime time={startAt} />],
        ]}
      />
      <Group>
        {actions.map((action) => (
          <ActionButton key={action} rolloutId={rolloutId} action={action} />
        ))}
      </Group>
    </Section>
  );
}

function ActionButton({ rolloutId, action }: { rolloutId: string; action: RolloutAction }) {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const change = useChange(() => client.changeRollout({ rolloutId, action }));
  const isStop = action === 'STOP';
  return (
    <ConfirmButton
      label={t(`action${action}`)}
      title={t(`title${action}`, { rolloutId })}
      question={t(`question${action}`)}
      color={isStop ? 'red' : 'teal'}
      variant="light"
      action={change}
    />
  );
}

function Waves({ rollout: { progress } }: { rollout: RolloutProgress }) {
  const { t } = useTranslation('operatorFirmware');
  return (
    <Section title={t('progress')}>
      {progress.map(({ wave, watches, succeeded, failed, inProgress }) => {
        const share = (count: number) => (watches === 0 ? 0 : (100 * count) / watches);
        const text = t('waveProgress', { wave, watches, succeeded, failed, inProgress });
        return (
          <div key={wave}>
            <Text size="sm">{text}</Text>
            <Progress.Root size="lg">
              <Progress.Section value={share(succeeded)} color="teal" aria-label={text} />
              <Progress.Section value={share(inProgress)} color="blue" aria-label={text} />
              <Progress.Section value={share(failed)} color="red" aria-label={text} />
            </Progress.Root>
          </div>
        );
      })}
    </Section>
  );
}

const STATES: readonly DeploymentState[] = [
  'SCHEDULED',
  'DOWNLOADING',
  'DOWNLOADED',
  'INSTALLING',
  'SUCCESS',
  'FAILED',
  'REJECTED',
];

function Deployments({ rolloutId }: { rolloutId: string }) {
  const { t } = useTranslation('operatorFirmware');
  const [state, setState] = useState<'' | DeploymentState>('');
  const deployments = useInfiniteQuery(deploymentsQuery(useOperator(), rolloutId, state));
  return (
    <Section title={t('deployments')}>
      <StateFilter
        label={t('state')}
        states={STATES}
        textOf={(each) => t(`deployment${each}`)}
        value={state}
        onChange={setState}
      />
      <PagedList
        label={t('deployments')}
        query={deployments}
        keyOf={({ did }) => did}
        columns={[
          { name: t('did'), value: ({ did }) => <WatchLink did={did} /> },
          { name: t('wave'), value: ({ wave }) => wave },
          { name: t('state'), value: (deployment) => t(`deployment${deployment.state}`) },
          { name: t('failures'), value: ({ failures }) => failures },
          { name: t('error'), value: ({ error }) => error ?? '–' },
          { name: t('changedAt'), value: ({ changedAt }) => <DateTime time={changedAt} /> },
        ]}
      />
    </Section>
  );
}
