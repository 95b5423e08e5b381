import { Group, NativeSelect, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Schema } from '@family-watch/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import type { OperatorSession } from '../session/operator-session.js';
import { useOperator } from '../session/use-operator.js';
import { Page } from '../shared/page.js';
import { ItemList } from '../shared/paged-list.js';
import { StateBadge } from '../shared/state-badge.js';
import { useChange } from '../shared/use-change.js';
import { PLATFORMS, SetRelease, type Platform } from './set-release.js';

type Release = Schema<'AppReleaseDto'>;

/** As the service accepts it, so that a name that is being typed is no request. */
const CHANNEL_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

function releasesQuery({ client }: OperatorSession, platform: Platform, channel: string) {
  return queryOptions({
    queryKey: ['releases', platform, channel],
    queryFn: ({ signal }) => client.listAppReleases({ platform, channel }, { signal }),
    enabled: CHANNEL_PATTERN.test(channel),
  });
}

/** The releases of the app for parents on one channel. */
export function ReleasesPage() {
  const { t } = useTranslation('operatorReleases');
  const [platform, setPlatform] = useState<Platform>('ANDROID');
  const [channel, setChannel] = useState('stable');
  return (
    <Page title={t('releases')}>
      <Section title={t('channelOfReleases')}>
        <Group align="start">
          <NativeSelect
            label={t('platform')}
            data={[...PLATFORMS]}
            value={platform}
            onChange={({ currentTarget }) => setPlatform(currentTarget.value as Platform)}
          />
          <TextInput
            label={t('channel')}
            value={channel}
            error={CHANNEL_PATTERN.test(channel) ? undefined : t('channelRule')}
            onChange={({ currentTarget }) => setChannel(currentTarget.value)}
          />
        </Group>
        {CHANNEL_PATTERN.test(channel) && <ReleaseList platform={platform} channel={channel} />}
      </Section>
      <Section title={t('setRelease')}>
        <SetRelease platform={platform} channel={channel} />
      </Section>
    </Page>
  );
}

function ReleaseList({ platform, channel }: { platform: Platform; channel: string }) {
  const { t } = useTranslation('operatorReleases');
  const { t: tList } = useTranslation('operatorLists');
  const releases = useQuery(releasesQuery(useOperator(), platform, channel));
  return (
    <QueryView query={releases}>
      {({ items }) => (
        <ItemList
          label={t('releases')}
          items={items}
          keyOf={({ version }) => version}
          columns={[
            { name: t('version'), value: ({ version }) => version },
            { name: t('percentage'), value: ({ percentage }) => `${percentage} %` },
            { name: t('minimumVersion'), value: ({ minimumVersion }) => minimumVersion ?? '–' },
            {
              name: t('state'),
              value: ({ withdrawnAt }) => (
                <StateBadge text={t(withdrawnAt === null ? 'offered' : 'withdrawn')} isBad={withdrawnAt !== null} />
              ),
            },
            { name: t('changedAt'), value: ({ changedAt }) => <DateTime time={changedAt} /> },
            { name: tList('actions'), value: (release) => <WithdrawButton release={release} /> },
          ]}
        />
      )}
    </QueryView>
  );
}

function WithdrawButton({ release: { platform, channel, version, withdrawnAt } }: { release: Release }) {
  const { t } = useTranslation('operatorReleases');
  const { client } = useOperator();
  const withdraw = useChange(() => client.withdrawAppRelease({ platform, channel, version }));
  if (withdrawnAt !== null) return '–';
  return (
    <ConfirmButton
      label={t('withdraw')}
      aria-label={`${t('withdraw')}: ${version}`}
      title={t('withdrawTitle', { platform, channel, version })}
      question={t('withdrawQuestion')}
      action={withdraw}
    />
  );
}
