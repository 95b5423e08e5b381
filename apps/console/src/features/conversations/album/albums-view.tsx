import { Box, Button, Card, Center, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { TbArrowLeft, TbPhoto, TbPlus } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QueryView } from '../../../ui/query-view.js';
import { ContentsView } from './contents-view.js';
import { albumsQuery } from './queries.js';

const COVER_HEIGHT = 120;

/** The albums of a cloud. */
export function AlbumsView({ cloudID }: { cloudID: string }) {
  const { t } = useTranslation('album');
  const session = useSession();
  const albums = useQuery(albumsQuery(session, cloudID));
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Group justify="end">
        <Button variant="light" leftSection={<TbPlus aria-hidden />} onClick={() => setCreating(true)}>
          {t('newAlbum')}
        </Button>
      </Group>
      <QueryView query={albums}>
        {(list) =>
          list.length === 0 ? (
            <Text ta="center" size="xl" py="xl">
              {t('noAlbums')}
            </Text>
          ) : (
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm">
              {list.map(({ photoID, photoName, photoCoverURL, contentCount }) => (
                <Card
                  key={photoID}
                  withBorder
                  padding="xs"
                  renderRoot={(props) => <Link {...props} to="/album" search={{ view: 'albums', album: photoID }} />}
                >
                  <Card.Section>
                    <Center h={COVER_HEIGHT} bg="var(--mantine-color-default-hover)">
                      {photoCoverURL === '' ? (
                        <TbPhoto aria-hidden />
                      ) : (
                        <Box
                          component="img"
                          src={photoCoverURL}
                          alt=""
                          w="100%"
                          h={COVER_HEIGHT}
                          style={{ objectFit: 'cover' }}
                        />
                      )}
                    </Center>
                  </Card.Section>
                  <Text fw={600} mt="xs" truncate>
                    {photoName}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {t('files', { count: contentCount })}
                  </Text>
                </Card>
              ))}
            </SimpleGrid>
          )
        }
      </QueryView>
      <AlbumNameForm cloudID={cloudID} title={t('newAlbum')} isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

/** One album with its files. */
export function AlbumView({
  cloudID,
  photoID,
  onDeleted,
}: {
  cloudID: string;
  photoID: string;
  onDeleted: () => void;
}) {
  const { t } = useTranslation('album');
  const session = useSession();
  const queries = useQueryClient();
  const albums = useQuery(albumsQuery(session, cloudID));
  const album = albums.data?.find((each) => each.photoID === photoID);
  const [isRenaming, setRenaming] = useState(false);
  const deleteAlbum = useMutation({
    mutationFn: () => session.client.familyCloud.deleteCloudPhoto({ cloudID, photoIDList: [photoID] }),
    onSuccess: async () => {
      onDeleted();
      await queries.invalidateQueries({ queryKey: ['album'] });
    },
  });
  return (
    <>
      <Group justify="space-between">
        <Button
          variant="subtle"
          leftSection={<TbArrowLeft className="mantine-rotate-rtl" aria-hidden />}
          renderRoot={(props) => <Link {...props} to="/album" search={{ view: 'albums' }} />}
        >
          {t('allAlbums')}
        </Button>
        <Group gap="xs">
          <Button variant="subtle" onClick={() => setRenaming(true)} disabled={!album}>
            {t('rename')}
          </Button>
          <ConfirmButton
            label={t('deleteAlbum')}
            question={t('deleteAlbumHint')}
            confirm={t('delete')}
            action={deleteAlbum}
          />
        </Group>
      </Group>
      <Title order={2} size="h3">
        {album?.photoName}
      </Title>
      <ContentsView cloudID={cloudID} photoID={photoID} />
      {album && (
        <AlbumNameForm
          cloudID={cloudID}
          album={album}
          title={t('rename')}
          isOpen={isRenaming}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}

function AlbumNameForm({
  cloudID,
  album,
  title,
  isOpen,
  onClose,
}: {
  cloudID: string;
  /** The album to rename; a new one is created if it is omitted. */
  album?: { photoID: string; photoName: string };
  title: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation('album');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { photoName: album?.photoName ?? '' } });
  const save = useMutation<unknown, Error, { photoName: string }>({
    mutationFn: ({ photoName }) =>
      album
        ? client.familyCloud.modifyCloudPhoto({ cloudID, photoID: album.photoID, photoName })
        : client.familyCloud.createCloudPhoto({ cloudID, photoName }),
    onSuccess: async () => {
      if (!album) form.reset();
      onClose();
      await queries.invalidateQueries({ queryKey: ['album'] });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Dialog opened={isOpen} onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput label={t('albumName')} required data-autofocus {...form.getInputProps('photoName')} />
          <ErrorAlert error={save.error} />
          <Group justify="end">
            <Button variant="subtle" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t(album ? 'save' : 'create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
