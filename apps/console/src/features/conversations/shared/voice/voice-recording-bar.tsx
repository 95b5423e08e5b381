import { ActionIcon, Group, Text } from '@mantine/core';
import { TbMicrophone, TbSend, TbTrash } from 'react-icons/tb';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../../../ui/format.js';
import { MAX_VOICE_MS, type Recording, type VoiceRecorder } from './voice-recorder.js';

interface VoiceRecordingBarProps {
  recorder: VoiceRecorder;
  onFinish: (recording: Recording) => void;
  onCancel: () => void;
}

/** Takes the place of the field for a message while a voice message is recorded. */
export function VoiceRecordingBar({ recorder, onFinish, onCancel }: VoiceRecordingBarProps) {
  const { t } = useTranslation('conversations');
  const [startedAt] = useState(() => performance.now());
  const [elapsed, setElapsed] = useState(0);
  const [isFinishing, setFinishing] = useState(false);
  const isFull = elapsed >= MAX_VOICE_MS;
  useEffect(() => {
    if (isFull) return;
    const timer = setInterval(() => setElapsed(performance.now() - startedAt), 250);
    return () => clearInterval(timer);
  }, [startedAt, isFull]);
  const finish = () => {
    setFinishing(true);
    void recorder.finish().then(onFinish);
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon
        color="gray"
        aria-label={t('discardVoice')}
        disabled={isFinishing}
        onClick={() => {
          recorder.cancel();
          onCancel();
        }}
      >
        <TbTrash aria-hidden />
      </ActionIcon>
      <TbMicrophone aria-hidden />
      <Text flex={1} role="timer" fw={600}>
        {t('recording', { time: formatDuration(Math.min(elapsed, MAX_VOICE_MS)) })}
      </Text>
      <ActionIcon variant="filled" aria-label={t('sendVoice')} loading={isFinishing} onClick={finish}>
        <TbSend aria-hidden />
      </ActionIcon>
    </Group>
  );
}
