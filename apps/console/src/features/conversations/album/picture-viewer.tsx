import { ActionIcon, Box, Button, Center, Group, Image, Loader, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { TbChevronLeft, TbChevronRight, TbDownload } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { downloadUrlQuery } from '../../../core/family-cloud/queries.js';
import type { Content } from './library.js';
import { isVideo } from './media.js';

/** Leaves room for the title and the buttons. */
const MEDIA_HEIGHT = 'calc(100dvh - 190px)';

interface PictureViewerProps {
  cloudID: string;
  items: readonly Content[];
  /** The shown file; undefined if the viewer is closed. */
  contentID: string | undefined;
  onShow: (contentID: string | undefined) => void;
  onDelete: (contentID: string) => void;
}

/** One picture or video over the whole page. The arrow keys show its neighbours. */
export function PictureViewer({ cloudID, items, contentID, onShow, onDelete }: PictureViewerProps) {
  const { t } = useTranslation('album');
  const index = items.findIndex((item) => item.contentID === contentID);
  const item = items[index];
  const show = (offset: number) => {
    const other = items[index + offset];
    if (item && other) onShow(other.contentID);
  };
  useHotkeys([
    ['ArrowLeft', () => show(-1)],
    ['ArrowRight', () => show(1)],
  ]);
  return (
    <Dialog opened={item !== undefined} onClose={() => onShow(undefined)} fullScreen title={item?.contentName}>
      {item && (
        <>
          <Media key={item.contentID} cloudID={cloudID} item={item} />
          <Group justify="space-between" mt="xs" wrap="nowrap">
            <ActionIcon aria-label={t('previous')} disabled={index === 0} onClick={() => show(-1)}>
              <TbChevronLeft className="mantine-rotate-rtl" aria-hidden />
            </ActionIcon>
            <Button variant="subtle" color="red" onClick={() => onDelete(item.contentID)}>
              {t('delete')}
            </Button>
            <ActionIcon aria-label={t('next')} disabled={index === items.length - 1} onClick={() => show(1)}>
              <TbChevronRight className="mantine-rotate-rtl" aria-hidden />
            </ActionIcon>
          </Group>
        </>
      )}
    </Dialog>
  );
}

function Media({ cloudID, item }: { cloudID: string; item: Content }) {
  const { t } = useTranslation('album');
  const session = useSession();
  const { contentID, contentName } = item;
  const { data: url, error } = useQuery(downloadUrlQuery(session, { cloudID, contentID }));
  const [isUnreadable, setUnreadable] = useState(false);
  if (error) return <ErrorAlert error={error} />;
  if (url === undefined)
    return (
      <Center h={MEDIA_HEIGHT}>
        <Loader aria-label={contentName} />
      </Center>
    );
  return (
    <Box>
      <Center h={MEDIA_HEIGHT}>
        {isUnreadable ? (
          <Text>{t('cannotShow')}</Text>
        ) : isVideo(item) ? (
          <video
            src={url}
            controls
            playsInline
            aria-label={contentName}
            style={{ maxWidth: '100%', maxHeight: MEDIA_HEIGHT }}
            onError={() => setUnreadable(true)}
          />
        ) : (
          <Image src={url} alt={contentName} mah={MEDIA_HEIGHT} fit="contain" onError={() => setUnreadable(true)} />
        )}
      </Center>
      <Center>
        <Button
          component="a"
          href={url}
          download={contentName}
          variant="subtle"
          leftSection={<TbDownload aria-hidden />}
        >
          {t('download')}
        </Button>
      </Center>
    </Box>
  );
}
