import type { FamilyWatchClient } from '@family-watch/client';
import { Center, Image, Loader, UnstyledButton } from '@mantine/core';
import { TbPlayerPlay } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { downloadUrlOf, downloadUrlQuery } from '../../../core/family-cloud/queries.js';
import { Thumbnail } from '../family-cloud/thumbnail.js';
import type { MediaDraft } from '../outbox-state.js';
import { VoicePlayer } from './voice/voice-player.js';

/** Pixels of the box that contains a picture. */
const MAX_SIZE = { width: 240, height: 300 };
const MIN_SIZE = 72;

export interface MessageMediaProps {
  /** The parent or the watch that shows the message. */
  session: { client: FamilyWatchClient };
  kind: MediaDraft['kind'];
  payload: Record<string, unknown>;
  cloudID: string;
  /** Pixels. */
  maxSize?: Size;
}

interface Size {
  width: number;
  height: number;
}

/** The picture, video or voice of a message. */
export function MessageMedia({ session, kind, payload, cloudID, maxSize }: MessageMediaProps) {
  const contentID = String(payload['contentID']);
  const file = { cloudID, contentID };
  if (kind === 'ChatVoiceMessage')
    return <VoicePlayer duration={Number(payload['duration'])} loadUrl={() => downloadUrlOf(session.client, file)} />;
  const size = boxOf(Number(payload['width']), Number(payload['height']), maxSize);
  const Media = kind === 'ChatImageMessage' ? Picture : Video;
  return <Media session={session} file={file} size={size} />;
}

interface MediaFileProps extends Pick<MessageMediaProps, 'session'> {
  file: { cloudID: string; contentID: string };
  size: Size;
}

function Picture({ session, file, size }: MediaFileProps) {
  const { t } = useTranslation('conversations');
  const [isOpen, setOpen] = useState(false);
  const full = useQuery({ ...downloadUrlQuery(session, file), enabled: isOpen });
  return (
    <>
      <UnstyledButton aria-label={t('openImage')} onClick={() => setOpen(true)}>
        <Thumbnail session={session} file={file} {...size} />
      </UnstyledButton>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} size="auto" title={t('image')}>
        {full.data !== undefined && <Image src={full.data} alt={t('image')} mah="75dvh" fit="contain" />}
        {full.isPending && <Loader aria-label={t('image')} />}
        <ErrorAlert error={full.error} />
      </Dialog>
    </>
  );
}

function Video({ session, file, size }: MediaFileProps) {
  const { t } = useTranslation('conversations');
  const [isPlaying, setPlaying] = useState(false);
  const url = useQuery({ ...downloadUrlQuery(session, file), enabled: isPlaying });
  if (isPlaying && url.data !== undefined)
    return <video src={url.data} {...size} controls autoPlay playsInline aria-label={t('video')} />;
  return (
    <>
      <UnstyledButton aria-label={t('playVideo')} pos="relative" onClick={() => setPlaying(true)}>
        <Thumbnail session={session} file={file} {...size} />
        <Center pos="absolute" inset={0}>
          <Center bg="dark" c="white" w={48} h={48} style={{ borderRadius: 24, opacity: 0.85 }}>
            {url.isFetching ? <Loader size="sm" color="white" /> : <TbPlayerPlay aria-hidden />}
          </Center>
        </Center>
      </UnstyledButton>
      <ErrorAlert error={url.error} />
    </>
  );
}

/** A picture, video or voice message that is being uploaded, from the file of the person. */
export function LocalMedia({ draft }: { draft: MediaDraft }) {
  const { t } = useTranslation('conversations');
  const { kind, previewUrl, width = 1, height = 1, duration = 0 } = draft;
  if (kind === 'ChatVoiceMessage')
    return <VoicePlayer duration={duration} loadUrl={() => Promise.resolve(previewUrl)} />;
  const size = boxOf(width, height);
  if (kind === 'ChatVideoMessage')
    return <video src={previewUrl} {...size} preload="metadata" aria-label={t('video')} />;
  return <Image src={previewUrl} w={size.width} h={size.height} radius="sm" alt={t('image')} />;
}

/** Returns the size in which a picture is shown. */
function boxOf(width: number, height: number, maxSize = MAX_SIZE): Size {
  const scale = Math.min(maxSize.width / width, maxSize.height / height, 1);
  return {
    width: Math.max(MIN_SIZE, Math.round(width * scale)),
    height: Math.max(MIN_SIZE, Math.round(height * scale)),
  };
}
