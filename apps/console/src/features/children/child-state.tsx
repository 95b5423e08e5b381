import type { Schema } from '@family-watch/client';
import { Badge, Group, Text } from '@mantine/core';
import { TbBattery2, TbMapPin } from 'react-icons/tb';
import { useTexts } from '../../app/texts.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { texts } from './texts.js';

/** Whether the watch is connected, and since when it is not. */
export function OnlineState({ watch: { online, lastSeen } }: { watch: Schema<'WatchDto'> }) {
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

/** The source, accuracy and age of a location. */
export function LocationLine({ location }: { location: Schema<'ChildLocationDto'> | null }) {
  const t = useTexts(texts);
  if (!location) return <Text c="dimmed">{t('noLocation')}</Text>;
  const { pointType, radius, positionTime } = location;
  return (
    <Group gap={4}>
      <TbMapPin aria-hidden />
      <Text size="lg">
        {t(`source${pointType}`)}, {t('accuracy', { metres: radius })}, <RelativeTime time={positionTime} />
      </Text>
    </Group>
  );
}

/** The battery level that the watch reported last. */
export function BatteryState({ watch: { battery, charging } }: { watch: Schema<'WatchDto'> }) {
  const t = useTexts(texts);
  if (battery === null) return null;
  return (
    <Group gap={4}>
      <TbBattery2 aria-hidden />
      <Text>
        {t('battery', { percent: battery })}
        {charging && ` · ${t('charging')}`}
      </Text>
    </Group>
  );
}
