import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { Deliveries } from '../directory/deliveries.js';
import { hasRole, useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { FamilyLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { useChange } from '../shared/use-change.js';
import { watchQuery, type WatchState } from './queries.js';
import { WatchStateBadge } from './watch-state-badge.js';

const route = getRouteApi('/operator/watches/$did');

/** The state of one watch, the end of its key, and its deliveries. */
export function WatchPage() {
  const { t } = useTranslation('operatorWatches');
  const session = useOperator();
  const { did: text } = route.useParams();
  const did = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  const watch = useQuery({ ...watchQuery(session, { did }), enabled: did > 0 });
  const unknown = <Text>{t('noWatch', { did: text })}</Text>;
  return (
    <Page title={t('watch')} back={{ to: '/operator/watches' }}>
      {did === 0 ? (
        unknown
      ) : (
        <QueryView query={watch}>
          {({ items: [found] }) =>
            found ? (
              <Stack gap="lg">
                <WatchSection watch={found} />
                {hasRole(session, 'SUPPORT') && <Deliveries subject={{ did }} />}
              </Stack>
            ) : (
              unknown
            )
          }
        </QueryView>
      )}
    </Page>
  );
}

function WatchSection({ watch }: { watch: WatchState }) {
  const { t } = useTranslation('operatorWatches');
  const { t: tList } = useTranslation('operatorLists');
  const session = useOperator();
  const { did, imei, listed, model, firmwareVersion, enrolledAt, lastContactAt, familyId, boundAt } = watch;
  const { revokedAt, online, battery } = watch;
  const revoke = useChange(() => session.client.revokeWatchKey({ did }));
  return (
    <Section title={t('stateOfWatch')} action={<WatchStateBadge watch={watch} />}>
      <Facts
        facts={[
          [t('did'), did],
          [t('imei'), imei],
          [t('listed'), tList(listed ? 'yes' : 'no')],
          [t('model'), model],
          [t('firmwareVersion'), firmwareVersion],
          [t('enrolledAt'), <DateTime time={enrolledAt} />],
          [t('lastContact'), <RelativeTime time={lastContactAt} />],
          [t('online'), online === null ? tList('never') : tList(online ? 'yes' : 'no')],
          [t('battery'), battery === null ? '–' : `${battery} %`],
          [t('family'), familyId === null ? tList('none') : <FamilyLink familyId={familyId} />],
          ...(boundAt === null ? [] : [[t('boundAt'), <DateTime time={boundAt} />] as const]),
          ...(revokedAt === null ? [] : [[t('revokedAt'), <DateTime time={revokedAt} />] as const]),
        ]}
      />
      {revokedAt === null && hasRole(session, 'FLEET') && (
        <Group>
          <ConfirmButton
            label={t('revoke')}
            title={t('revokeTitle', { did })}
            question={t('revokeQuestion')}
            variant="light"
            action={revoke}
          />
        </Group>
      )}
    </Section>
  );
}
