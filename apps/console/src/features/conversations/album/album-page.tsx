import { Button, FileButton, Group, Progress, SegmentedControl, Select, Stack, Text, Title } from '@mantine/core';
import { TbUpload } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cloudsQuery } from '../../../core/family-cloud/queries.js';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { formatBytes } from '../../../ui/format.js';
import { QueryView } from '../../../ui/query-view.js';
import { AlbumsView, AlbumView } from './albums-view.js';
import { ContentsView } from './contents-view.js';
import { diskQuery } from './queries.js';
import { RecycleBinView } from './recycle-bin-view.js';
import { UploadList } from './upload-list.js';
import { useUploads } from './upload-queue.js';

const route = getRouteApi('/signed-in/album');

/** The family's pictures and videos, its albums and the recycle bin. */
export function AlbumPage() {
  const { t } = useTranslation('album');
  const session = useSession();
  const clouds = useQuery(cloudsQuery(session));
  const [chosen, setChosen] = useState<string>();
  const { view = 'pictures', album } = route.useSearch();
  const navigate = route.useNavigate();
  const { queue } = useUploads();
  return (
    <Stack maw={1200} w="100%">
      <Title order={1}>{t('title')}</Title>
      <QueryView query={clouds}>
        {(list) => {
          const cloud = list.find(({ cloudID }) => cloudID === chosen) ?? list[0];
          if (!cloud)
            return (
              <Stack align="center" py="xl">
                <Text size="xl">{t('noCloud')}</Text>
                <Text c="dimmed">{t('noCloudHint')}</Text>
              </Stack>
            );
          const { cloudID, role } = cloud;
          return (
            <>
              {list.length > 1 && (
                <Select
                  label={t('cloud')}
                  allowDeselect={false}
                  data={list.map((each) => ({ value: each.cloudID, label: each.cloudName }))}
                  value={cloudID}
                  onChange={(value) => {
                    setChosen(value ?? undefined);
                    void navigate({ search: { view: view === 'pictures' ? undefined : view } });
                  }}
                />
              )}
              <Group justify="space-between">
                <Space cloudID={cloudID} />
                <FileButton
                  multiple
                  accept="image/*,video/*"
                  onChange={(files) => queue.add(cloudID, files, view === 'albums' ? album : undefined)}
                >
                  {(props) => (
                    <Button {...props} leftSection={<TbUpload aria-hidden />}>
                      {t('upload')}
                    </Button>
                  )}
                </FileButton>
              </Group>
              <UploadList />
              <SegmentedControl
                aria-label={t('views')}
                value={view}
                onChange={(value) => void navigate({ search: { view: value === 'pictures' ? undefined : value } })}
                data={(['pictures', 'albums', 'bin'] as const).map((value) => ({ value, label: t(value) }))}
              />
              {view === 'pictures' && <ContentsView key={cloudID} cloudID={cloudID} />}
              {view === 'albums' &&
                (album === undefined ? (
                  <AlbumsView cloudID={cloudID} />
                ) : (
                  <AlbumView
                    key={album}
                    cloudID={cloudID}
                    photoID={album}
                    onDeleted={() => void navigate({ search: { view: 'albums' } })}
                  />
                ))}
              {view === 'bin' && <RecycleBinView key={cloudID} cloudID={cloudID} isOwner={role === 'OWNER'} />}
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}

/** How much space is left in the cloud. */
function Space({ cloudID }: { cloudID: string }) {
  const { t } = useTranslation('album');
  const [language] = useLanguage();
  const session = useSession();
  const { data } = useQuery(diskQuery(session, cloudID));
  if (!data) return <span />;
  const { diskSize, freeSize, recycleSize } = data;
  const space = t('space', { free: formatBytes(freeSize, language, diskSize), total: formatBytes(diskSize, language) });
  return (
    <Stack gap={4} flex={1}>
      <Text size="sm">{space}</Text>
      <Progress value={diskSize === 0 ? 100 : ((diskSize - freeSize) / diskSize) * 100} maw={320} aria-label={space} />
      {recycleSize > 0 && (
        <Text size="xs" c="dimmed">
          {t('spaceInBin', { size: formatBytes(recycleSize, language) })}
        </Text>
      )}
    </Stack>
  );
}
