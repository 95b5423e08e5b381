import { Button, Group, Menu, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { QueryView } from '../../../ui/query-view.js';
import type { Content } from './library.js';
import { isMediaMessage } from './media.js';
import { PictureGrid } from './picture-grid.js';
import { PictureViewer } from './picture-viewer.js';
import { albumSource, albumsQuery, contentsSource, useLibrary } from './queries.js';
import { useContentActions } from './use-content-actions.js';
import { useSelection } from './use-selection.js';

const captureTimeOf = ({ shottime, createTime }: Content) => shottime ?? createTime;

/** The pictures and videos of a cloud, or of one of its albums. */
export function ContentsView({ cloudID, photoID }: { cloudID: string; photoID?: string }) {
  const { t } = useTranslation('album');
  const session = useSession();
  const source = photoID === undefined ? contentsSource(session, cloudID) : albumSource(session, cloudID, photoID);
  const { query, more, remove } = useLibrary(source);
  const items = useMemo(() => query.data?.items.filter(isMediaMessage) ?? [], [query.data]);
  const [shown, setShown] = useState<string>();
  const selecting = useSelection();
  const { selection, ids } = selecting;
  const actions = useContentActions(cloudID, (contentIDs) => {
    remove(contentIDs);
    selecting.end();
  });
  return (
    <QueryView query={query}>
      {() =>
        items.length === 0 && !more.canLoad ? (
          <Stack align="center" py="xl" gap="xs">
            <Text size="xl">{t(photoID === undefined ? 'empty' : 'emptyAlbum')}</Text>
            <Text c="dimmed" ta="center">
              {t('emptyHint')}
            </Text>
          </Stack>
        ) : (
          <>
            <Group justify="end" gap="xs" mih={44}>
              {selection ? (
                <>
                  <Text role="status" flex={1}>
                    {t('selected', { count: selection.size })}
                  </Text>
                  <Button variant="subtle" onClick={selecting.end}>
                    {t('endSelection')}
                  </Button>
                </>
              ) : (
                <Button variant="subtle" onClick={selecting.begin}>
                  {t('select')}
                </Button>
              )}
            </Group>
            <PictureGrid
              cloudID={cloudID}
              items={items}
              timeOf={captureTimeOf}
              more={more}
              selection={selection}
              onChoose={selection ? selecting.toggle : setShown}
            />
            {ids.length > 0 && (
              <Paper withBorder pos="sticky" bottom="calc(var(--app-shell-footer-offset, 0px) + 8px)" p="xs">
                <Group gap="xs" justify="space-between">
                  {photoID === undefined ? (
                    <AlbumMenu cloudID={cloudID} onChoose={(album) => actions.addToAlbum(ids, album)} />
                  ) : (
                    <Button variant="light" onClick={() => actions.removeFromAlbum(ids, photoID)}>
                      {t('removeFromAlbum')}
                    </Button>
                  )}
                  <Button color="red" loading={actions.isPending} onClick={() => actions.remove(ids)}>
                    {t('delete')}
                  </Button>
                </Group>
              </Paper>
            )}
            <PictureViewer
              cloudID={cloudID}
              items={items}
              contentID={shown}
              onShow={setShown}
              onDelete={(contentID) => {
                actions.remove([contentID]);
                setShown(undefined);
              }}
            />
          </>
        )
      }
    </QueryView>
  );
}

function AlbumMenu({ cloudID, onChoose }: { cloudID: string; onChoose: (photoID: string) => void }) {
  const { t } = useTranslation('album');
  const session = useSession();
  const { data: albums } = useQuery(albumsQuery(session, cloudID));
  return (
    <Menu>
      <Menu.Target>
        <Button variant="light">{t('addToAlbum')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {albums?.map(({ photoID, photoName }) => (
          <Menu.Item key={photoID} onClick={() => onChoose(photoID)}>
            {photoName}
          </Menu.Item>
        ))}
        {albums?.length === 0 && <Menu.Label>{t('noAlbums')}</Menu.Label>}
      </Menu.Dropdown>
    </Menu>
  );
}
