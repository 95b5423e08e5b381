import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useOperator } from '../session/use-operator.js';
import { groupsQuery } from '../watches/queries.js';
import { imagesQuery } from './queries.js';

/** Returns a function that names an image by model and version; an old image, which is not loaded, by its id. */
export function useImageName(): (imageId: string) => string {
  const { data } = useInfiniteQuery(imagesQuery(useOperator()));
  const images = data?.pages.flatMap(({ items }) => items) ?? [];
  return (imageId) => {
    const image = images.find((each) => each.imageId === imageId);
    return image ? `${image.model} ${image.version}` : imageId;
  };
}

/** Returns a function that names the group of a rollout; null is all watches. */
export function useGroupName(): (groupId: string | null) => string {
  const { t } = useTranslation('operatorFirmware');
  const { data } = useQuery(groupsQuery(useOperator()));
  return (groupId) =>
    groupId === null ? t('allWatches') : (data?.items.find((each) => each.groupId === groupId)?.name ?? groupId);
}
