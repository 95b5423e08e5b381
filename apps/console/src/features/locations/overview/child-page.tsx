import type { Schema } from '@family-watch/client';
import { Alert, Button, Card, Flex, Group, Stack, Text, Title } from '@mantine/core';
import { TbClockExclamation, TbMapPins, TbRoute, TbShare } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { BatteryState, LocationLine, OnlineState } from '../../families/children/child-state.js';
import { StepsCard } from '../../families/children/steps-card.js';
import { childrenQuery, useChildAccess, watchesQuery } from '../../families/queries.js';
import { fencesQuery } from '../fences/queries.js';
import { LiveTracking } from '../live-tracking.js';
import { useLiveTrail } from '../live-trail.js';
import { OpenInMap } from '../map/open-in-map.js';
import { ChildMap } from './child-map.js';
import { isOldLocation } from './child-marker.js';
import { PlaceInWords } from './place-in-words.js';

const route = getRouteApi('/signed-in/children/$cid');

interface ChildPageProps {
  /** The buttons below the name of the child. */
  actionsOf: (child: Schema<'ChildDto'>) => ReactNode;
}

/** One child: where it is, the state of the watch, and the steps. */
export function ChildPage({ actionsOf }: ChildPageProps) {
  const { t } = useTranslation('overview');
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
        const watch = watches?.items.find(({ did }) => did === child.device?.did);
        return <ChildView child={child} watch={watch} actions={actionsOf(child)} />;
      }}
    </QueryView>
  );
}

interface ChildViewProps {
  child: Schema<'ChildDto'>;
  watch: Schema<'WatchDto'> | undefined;
  actions: ReactNode;
}

function ChildView({ child, watch, actions }: ChildViewProps) {
  const { cid, name, lastLocation } = child;
  const { data: fences } = useQuery(fencesQuery(useSession(), cid));
  const { mayAsGuardian } = useChildAccess(cid);
  const live = useLiveTrail({ cid, did: watch?.did }, mayAsGuardian('SETTINGS'));
  return (
    <Stack>
      <Group>
        <PageTitle title={name} back={{ to: '/children' }} />
        {watch && <OnlineState watch={watch} />}
      </Group>
      <Flex direction={{ base: 'column', md: 'row' }} gap="md" align={{ md: 'start' }}>
        {lastLocation && (
          <ChildMap child={child} location={lastLocation} fences={fences?.items ?? NO_FENCES} live={live} />
        )}
        <Stack w={{ base: '100%', md: lastLocation ? 400 : 720 }}>
          {actions}
          <LocationSection child={child} watch={watch} lastFix={live.lastFix} />
          <LocationLinks cid={cid} />
          <StateSections child={child} watch={watch} />
        </Stack>
      </Flex>
    </Stack>
  );
}

interface LocationSectionProps {
  child: Schema<'ChildDto'>;
  watch: Schema<'WatchDto'> | undefined;
  lastFix: number | null | undefined;
}

function LocationSection({ child, watch, lastFix }: LocationSectionProps) {
  const { t } = useTranslation('overview');
  const { t: tChild } = useTranslation('children');
  const { cid, device } = child;
  const { isOwner, mayAsGuardian } = useChildAccess(cid);
  return (
    <Section title={t('location')}>
      <Place child={child} />
      {device === null && (
        <>
          <Text c="dimmed">{tChild('noWatch')}</Text>
          {isOwner && (
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/bind" params={{ cid }} />}
              variant="light"
            >
              {tChild('bind')}
            </Button>
          )}
        </>
      )}
      {watch && mayAsGuardian('SETTINGS') && <LiveTracking watch={watch} lastFix={lastFix} />}
    </Section>
  );
}

/** The pages about where the child was, is expected, and who else sees it. */
function LocationLinks({ cid }: { cid: string }) {
  const { t } = useTranslation('overview');
  const { may, mayAsGuardian } = useChildAccess(cid);
  return (
    <>
      {may('LOCATION') && (
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
      )}
      {mayAsGuardian('LOCATION') && (
        <Button
          renderRoot={(props) => <Link {...props} to="/children/$cid/shares" params={{ cid }} />}
          variant="light"
          leftSection={<TbShare aria-hidden />}
        >
          {t('shares')}
        </Button>
      )}
    </>
  );
}

function StateSections({ child, watch }: { child: Schema<'ChildDto'>; watch: Schema<'WatchDto'> | undefined }) {
  const { t } = useTranslation('overview');
  const { t: tChild } = useTranslation('children');
  return (
    <>
      {watch && (
        <Section title={t('watch')}>
          <WatchState watch={watch} />
        </Section>
      )}
      <Section title={tChild('stepsTitle')}>
        <StepsCard child={child} />
      </Section>
    </>
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

/** Where the child was last, in words. */
function Place({ child: { cid, lastLocation: location } }: { child: Schema<'ChildDto'> }) {
  const { t } = useTranslation('overview');
  if (!location) return <LocationLine location={location} />;
  const coordinates = `${location.latitude}, ${location.longitude}`;
  return (
    <>
      <PlaceInWords cid={cid} location={location} />
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
        <OpenInMap location={location} />
      </Group>
    </>
  );
}

function WatchState({ watch }: { watch: Schema<'WatchDto'> }) {
  const { t } = useTranslation('overview');
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
