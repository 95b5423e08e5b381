import type { Schema } from '@family-watch/client';
import { Badge, Group, Text } from '@mantine/core';
import { TbBattery, TbBattery1, TbBattery2, TbBattery3, TbBattery4, TbBatteryCharging, TbMapPin } from 'react-icons/tb';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { ConnectionContext } from '../../../core/session/connection.js';
import { RelativeTime } from '../../../ui/relative-time.js';

/** Whether the watch is connected, and since when it is not; what is known if this page is not connected itself. */
export function OnlineState({ watch: { online, lastSeen } }: { watch: Schema<'WatchDto'> }) {
  const { t } = useTranslation('children');
  const { t: tChat } = useTranslation('conversations');
  const { isConnected, connectedAt } = useContext(ConnectionContext);
  if (online && !isConnected && connectedAt !== undefined)
    return (
      <Text size="sm" c="dimmed">
        {tChat('lastSeen')} <RelativeTime time={connectedAt} />
      </Text>
    );
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
  const { t } = useTranslation('children');
  if (!location) return <Text c="dimmed">{t('noLocation')}</Text>;
  const { pointType, radius, positionTime } = location;
  return (
    <Group gap={4}>
      <TbMapPin aria-hidden />
      <Text>
        {t(`source${pointType}`)}, {t('accuracy', { metres: radius })}, <RelativeTime time={positionTime} />
      </Text>
    </Group>
  );
}

/** At this level, in per cent, the battery is low. */
const LOW_BATTERY = 20;
const BATTERY_ICONS = [TbBattery, TbBattery1, TbBattery2, TbBattery3, TbBattery4] as const;

/** The battery level that the watch reported last. */
export function BatteryState({ watch: { battery, charging } }: { watch: Schema<'WatchDto'> }) {
  const { t } = useTranslation('children');
  if (battery === null) return null;
  const Icon = charging ? TbBatteryCharging : (BATTERY_ICONS[Math.ceil(battery / 25)] ?? TbBattery4);
  const isLow = battery <= LOW_BATTERY && !charging;
  return (
    <Group gap={4}>
      <Icon aria-hidden color={isLow ? 'var(--mantine-color-orange-filled)' : undefined} />
      <Text>
        {t('battery', { percent: battery })}
        {charging && ` · ${t('charging')}`}
      </Text>
    </Group>
  );
}
