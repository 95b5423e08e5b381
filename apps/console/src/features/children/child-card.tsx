import type { Schema } from '@family-watch/client';
import { ActionIcon, Avatar, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconBattery2, IconMapPin, IconPencil, IconShoe } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../app/texts.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { texts } from './texts.js';

/** The state of one child: the location with its age and source, the watch, and the steps of today. */
export function ChildCard({ child, watch }: { child: Schema<'ChildDto'>; watch: Schema<'WatchDto'> | undefined }) {
  const t = useTexts(texts);
  const { cid, name, device, lastLocation, stepCount } = child;
  return (
    <Card component="article" withBorder padding="lg" aria-label={name}>
      <Stack gap="sm">
        <Group wrap="nowrap">
          <Avatar name={name} color="initials" size="lg" aria-hidden />
          <Stack gap={0} flex={1}>
            <Title order={2} size="h3">
              {name}
            </Title>
            {watch && <OnlineState watch={watch} />}
          </Stack>
          <ActionIcon
            aria-label={t('editChild', { name })}
            renderRoot={(props) => <Link {...props} to="/children/$cid/edit" params={{ cid }} />}
          >
            <IconPencil aria-hidden />
          </ActionIcon>
        </Group>
        {device === null ? (
          <Group justify="space-between">
            <Text c="dimmed">{t('noWatch')}</Text>
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/bind" params={{ cid }} />}
              variant="light"
            >
              {t('bind')}
            </Button>
          </Group>
        ) : (
          <>
            <LocationLine location={lastLocation} />
            <Group gap="xl">
              {watch?.battery != null && (
                <Group gap={4}>
                  <IconBattery2 aria-hidden />
                  <Text>{t('battery', { percent: watch.battery })}</Text>
                </Group>
              )}
              <Group gap={4}>
                <IconShoe aria-hidden />
                <Text>{t('steps', { count: stepCount })}</Text>
              </Group>
            </Group>
          </>
        )}
      </Stack>
    </Card>
  );
}

function OnlineState({ watch: { online, lastSeen } }: { watch: Schema<'WatchDto'> }) {
  const t = useTexts(texts);
  if (online) return <Badge variant="dot">{t('online')}</Badge>;
  return (
    <Text size="sm" c="dimmed">
      {t('offline')}
      {lastSeen !== null && (
        <>
          {' · '}
          {t('lastSeen')} <RelativeTime time={lastSeen} />
        </>
      )}
    </Text>
  );
}

function LocationLine({ location }: { location: Schema<'ChildLocationDto'> | null }) {
  const t = useTexts(texts);
  if (!location) return <Text c="dimmed">{t('noLocation')}</Text>;
  const { pointType, radius, positionTime } = location;
  return (
    <Group gap={4}>
      <IconMapPin aria-hidden />
      <Text size="lg">
        {t(`source${pointType}`)}, {t('accuracy', { metres: radius })}, <RelativeTime time={positionTime} />
      </Text>
    </Group>
  );
}
