import { ActionIcon, Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { TbPlayerPause, TbPlayerPlay } from 'react-icons/tb';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../../../ui/error-alert.js';
import { formatDuration } from '../../../../ui/format.js';

interface VoicePlayerProps {
  /** Milliseconds. */
  duration: number;
  /** Returns the address of the recording, which is requested only when it is played. */
  loadUrl: () => Promise<string>;
}

/** The player that has last been started, because two voices at once are not understood. */
let current: HTMLAudioElement | undefined;

/** Plays a voice message. */
export function VoicePlayer({ duration, loadUrl }: VoicePlayerProps) {
  const { t } = useTranslation('conversations');
  const audio = useRef<HTMLAudioElement>(undefined);
  const [isPlaying, setPlaying] = useState(false);
  const [isLoading, setLoading] = useState(false);
  const [played, setPlayed] = useState(0);
  const [error, setError] = useState<unknown>();
  const [unplayable, setUnplayable] = useState<string>();
  useEffect(() => () => audio.current?.pause(), []);

  const play = async () => {
    setError(undefined);
    setLoading(true);
    try {
      // The URL of an earlier playback may have expired.
      const url = await loadUrl();
      const element = new Audio(url);
      audio.current?.pause();
      current?.pause();
      current = audio.current = element;
      element.onplaying = () => setPlaying(true);
      element.onpause = () => setPlaying(false);
      element.onended = () => setPlayed(0);
      element.ontimeupdate = () => setPlayed(element.currentTime * 1_000);
      await element.play().catch(() => setUnplayable(url));
    } catch (failure) {
      setError(failure);
    } finally {
      setLoading(false);
    }
  };
  const time = formatDuration(duration);
  return (
    <Stack gap={0}>
      <Group gap="xs" wrap="nowrap" miw={180}>
        <ActionIcon
          variant="light"
          radius="xl"
          loading={isLoading}
          aria-label={isPlaying ? t('pauseVoice') : t('playVoice', { time })}
          onClick={() => (isPlaying ? audio.current?.pause() : void play())}
        >
          {isPlaying ? <TbPlayerPause aria-hidden /> : <TbPlayerPlay aria-hidden />}
        </ActionIcon>
        <Progress flex={1} value={duration > 0 ? (played / duration) * 100 : 0} aria-hidden />
        <Text size="sm">{time}</Text>
      </Group>
      {unplayable !== undefined && (
        <Text size="xs" role="alert">
          {t('cannotPlay')}{' '}
          <Anchor href={unplayable} download size="xs">
            {t('download')}
          </Anchor>
        </Text>
      )}
      <ErrorAlert error={error} />
    </Stack>
  );
}
