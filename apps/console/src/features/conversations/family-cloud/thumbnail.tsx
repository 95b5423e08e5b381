import type { FamilyWatchClient } from '@family-watch/client';
import { Center, Image, Text } from '@mantine/core';
import { TbPhotoOff } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { contentQuery } from '../../../core/family-cloud/queries.js';

/** The service makes the thumbnail of a new file within a few seconds. */
const REFETCH_MS = 2_000;
const MAX_ATTEMPTS = 8;
/** An image that fails with a newer URL is broken, and a newer one would not help. */
const MIN_URL_AGE_MS = 60_000;

interface ThumbnailProps {
  session: { client: FamilyWatchClient };
  file: { cloudID: string; contentID: string };
  width: number;
  height: number;
  /** A URL from a list, which may have expired; empty if the list had none. */
  listedUrl?: string;
}

/** The thumbnail of a file. The box has its size before the picture, so that nothing moves when it appears. */
export function Thumbnail({ listedUrl = '', ...props }: ThumbnailProps) {
  const { width, height } = props;
  const [hasExpired, setExpired] = useState(false);
  if (listedUrl === '' || hasExpired) return <RequestedThumbnail {...props} />;
  return <Picture url={listedUrl} width={width} height={height} onError={() => setExpired(true)} />;
}

/** A thumbnail of which nothing but the URL of a list is known, such as that of a deleted file. */
export function ListedThumbnail({ url, width, height }: { url: string; width: number; height: number }) {
  const [isBroken, setBroken] = useState(false);
  if (url === '' || isBroken)
    return (
      <Placeholder width={width} height={height}>
        <TbPhotoOff aria-hidden />
      </Placeholder>
    );
  return <Picture url={url} width={width} height={height} onError={() => setBroken(true)} />;
}

/** Requests the URL; a list with thousands of pictures does so only for those whose URL it does not know. */
function RequestedThumbnail({ session, file, width, height }: ThumbnailProps) {
  const { t } = useTranslation('thumbnail');
  const content = useQuery({
    ...contentQuery(session, file),
    refetchInterval: ({ state }) =>
      state.data?.thumbnailURL === '' && state.dataUpdateCount < MAX_ATTEMPTS ? REFETCH_MS : false,
  });
  if (content.isError)
    return (
      <Placeholder width={width} height={height}>
        <TbPhotoOff aria-hidden />
        <Text size="xs">{t('unavailable')}</Text>
      </Placeholder>
    );
  const url = content.data?.thumbnailURL ?? '';
  if (url === '') return <Placeholder width={width} height={height} />;
  const renew = () => {
    if (Date.now() - content.dataUpdatedAt > MIN_URL_AGE_MS) void content.refetch();
  };
  return <Picture url={url} width={width} height={height} onError={renew} />;
}

function Picture({ url, width, height, onError }: { url: string; width: number; height: number; onError: () => void }) {
  return <Image src={url} w={width} h={height} radius="sm" alt="" onError={onError} />;
}

function Placeholder({ width, height, children }: { width: number; height: number; children?: ReactNode }) {
  return (
    <Center
      w={width}
      h={height}
      bg="var(--mantine-color-default-hover)"
      p="xs"
      ta="center"
      style={{ flexWrap: 'wrap' }}
    >
      {children}
    </Center>
  );
}
