import { Box, Button, Center, Loader, Text, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { TbCircle, TbCircleCheckFilled, TbPlayerPlayFilled } from 'react-icons/tb';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { formatDay } from '../../../ui/format.js';
import { Thumbnail } from '../family-cloud/thumbnail.js';
import { gridRowsOf } from './grid-rows.js';
import { isVideo } from './media.js';
import type { Content } from './library.js';
import { useTop } from './use-top.js';

const GAP = 4;
const MIN_COLUMNS = 3;
/** Pixels above which a wider window shows more columns instead of larger pictures. */
const MAX_TILE = 170;
const DAY_HEIGHT = 44;
/** The next page is loaded when fewer rows than this are left below the visible ones. */
const THRESHOLD_ROWS = 8;

interface PictureGridProps {
  cloudID: string;
  items: readonly Content[];
  /** The time under whose day an item is shown. */
  timeOf: (item: Content) => number;
  more: { canLoad: boolean; isPending: boolean; isError: boolean; load: () => void };
  /** The selected files; undefined while nothing can be selected. */
  selection: ReadonlySet<string> | undefined;
  /** Opens or selects a file. */
  onChoose: (contentID: string) => void;
}

/** Pictures and videos by day, of which the page contains only the visible ones. */
export function PictureGrid({ cloudID, items, timeOf, more, selection, onChoose }: PictureGridProps) {
  const { t } = useTranslation('album');
  const [language] = useLanguage();
  const { ref: sizeRef, width } = useElementSize();
  const columns = Math.max(MIN_COLUMNS, Math.ceil(width / MAX_TILE));
  const tile = Math.floor((width - GAP * (columns - 1)) / columns);
  const rows = useMemo(() => gridRowsOf(items, columns, timeOf), [items, columns, timeOf]);
  const list = useRef<HTMLDivElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: width === 0 ? 0 : rows.length,
    estimateSize: (index) => (rows[index]?.type === 'day' ? DAY_HEIGHT : tile + GAP),
    getItemKey: (index) => rows[index]?.key ?? index,
    scrollMargin: useTop(list),
    overscan: 4,
  });
  // The rows have other heights when the window gets another width.
  useEffect(() => virtualizer.measure(), [virtualizer, tile]);
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const { canLoad, isPending, isError, load } = more;
  const isNear = width > 0 && last >= rows.length - THRESHOLD_ROWS;
  useEffect(() => {
    // After a failure, the person decides when the next attempt is.
    if (isNear && canLoad && !isPending && !isError) load();
  }, [isNear, canLoad, isPending, isError, load]);
  return (
    <Box ref={sizeRef}>
      <Box ref={list} pos="relative" h={virtualizer.getTotalSize()}>
        {visible.map(({ index, key, start, size }) => {
          const row = rows[index];
          return (
            <Box
              key={key}
              pos="absolute"
              top={0}
              left={0}
              right={0}
              h={size}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              {row?.type === 'day' && (
                <Text component="h2" fw={600} m={0} pt="sm" size="sm">
                  {formatDay(row.time, language)}
                </Text>
              )}
              {row?.type === 'pictures' && (
                <Box display="flex" style={{ gap: GAP }}>
                  {row.items.map((item) => (
                    <Tile
                      key={item.contentID}
                      cloudID={cloudID}
                      item={item}
                      size={tile}
                      label={`${t(isVideo(item) ? 'video' : 'image')} ${item.contentName}`}
                      isSelected={selection?.has(item.contentID)}
                      onChoose={onChoose}
                    />
                  ))}
                </Box>
              )}
            </Box>
          );
        })}
      </Box>
      {(isPending || (canLoad && isError)) && (
        <Center py="md">
          {isPending ? (
            <Loader size="sm" aria-label={t('loadMore')} />
          ) : (
            <Button variant="light" onClick={load}>
              {t('loadMore')}
            </Button>
          )}
        </Center>
      )}
    </Box>
  );
}

interface TileProps {
  cloudID: string;
  item: Content;
  size: number;
  label: string;
  isSelected: boolean | undefined;
  onChoose: (contentID: string) => void;
}

/** The grid renders with each scrolling, its pictures do not. */
const Tile = memo(function Tile({ cloudID, item, size, label, isSelected, onChoose }: TileProps) {
  const session = useSession();
  const { contentID, thumbnailURL } = item;
  return (
    <UnstyledButton
      pos="relative"
      w={size}
      h={size}
      aria-label={label}
      aria-pressed={isSelected}
      onClick={() => onChoose(contentID)}
    >
      <Thumbnail session={session} file={{ cloudID, contentID }} width={size} height={size} listedUrl={thumbnailURL} />
      {isVideo(item) && (
        <Center pos="absolute" bottom={6} left={6} bg="dark" c="white" w={28} h={28} style={{ borderRadius: 14 }}>
          <TbPlayerPlayFilled size={16} aria-hidden />
        </Center>
      )}
      {isSelected !== undefined && (
        <Center
          pos="absolute"
          top={6}
          right={6}
          c="var(--mantine-primary-color-filled)"
          bg="var(--mantine-color-body)"
          style={{ borderRadius: 14 }}
        >
          {isSelected ? <TbCircleCheckFilled size={28} aria-hidden /> : <TbCircle size={28} aria-hidden />}
        </Center>
      )}
    </UnstyledButton>
  );
});
