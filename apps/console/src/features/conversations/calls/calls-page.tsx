import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { TbPhoneIncoming, TbPhoneOutgoing, TbPhoneX } from 'react-icons/tb';
import type { Schema } from '@family-watch/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pagedQuery } from '../../../core/paged-query.js';
import type { Session } from '../../../core/session/session-store.js';
import { useSession } from '../../../core/session/use-session.js';
import { formatDuration } from '../../../ui/format.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { childrenQuery } from '../../families/queries.js';
import { CallButtons } from './call-buttons.js';
import { isMissed } from './call-log.js';

type CallLogEntry = Schema<'CallLogEntryDto'>;

/** The person's calls of the last 90 days, the newest first. */
function callsQuery({ client }: Session) {
  return {
    ...pagedQuery(['calls'], (page, options) => client.videoCalls.list(page, options)),
    // No message reports that the log has changed.
    staleTime: 0,
  };
}

export function CallsPage() {
  const { t } = useTranslation('calls');
  const session = useSession();
  const calls = useInfiniteQuery(callsQuery(session));
  const children = useQuery(childrenQuery(session));
  return (
    <Stack maw={720} w="100%">
      <PageTitle title={t('log')} back={{ to: '/chat' }} />
      <QueryView query={calls}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          if (entries.length === 0)
            return (
              <Text ta="center" c="dimmed" py="xl">
                {t('logEmpty')}
              </Text>
            );
          return (
            <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
              {entries.map((entry) => (
                <li key={entry.callId}>
                  <Entry entry={entry} child={children.data?.childList.find(({ cid }) => cid === entry.cid)} />
                </li>
              ))}
              {calls.hasNextPage && (
                <Button variant="subtle" loading={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
                  {t('logMore')}
                </Button>
              )}
            </Stack>
          );
        }}
      </QueryView>
    </Stack>
  );
}

function Entry({ entry, child }: { entry: CallLogEntry; child: Schema<'ChildDto'> | undefined }) {
  const { t } = useTranslation('calls');
  const { direction, state, started, duration } = entry;
  const isIncoming = direction === 'FROM_WATCH';
  const Icon = isMissed(entry) ? TbPhoneX : isIncoming ? TbPhoneIncoming : TbPhoneOutgoing;
  const outcome = isMissed(entry)
    ? t('missed')
    : state === 'RINGING' || state === 'ACCEPTED'
      ? t('present')
      : duration > 0
        ? formatDuration(duration)
        : t(`end${state}`);
  return (
    <Card withBorder padding="sm">
      <Group wrap="nowrap">
        <Icon aria-hidden />
        <Stack gap={0} flex={1} miw={0}>
          <Text fw={600} truncate>
            {child?.name ?? t('child')}
          </Text>
          <Text size="sm" c="dimmed">
            {t(isIncoming ? 'fromWatch' : 'toWatch')} · {outcome} · <RelativeTime time={started} />
          </Text>
        </Stack>
        {child && <CallButtons members={[{ cid: child.cid, did: child.device?.did ?? null, name: child.name }]} />}
      </Group>
    </Card>
  );
}
