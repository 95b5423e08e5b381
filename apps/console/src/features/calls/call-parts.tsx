import { ActionIcon, Box, Button, Center, Group, Stack, Text } from '@mantine/core';
import { TbMicrophone, TbMicrophoneOff, TbPhoneOff, TbVideo, TbVideoOff } from 'react-icons/tb';
import { useEffect } from 'react';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import type { CallController, CallView } from './call-controller.js';
import type { Call } from './call-state.js';
import { startRinging } from './ringtone.js';
import { StreamVideo } from './stream-video.js';
import { texts } from './texts.js';

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
}

/** Both videos of a call that is being set up or active, and its buttons. */
export function ActiveCall({ calls, view, name, ownWidth = 110 }: ActiveCallProps) {
  const t = useTexts(texts);
  const { call, localMedia, remoteMedia, isConnected, isMuted, isCameraOff } = view;
  const hasMicrophone = (localMedia?.getAudioTracks().length ?? 0) > 0;
  const hasCamera = (localMedia?.getVideoTracks().length ?? 0) > 0;
  const isRinging = call.status === 'outgoing';
  const progress = isRinging
    ? call.callId === undefined
      ? t('creating')
      : t('outgoing', { name })
    : isConnected
      ? ''
      : t('connecting');
  return (
    <Stack flex={1} mih={0} gap="xs">
      <Box pos="relative" flex={1} mih={0} bg="black" style={{ borderRadius: 12, overflow: 'hidden' }}>
        <StreamVideo
          media={remoteMedia}
          label={t('remoteVideo', { name })}
          style={{ position: 'absolute', width: '100%', height: '100%', objectFit: 'contain' }}
        />
        <Center pos="absolute" inset={0} style={{ pointerEvents: 'none' }}>
          <Text c="white" size="lg" fw={600} role="status">
            {progress}
          </Text>
        </Center>
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

/** Says for a while why a call is over. */
export function CallEnd({ call, onClose }: { call: Extract<Call, { status: 'ended' }>; onClose: () => void }) {
  const t = useTexts(texts);
  const { reason, error } = call;
  const isFailure = reason === 'FAILED';
  useEffect(() => {
    // An error is read in one's own time.
    if (isFailure) return;
    const timer = setTimeout(onClose, END_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [onClose, isFailure]);
  return (
    <Stack flex={1} justify="center" align="center">
      <Text size="xl" fw={600} ta="center" role="status">
        {t(`end${reason}`)}
      </Text>
      <ErrorAlert error={error} />
      <Button variant="light" data-autofocus onClick={onClose}>
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
