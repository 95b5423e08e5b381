import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { photoFileOf } from './photo-reference.js';
import { Photo } from './photo.js';

/** Cropping and uploading are loaded when a picture was chosen. */
const CropDialog = lazy(() => import('./crop-dialog.js'));

/** Queries with photos. */
const STALE_QUERIES = [['children'], ['families'], ['profile'], ['conversations', 'list']];

interface PhotoFieldProps {
  name: string;
  avatar: string | null | undefined;
  /** The family cloud for the photo; undefined while it is not known. */
  cloudID: string | undefined;
  /** Stores the reference of the photo, or null for none. */
  update: (avatar: string | null) => Promise<unknown>;
}

/** Shows the photo of a child or person, and changes and removes it. */
export function PhotoField({ name, avatar, cloudID, update }: PhotoFieldProps) {
  const { t } = useTranslation('photo');
  const { client } = useSession();
  const queries = useQueryClient();
  const [picture, setPicture] = useState<File | null>(null);
  const reset = useRef<() => void>(null);
  const file = photoFileOf(avatar);
  const store = useMutation({
    mutationFn: async (next: string | null) => {
      await update(next);
      // The earlier photo goes to the recycle bin. Who may not delete it leaves it in the album.
      if (file)
        await client.familyCloud
          .deleteContents({ cloudID: file.cloudID, contentIDList: [file.contentID] })
          .catch(() => undefined);
    },
    onSuccess: async (_, next) => {
      await Promise.all(STALE_QUERIES.map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t(next === null ? 'removed' : 'saved') });
    },
  });
  return (
    <Stack gap="xs">
      <Group>
        <Photo name={name} avatar={avatar} size={96} color="initials" />
        <Stack gap={4} align="start">
          <FileButton
            accept="image/*"
            resetRef={reset}
            onChange={(chosen) => {
              setPicture(chosen);
              // Without it, the same file could not be chosen again.
              reset.current?.();
            }}
          >
            {(props) => (
              <Button {...props} variant="light" disabled={cloudID === undefined}>
                {t(file ? 'change' : 'choose')}
              </Button>
            )}
          </FileButton>
          {file && (
            <Button variant="subtle" loading={store.isPending} onClick={() => store.mutate(null)}>
              {t('remove')}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            {t('hint')}
          </Text>
        </Stack>
      </Group>
      <ErrorAlert error={store.error} />
      {picture && cloudID !== undefined && (
        <Suspense>
          <CropDialog
            picture={picture}
            cloudID={cloudID}
            onUploaded={store.mutateAsync}
            onClose={() => setPicture(null)}
          />
        </Suspense>
      )}
    </Stack>
  );
}
