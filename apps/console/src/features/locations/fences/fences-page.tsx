import { Badge, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { TbPlus } from 'react-icons/tb';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { childrenQuery, useChildAccess } from '../../families/queries.js';
import { MapView } from '../map/map-view.js';
import { fenceEventsQuery, fencesQuery, type Fence } from './queries.js';
import { fenceAreaOf } from './shape.js';

const route = getRouteApi('/signed-in/children/$cid/fences');

/** The places of a child and what happened there. */
export function FencesPage() {
  const { t } = useTranslation('fences');
  const { cid } = route.useParams();
  const session = useSession();
  const { data: children } = useQuery(childrenQuery(session));
  const name = children?.childList.find((child) => child.cid === cid)?.name ?? '';
  const fences = useQuery(fencesQuery(session, cid));
  const { mayAsGuardian } = useChildAccess(cid);
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle title={t('title', { name })} back={{ to: '/children/$cid', params: { cid } }} />
        {mayAsGuardian('SETTINGS') && (
          <Button
            renderRoot={(props) => <Link {...props} to="/children/$cid/fences/add" params={{ cid }} />}
            variant="light"
            leftSection={<TbPlus aria-hidden />}
          >
            {t('add')}
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <QueryView query={fences}>
          {({ items }) =>
            items.length === 0 ? (
              <Stack align="center" py="xl">
                <Text size="xl">{t('empty')}</Text>
                <Text c="dimmed" ta="center">
                  {t('emptyHint')}
                </Text>
              </Stack>
            ) : (
              <Stack>
                <FencesMap fences={items} />
                <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
                  {items.map((fence) => (
                    <li key={fence.fenceId}>
                      <FenceCard fence={fence} />
                    </li>
                  ))}
                </Stack>
              </Stack>
            )
          }
        </QueryView>
        <FenceEvents cid={cid} />
      </SimpleGrid>
    </Stack>
  );
}

function FencesMap({ fences }: { fences: readonly Fence[] }) {
  const { t } = useTranslation('fences');
  const { areas, view, viewKey } = useMemo(() => {
    const fenceAreas = fences.map(fenceAreaOf);
    return {
      areas: fenceAreas,
      view: fenceAreas.flatMap(({ corners }) => corners),
      viewKey: fences.map(({ fenceId, version }) => `${fenceId} ${version}`).join(),
    };
  }, [fences]);
  return (
    <MapView
      label={t('map')}
      height={{ base: 'max(34dvh, 280px)', md: 380 }}
      areas={areas}
      view={view}
      viewKey={viewKey}
    />
  );
}

function FenceCard({ fence }: { fence: Fence }) {
  const { t } = useTranslation('fences');
  const { cid, fenceId, name, circle, polygon, notify, windows, enabled } = fence;
  const events = (['entered', 'left', 'dwelled'] as const).filter((event) => notify[event]).map((event) => t(event));
  const details = [
    circle ? t('circleOf', { metres: circle.radius }) : t('polygonOf', { count: polygon?.points.length ?? 0 }),
    events.length === 0 ? t('notifyNone') : events.join(', '),
    ...(windows.length === 0 ? [] : [t('windows', { count: windows.length })]),
  ];
  return (
    <Card
      renderRoot={(props) => <Link {...props} to="/children/$cid/fences/$fenceId" params={{ cid, fenceId }} />}
      withBorder
    >
      <Group justify="space-between">
        <Text size="lg" fw={600}>
          {name}
        </Text>
        {!enabled && <Badge color="gray">{t('disabled')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        {details.join(' · ')}
      </Text>
    </Card>
  );
}

function FenceEvents({ cid }: { cid: string }) {
  const { t } = useTranslation('fences');
  const events = useInfiniteQuery(fenceEventsQuery(useSession(), cid));
  return (
    <Stack component="section" aria-label={t('events')}>
      <Title order={2} size="h3">
        {t('events')}
      </Title>
      <QueryView query={events}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <Text c="dimmed">{t('noEvents')}</Text>;
          return (
            <>
              <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
                {items.map(({ fenceEventId, fenceName, type, time, late }) => (
                  <li key={fenceEventId}>
                    <Text fw={type === 'NOT_ARRIVED' || type === 'LEFT_EARLY' ? 700 : 400}>
                      {t(`event${type}`, { place: fenceName })}
                    </Text>
                    <Text size="sm" c="dimmed">
                      <RelativeTime time={time} />
                      {late && ` · ${t('eventLate')}`}
                    </Text>
                  </li>
                ))}
              </Stack>
              {events.hasNextPage && (
                <Button
                  variant="subtle"
                  loading={events.isFetchingNextPage}
                  onClick={() => void events.fetchNextPage()}
                >
                  {t('moreEvents')}
                </Button>
              )}
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}
