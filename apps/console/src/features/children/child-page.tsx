import type { Schema } from '@family-watch/client';
import { Alert, Button, Card, CopyButton, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { TbClockExclamation, TbMapPins, TbRoute, TbShare } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { PageTitle } from '../../ui/page-title.js';
import { QueryView } from '../../ui/query-view.js';
import { fencesQuery } from '../fences/queries.js';
import { fenceAreaOf, presenceIn } from '../fences/shape.js';
import { LiveTracking } from '../locations/live-tracking.js';
import { LocateNow } from '../locations/locate-now.js';
import { circleAround, positionOf } from '../map/geometry.js';
import { MapView } from '../map/map-view.js';
import { ChildMarker, isOldLocation } from './child-marker.js';
import { BatteryState, LocationLine, OnlineState } from './child-state.js';
import { childrenQuery, watchesQuery } from './queries.js';
import { StepsCard } from './steps-card.js';
import { texts } from './texts.js';

const route = getRouteApi('/signed-in/children/$cid');

/** One child: where it is, the state of the watch, and the steps. */
export function ChildPage() {
  const t = useTexts(texts);
  const { cid } = route.useParams();
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const { data: watches } = useQuery(watchesQuery(session));
  return (
    <QueryView query={children}>
      {({ childList }) => {
        const child = childList.find((each) => each.cid === cid);
        if (!child) {
          return (
            <Stack align="start">
              <Title order={1}>{t('notFound')}</Title>
              <Button renderRoot={(props) => <Link {...props} to="/children" />} variant="light">
                {t('back')}
              </Button>
            </Stack>
          );
        }
        return <ChildView child={child} watch={watches?.items.find(({ did }) => did === child.device?.did)} />;
      }}
    </QueryView>
  );
}

function ChildView({ child, watch }: { child: Schema<'ChildDto'>; watch: Schema<'WatchDto'> | undefined }) {
  const t = useTexts(texts);
  const { cid, name, device, lastLocation } = child;
  const session = useSession();
  const { data: fences } = useQuery(fencesQuery(session, cid));
  return (
    <Stack>
      <Group>
        <PageTitle title={name} back={{ to: '/children' }} />
        {watch && <OnlineState watch={watch} />}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack>
          {lastLocation && <ChildMap child={child} location={lastLocation} fences={fences?.items ?? NO_FENCES} />}
          <Section title={t('location')}>
            <Place location={lastLocation} fences={fences?.items ?? NO_FENCES} />
            {device === null ? (
              <>
                <Text c="dimmed">{t('noWatch')}</Text>
                <Button
                  renderRoot={(props) => <Link {...props} to="/children/$cid/bind" params={{ cid }} />}
                  variant="light"
                >
                  {t('bind')}
                </Button>
              </>
            ) : (
              watch && (
                <>
                  <LocateNow watch={watch} />
                  <LiveTracking watch={watch} />
                </>
              )
            )}
          </Section>
        </Stack>
        <Stack>
          <Group grow gap="xs">
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/track" params={{ cid }} />}
              variant="light"
              px="xs"
              leftSection={<TbRoute aria-hidden />}
            >
              {t('track')}
            </Button>
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/fences" params={{ cid }} />}
              variant="light"
              px="xs"
              leftSection={<TbMapPins aria-hidden />}
            >
              {t('fences')}
            </Button>
          </Group>
          <Button
            renderRoot={(props) => <Link {...props} to="/children/$cid/shares" params={{ cid }} />}
            variant="light"
            leftSection={<TbShare aria-hidden />}
          >
            {t('shares')}
          </Button>
          {watch && (
            <Section title={t('watch')}>
              <WatchState watch={watch} />
            </Section>
          )}
          <Section title={t('stepsTitle')}>
            <StepsCard child={child} />
          </Section>
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

const NO_FENCES: readonly Schema<'FenceDto'>[] = [];

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card component="section" withBorder aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}

interface PlaceProps {
  location: Schema<'ChildLocationDto'> | null;
  fences: readonly Schema<'FenceDto'>[];
}

/** The page says only of a current location that the child is there. */
function textOf(isCertain: boolean, isOld: boolean) {
  if (isOld) return isCertain ? 'wasAtFence' : 'wasPerhapsAtFence';
  return isCertain ? 'atFence' : 'perhapsAtFence';
}

/** Where the child was last, in words. */
function Place({ location, fences }: PlaceProps) {
  const t = useTexts(texts);
  if (!location) return <LocationLine location={location} />;
  const places = fences.map((fence) => ({ name: fence.name, presence: presenceIn(fence, location) }));
  const place =
    places.find(({ presence }) => presence === 'inside') ?? places.find(({ presence }) => presence === 'uncertain');
  const coordinates = `${location.latitude}, ${location.longitude}`;
  return (
    <>
      {place && (
        <Text size="xl" fw={600}>
          {t(textOf(place.presence === 'inside', isOldLocation(location)), { place: place.name })}
        </Text>
      )}
      <LocationLine location={location} />
      {isOldLocation(location) && (
        <Alert color="gray" variant="light" icon={<TbClockExclamation />}>
          {t('oldLocation')}
        </Alert>
      )}
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {t('coordinates')}: {coordinates}
        </Text>
        <CopyButton value={coordinates}>
          {({ copied, copy }) => (
            <Button variant="subtle" px="xs" onClick={copy}>
              {t(copied ? 'copied' : 'copyCoordinates')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </>
  );
}

function WatchState({ watch }: { watch: Schema<'WatchDto'> }) {
  const t = useTexts(texts);
  const { battery, worn, signal, signalMax } = watch;
  if (battery === null && worn === null && signal === null) return <Text c="dimmed">{t('noWatchState')}</Text>;
  return (
    <Group gap="xl" style={{ rowGap: 4 }}>
      <BatteryState watch={watch} />
      {worn !== null && <Text>{t(worn ? 'worn' : 'notWorn')}</Text>}
      {signal !== null && signalMax !== null && <Text>{t('signal', { level: signal, max: signalMax })}</Text>}
    </Group>
  );
}

function ChildMap({
  child: { cid, name },
  location,
  fences,
}: {
  child: Schema<'ChildDto'>;
  location: Schema<'ChildLocationDto'>;
  fences: readonly Schema<'FenceDto'>[];
}) {
  const t = useTexts(texts);
  const { markers, areas, view } = useMemo(() => {
    const position = positionOf(location);
    const accuracy = circleAround(position, location.radius);
    return {
      markers: [{ id: cid, label: name, position, content: <ChildMarker cid={cid} name={name} location={location} /> }],
      areas: [
        ...fences.filter(({ enabled }) => enabled).map(fenceAreaOf),
        { id: cid, corners: accuracy, color: isOldLocation(location) ? ('gray' as const) : ('teal' as const) },
      ],
      view: accuracy,
    };
  }, [cid, name, location, fences]);
  return (
    <MapView
      label={t('mapOf', { name })}
      height={{ base: '38dvh', md: 420 }}
      markers={markers}
      areas={areas}
      view={view}
      // The map follows the child.
      viewKey={`${cid} ${location.positionTime}`}
    />
  );
}
