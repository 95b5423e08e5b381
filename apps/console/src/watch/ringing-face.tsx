import { Button, Stack, Text } from '@mantine/core';
import { TbBellRinging } from 'react-icons/tb';
import type { Schema } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { useSiren } from '../ui/use-siren.js';
import type { Ringing } from './use-ringing.js';

interface RingingFaceProps {
  ringing: Ringing;
  settings: Schema<'DeviceSettingsDto'> | undefined;
  onStop: () => void;
}

const DEFAULT_VOLUME_PERCENT = 60;
/** Gain of the full volume. */
const MAX_GAIN = 0.4;

/** The display while the watch rings. The ring mode concerns calls and messages; a search and an alarm always ring. */
export function RingingFace({ ringing, settings, onStop }: RingingFaceProps) {
  const { t } = useTranslation('watch');
  const volume = ringing.reason === 'find' ? 100 : (settings?.volume ?? DEFAULT_VOLUME_PERCENT);
  const siren = useSiren(true, (volume / 100) * MAX_GAIN);
  return (
    <Stack align="center" mih={200} justify="center" role="alert">
      <TbBellRinging aria-hidden size={64} />
      <Text size="xl" fw={700} ta="center">
        {ringing.reason === 'find' ? t('find') : ringing.label || t('alarm')}
      </Text>
      {siren.isBlocked && (
        <Button variant="subtle" onClick={siren.unblock}>
          {t('soundOn')}
        </Button>
      )}
      <Button fullWidth onClick={onStop}>
        {t('stopRinging')}
      </Button>
    </Stack>
  );
}
