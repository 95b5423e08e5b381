import { Avatar, type AvatarProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { contentQuery } from '../../../core/family-cloud/queries.js';
import { useSession } from '../../../core/session/use-session.js';
import { photoFileOf } from './photo-reference.js';

/** The service makes the thumbnail of a new picture within a few seconds. */
const REFETCH_MS = 1_000;
const MAX_ATTEMPTS = 15;

interface PhotoProps extends Pick<AvatarProps, 'color' | 'size' | 'variant'> {
  name: string;
  /** `avatar` of the child or account. */
  avatar: string | null | undefined;
}

/** The picture of a child or person; the initials without one, and for who may not see it. */
export function Photo({ name, avatar, ...props }: PhotoProps) {
  const file = photoFileOf(avatar);
  const content = useQuery({
    ...contentQuery(useSession(), file ?? { cloudID: '', contentID: '' }),
    enabled: file !== undefined,
    retry: false,
    refetchInterval: ({ state }) =>
      state.data?.thumbnailURL === '' && state.dataUpdateCount < MAX_ATTEMPTS ? REFETCH_MS : false,
  });
  const url = file && content.data?.thumbnailURL;
  return <Avatar name={name} src={url || null} imageProps={{ alt: '' }} {...props} aria-hidden />;
}
