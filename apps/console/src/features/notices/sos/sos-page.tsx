import type { Schema } from '@family-watch/client';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { DateTime } from '../../../ui/date-time.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { childrenQuery } from '../../families/queries.js';
import { sosQuery } from './queries.js';
import { NotifiedContacts } from './sos-alarm.js';
import { SosLocation } from './sos-location.js';
import { usePersonName } from './use-person-name.js';

const route = getRouteApi('/signed-in/messages/sos/$cid/$sosId');

/** One SOS, also after it has ended: when and where it was raised, and who has helped. */
export function SosPage() {
  const { t } = useTranslation('sos');
  const { cid, sosId } = route.useParams();
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const sos = useQuery(sosQuery(session, cid, sosId));
  const child = children.data?.childList.find((each) => each.cid === cid);
  return (
    <Stack maw={720}>
      <PageTitle title={t('title', { name: child?.name ?? '' })} back={{ to: '/messages' }} />
      <QueryView query={sos}>
        {(data) => (data && child ? <SosView child={child} sos={data} /> : <Text>{t('gone')}</Text>)}
      </QueryView>
    </Stack>
  );
}

/** What happened in an SOS, without its title. */
export function SosView({ child, sos }: { child: Schema<'ChildDto'>; sos: Schema<'SosDto'> }) {
  const { t } = useTranslation('sos');
  const { did, state, raisedAt, acknowledgedBy, acknowledgedAt, resolvedBy, resolvedAt } = sos;
  const { ofPrincipal } = usePersonName(did);
  return (
    <>
      <Stack gap={4}>
        <Text>
          {t('raised')} <DateTime time={raisedAt} />
        </Text>
        {acknowledgedAt !== null && (
          <Text>
            {t('acknowledgedBy', { person: ofPrincipal(acknowledgedBy) })} <DateTime time={acknowledgedAt} />
          </Text>
        )}
        {resolvedAt !== null && (
          <Text>
            {t('resolvedBy', { person: ofPrincipal(resolvedBy) })} <DateTime time={resolvedAt} />
          </Text>
        )}
      </Stack>
      {/* After the end, where the child is now says nothing about the SOS. */}
      <SosLocation child={state === 'RESOLVED' ? { ...child, lastLocation: null } : child} sos={sos} />
      <NotifiedContacts sos={sos} />
    </>
  );
}
