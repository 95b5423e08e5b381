import type { Schema } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { formatDistance, type PlaceWords } from './place-words.js';

/**
 * Returns a function that says where somebody is or was in relation to a place: "At School", "350 m north of Home".
 * @param isOld - whether the location says little about where the child is now
 */
export function usePlaceText(): (words: PlaceWords, isOld?: boolean) => string {
  const { t } = useTranslation('overview');
  const [language] = useLanguage();
  return (words, isOld = false) => {
    const place = words.fence.name;
    if (words.kind === 'near') {
      const distance = formatDistance(words.metres, language);
      return t(isOld ? 'wasNear' : 'near', { place, distance, direction: t(`direction${words.direction}`) });
    }
    // The page says only of a current location that the child is there.
    if (isOld) return t(words.isCertain ? 'wasAtFence' : 'wasPerhapsAtFence', { place });
    return t(words.isCertain ? 'atFence' : 'perhapsAtFence', { place });
  };
}

/** Farther away from its centre, a place is near a town rather than in it. Metres. */
const TOWN_RADIUS = 5_000;

/** Returns a function that says in or near which town somebody is or was: "In Pudong, Shanghai". */
export function useTownText(): (town: Schema<'NearestTownDto'>, isOld: boolean) => string {
  const { t } = useTranslation('overview');
  const [language] = useLanguage();
  return ({ name, city, country, distance }, isOld) => {
    const region = city ?? new Intl.DisplayNames(language, { type: 'region' }).of(country) ?? country;
    const key = distance <= TOWN_RADIUS ? (isOld ? 'wasInTown' : 'inTown') : isOld ? 'wasNearTown' : 'nearTown';
    return t(key, { town: name, region });
  };
}
