import { Box, Button, Checkbox, Group, Image, UnstyledButton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { Dialog } from '../../../ui/dialog.js';
import { formatBytes, formatDay } from '../../../ui/format.js';
import { ListedThumbnail } from '../family-cloud/thumbnail.js';
import type { RecycledContent } from './queries.js';
import { useTop } from './use-top.js';

const ROW_HEIGHT = 80;
const THUMBNAIL = 64;
const THRESHOLD_ROWS = 10;
const DAY_MS = 24 * 60 * 60_000;

interface RecycledListProps {
  items: readonly RecycledContent[];
  more: { canLoad: boolean; isPending: boolean; isError: boolean; load: () => void };
  selection: ReadonlySet<string>;
  onToggle: (contentID: string) => void;
}

/** The deleted files with their thumbnails, one of which can be shown larger. */
export function RecycledList({ items, more, selection, onToggle }: RecycledListProps) {
  const { t } = useTranslation('album');
  const [shown, setShown] = useState<RecycledContent>();
  const list = useRef<HTMLDivElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_HEIGHT,
    scrollMargin: useTop(list),
    overscan: 6,
  });
  const rows = virtualizer.getVirtualItems();
  const { canLoad, isPending, isError, load } = more;
  const isNear = (rows.at(-1)?.index ?? 0) >= items.length - THRESHOLD_ROWS;
  useEffect(() => {
    // After a failure, the person decides when the next attempt is.
    if (isNear && canLoad && !isPending && !isError) load();
  }, [isNear, canLoad, isPending, isError, load]);
  return (
    <>
      <Box ref={list} pos="relative" h={virtualizer.getTotalSize()}>
        {rows.map(({ index, start, size }) => {
          const item = items[index];
          if (!item) return null;
          const { contentID } = item;
          return (
            <Group
              key={contentID}
              wrap="nowrap"
              gap="sm"
              pos="absolute"
              left={0}
              right={0}
              top={0}
              h={size}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              <Row item={item} isSelected={selection.has(contentID)} onToggle={onToggle} onShow={setShown} />
            </Group>
          );
        })}
      </Box>
      {canLoad && (
        <Button variant="light" loading={isPending} onClick={load}>
          {t('loadMore')}
        </Button>
      )}
      <Preview item={shown} onClose={() => setShown(undefined)} />
    </>
  );
}

interface RowProps {
  item: RecycledContent;
  isSelected: boolean;
  onToggle: (contentID: string) => void;
  onShow: (item: RecycledContent) => void;
}

function Row({ item, isSelected, onToggle, onShow }: RowProps) {
  const { t } = useTranslation('album');
  const [language] = useLanguage();
  const { contentID, contentName, contentSize, recycleTime, purgeTime, thumbnailURL } = item;
  const days = Math.max(0, Math.ceil((purgeTime - Date.now()) / DAY_MS));
  return (
    <>
      <UnstyledButton
        aria-label={t('preview', { name: contentName })}
        disabled={thumbnailURL === ''}
        style={{ flexShrink: 0 }}
        onClick={() => onShow(item)}
      >
        <ListedThumbnail url={thumbnailURL} width={THUMBNAIL} height={THUMBNAIL} />
      </UnstyledButton>
      <Checkbox
        flex={1}
        miw={0}
        styles={{ body: { alignItems: 'center' }, labelWrapper: { flex: 1, minWidth: 0 } }}
        checked={isSelected}
        onChange={() => onToggle(contentID)}
        label={contentName}
        description={[
          formatDay(recycleTime, language),
          formatBytes(contentSize, language),
          t('daysLeft', { count: days }),
        ].join(' · ')}
      />
    </>
  );
}

/** The service gives out no more than the thumbnail of a deleted file. */
function Preview({ item, onClose }: { item: RecycledContent | undefined; onClose: () => void }) {
  return (
    <Dialog opened={item !== undefined} onClose={onClose} title={item?.contentName} size="lg">
      {item && <Image src={item.thumbnailURL} alt={item.contentName} mah="70dvh" fit="contain" />}
    </Dialog>
  );
}
