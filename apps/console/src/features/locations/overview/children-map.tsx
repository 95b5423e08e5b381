import type { Schema } from '@family-watch/client';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { childColorAt } from '../../families/children/child-color.js';
import { fencesQuery } from '../fences/queries.js';
import { uniqueAreasOf } from '../fences/shape.js';
import { circleAround, positionOf } from '../map/geometry.js';
import { MapView } from '../map/map-view.js';
import { ChildMarker, isOldLocation } from './child-marker.js';

interface ChildrenMapProps {
  childList: readonly Schema<'ChildDto'>[];
  /** Whether the places of the children are drawn. */
  hasPlaces: boolean;
  /** Without it, the map is as high as the display leaves room for, and stays beside what scrolls. Pixels. */
  height?: number;
}

/** The children with a location on a map, each with the circle in which the watch is expected. */
export function ChildrenMap({ childList, hasPlaces, height }: ChildrenMapProps) {
  const { t } = useTranslation('overview');
  const session = useSession();
  const places = useQueries({
    queries: hasPlaces ? childList.map(({ cid }) => fencesQuery(session, cid)) : [],
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  });
  const { markers, areas, view, viewKey } = useMemo(() => {
    const located = childList.flatMap((child, index) =>
      child.lastLocation === null
        ? []
        : [
            {
              child,
              color: childColorAt(index),
              location: child.lastLocation,
              position: positionOf(child.lastLocation),
            },
          ],
    );
    return {
      markers: located.map(({ child, location, position }) => ({
        id: child.cid,
        label: child.name,
        position,
        content: <ChildMarker child={child} location={location} />,
      })),
      areas: [
        ...uniqueAreasOf(places),
        ...located.map(({ child, color, location, position }) => ({
          id: child.cid,
          corners: circleAround(position, location.radius),
          color: isOldLocation(location) ? ('gray' as const) : color,
        })),
      ],
      view: located.flatMap(({ location, position }) => circleAround(position, location.radius)),
      viewKey: located.map(({ child }) => child.cid).join(),
    };
  }, [childList, places]);
  return (
    <MapView
      label={t('map')}
      height={height ?? { base: 'max(38dvh, 280px)', md: 'calc(100dvh - 130px)' }}
      markers={markers}
      spread
      {...(height === undefined && { sticky: 'wide' as const })}
      areas={areas}
      view={view}
      viewKey={viewKey}
    />
  );
}
