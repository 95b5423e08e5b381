import { ActionIcon, Badge, Box, Button, Center, Group, Stack, Text } from '@mantine/core';
import { TbCameraRotate, TbMicrophone, TbMicrophoneOff, TbPhoneOff, TbVideo, TbVideoOff } from 'react-icons/tb';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { formatDuration } from '../../../ui/format.js';
import type { CallController, CallView } from './call-controller.js';
import type { Call } from './call-state.js';
import { startRinging } from './ringtone.js';
import { StreamVideo } from './stream-video.js';

/** Milliseconds for which the end of a call is shown. */
const END_SHOWN_MS = 6_000;
const BUTTON_SIZE = 60;

interface ActiveCallProps {
  calls: CallController;
  view: CallView;
  /** The other party. */
  name: string;
  /** Pixels of the own video. */
  ownWidth?: number;
  /** Shown while the call rings. */
  hint?: string | undefined;
}

/** Both videos of a call that is being set up or active, and its buttons. */
export function ActiveCall({ calls, view, name, ownWidth = 110, hint }: ActiveCallProps) {
  const { t } = useTranslation('calls');
  const { call, localMedia, remoteMedia, isConnected, connectedAt, isMuted, isCameraOff, hasOtherCamera } = view;
  const hasMicrophone = (localMedia?.getAudioTracks().length ?? 0) > 0;
  const hasCamera = (localMedia?.getVideoTracks().length ?? 0) > 0;
  const isRinging = call.status === 'outgoing';
  const progress = isRinging
    ? call.callId === undefined
      ? t('creating')
      : t('outgoing', { name })
    : isConnected
      ? ''
      : t(connectedAt === undefined ? 'connecting' : 'reconnecting');
  return (
    <Stack flex={1} mih={0} gap="xs">
      <Box pos="relative" flex={1} mih={0} bg="black" style={{ borderRadius: 12, overflow: 'hidden' }}>
        <StreamVideo
          media={remoteMedia}
          label={t('remoteVideo', { name })}
          style={{ position: 'absolute', width: '100%', height: '100%', objectFit: 'contain' }}
        />
        <Center pos="absolute" inset={0} style={{ pointerEvents: 'none' }}>
          <Stack gap={4} ta="center" p="md" c="white" role="status">
            <Text size="lg" fw={600}>
              {progress}
            </Text>
            {isRinging && hint !== undefined && <Text>{hint}</Text>}
          </Stack>
        </Center>
        {connectedAt !== undefined && <CallTimer since={connectedAt} />}
        {hasCamera && !isCameraOff && (
          <StreamVideo
            media={localMedia}
            label={t('ownVideo')}
            isMuted
            // People expect to see themselves as in a mirror.
            style={{ position: 'absolute', right: 8, bottom: 8, width: ownWidth, borderRadius: 8, scale: '-1 1' }}
          />
        )}
      </Box>
      <Group justify="center">
        <ActionIcon
          size={BUTTON_SIZE}
          radius="xl"
          variant={isMuted ? 'filled' : 'light'}
          color="gray"
          disabled={!hasMicrophone}
          aria-label={hasMicrophone ? t(isMuted ? 'unmute' : 'mute') : t('noMicrophone')}
          onClick={() => calls.toggleMute()}
        >
          {isMuted || !hasMicrophone ? <TbMicrophoneOff aria-hidden /> : <TbMicrophone aria-hidden />}
        </ActionIcon>
        <ActionIcon
          size={BUTTON_SIZE}
          radius="xl"
          variant={isCameraOff ? 'filled' : 'light'}
          color="gray"
          disabled={!hasCamera}
          aria-label={hasCamera ? t(isCameraOff ? 'cameraOn' : 'cameraOff') : t('noCamera')}
          onClick={() => calls.toggleCamera()}
        >
          {isCameraOff || !hasCamera ? <TbVideoOff aria-hidden /> : <TbVideo aria-hidden />}
        </ActionIcon>
        {hasOtherCamera && (
          <ActionIcon
            size={BUTTON_SIZE}
            radius="xl"
            variant="light"
            color="gray"
            aria-label={t('switchCamera')}
            onClick={() => void calls.switchCamera()}
          >
            <TbCameraRotate aria-hidden />
          </ActionIcon>
        )}
        <ActionIcon
          size={BUTTON_SIZE}
          radius="xl"
          variant="filled"
          color="red"
          data-autofocus
          aria-label={t('hangUp')}
          onClick={() => void calls.hangUp()}
        >
          <TbPhoneOff aria-hidden />
        </ActionIcon>
      </Group>
    </Stack>
  );
}

/** How long the parties have been connected. */
function CallTimer({ since }: { since: number }) {
  const { t } = useTranslation('calls');
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Badge pos="absolute" top={8} left={8} color="dark" role="timer" aria-label={t('duration')} size="lg">
      {formatDuration(Math.max(0, now - since))}
    </Badge>
  );
}

/** Says for a while why a call is over. */
export function CallEnd({ call, calls }: { call: Extract<Call, { status: 'ended' }>; calls: CallController }) {
  const { t } = useTranslation('calls');
  const { reason, error } = call;
  const isFailure = reason === 'FAILED';
  useEffect(() => {
    // An error is read in one's own time.
    if (isFailure) return;
    const timer = setTimeout(() => calls.close(), END_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [calls, isFailure]);
  return (
    <Stack flex={1} justify="center" align="center">
      <Text size="xl" fw={600} ta="center" role="status">
        {t(`end${reason}`)}
      </Text>
      <ErrorAlert error={error} />
      <Button variant="light" data-autofocus onClick={() => calls.close()}>
        {t('close')}
      </Button>
    </Stack>
  );
}

/** Ends the call when the page on which it is shown is left, so that no camera stays open. */
export function useEndOnLeave(calls: CallController): void {
  useEffect(() => () => void calls.hangUp(), [calls]);
}

/** Rings while a call comes in. */
export function useRinging(isRinging: boolean): void {
  useEffect(() => (isRinging ? startRinging() : undefined), [isRinging]);
}
