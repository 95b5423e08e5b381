import type { Schema } from '@family-watch/client';
import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { formatDay, formatTime, isToday } from '../../../ui/format.js';
import { fenceEventsQuery, fencesQuery } from '../fences/queries.js';
import { nearestTownQuery } from '../queries.js';
import { isOldLocation } from './child-marker.js';
import { enteredAt, placeWordsOf } from './place-words.js';
import { usePlaceText, useTownText } from './use-place-text.js';

/** Beyond this distance from a place, the page names the town. Metres. */
const MAX_PLACE_METRES = 3_000;

/** Where a child is, in relation to its places or towns: "At School since 7:46", "350 m north of Home", "In Pudong, Shanghai". */
export function PlaceInWords({ cid, location }: { cid: string; location: Schema<'ChildLocationDto'> }) {
  const { t } = useTranslation('overview');
  const [language] = useLanguage();
  const session = useSession();
  const { data: fences } = useQuery(fencesQuery(session, cid));
  const { data: events } = useInfiniteQuery(fenceEventsQuery(session, cid));
  const textOf = usePlaceText();
  const townText = useTownText();
  const words = placeWordsOf(fences?.items ?? [], location);
  // A town says more about where the child is than a place far away.
  const isFar = !words || (words.kind === 'near' && words.metres > MAX_PLACE_METRES);
  const { data: town } = useQuery({
    ...nearestTownQuery(session, cid, location),
    enabled: fences !== undefined && isFar,
  });
  const isOld = isOldLocation(location);
  const describe = () => {
    if (isFar && town) return townText(town, isOld);
    if (!words) return undefined;
    const { name, fenceId } = words.fence;
    const since = enteredAt(events?.pages[0]?.items ?? [], fenceId);
    if (isOld || words.kind === 'near' || !words.isCertain || since === undefined) return textOf(words, isOld);
    const time = formatTime(since, language);
    return t('atFenceSince', { place: name, time: isToday(since) ? time : `${formatDay(since, language)}, ${time}` });
  };
  const text = describe();
  if (text === undefined) return null;
  return (
    <Text size="xl" fw={600}>
      {text}
    </Text>
  );
}
