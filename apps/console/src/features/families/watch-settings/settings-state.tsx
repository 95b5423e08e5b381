import type { Schema } from '@family-watch/client';
import { Badge, Group, Text } from '@mantine/core';
import { TbAlertTriangle, TbCheck, TbClock } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../../../ui/relative-time.js';

type Status = Pick<Schema<'DeviceSettingsDto'>, 'version' | 'state' | 'appliedVersion' | 'reason'>;

const ICONS = { PENDING: TbClock, APPLIED: TbCheck, REJECTED: TbAlertTriangle };
const COLORS = { PENDING: 'gray', APPLIED: 'teal', REJECTED: 'orange' };

/** Whether the watch has applied the settings. `checkedAt`: when the service said so, Unix milliseconds. */
export function SettingsState({ status, checkedAt }: { status: Status; checkedAt: number }) {
  const { t } = useTranslation('watchSettings');
  const { state, appliedVersion, reason } = status;
  const Icon = ICONS[state];
  return (
    <Group gap="xs" role="status">
      <Badge size="lg" variant="light" color={COLORS[state]} tt="none" leftSection={<Icon aria-hidden size={16} />}>
        {t(state)}
      </Badge>
      <Text size="sm" c="dimmed">
        {t('checked')} <RelativeTime time={checkedAt} />
      </Text>
      {reason !== null && <Text size="sm">{t('reason', { reason })}</Text>}
      {state !== 'APPLIED' && (
        <Text size="sm" c="dimmed">
          {t(appliedVersion === null ? 'noneApplied' : 'stillApplied')}
        </Text>
      )}
    </Group>
  );
}
