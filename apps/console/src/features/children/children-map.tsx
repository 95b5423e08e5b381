import type { Schema } from '@family-watch/client';
import { useMemo } from 'react';
import { useTexts } from '../../app/texts.js';
import { circleAround, positionOf } from '../map/geometry.js';
import { MapView } from '../map/map-view.js';
import { ChildMarker, isOldLocation } from './child-marker.js';
import { texts } from './texts.js';

/** The children with a location on a map, each with the circle in which the watch is expected. */
export function ChildrenMap({ childList }: { childList: readonly Schema<'ChildDto'>[] }) {
  const t = useTexts(texts);
  const { markers, areas, view, viewKey } = useMemo(() => {
    const located = childList.flatMap(({ cid, name, lastLocation }) =>
      lastLocation === null ? [] : [{ cid, name, location: lastLocation, position: positionOf(lastLocation) }],
    );
    return {
      markers: located.map(({ cid, name, location, position }) => ({
        id: cid,
        label: name,
        position,
        content: <ChildMarker cid={cid} name={name} location={location} />,
      })),
      areas: located.map(({ cid, location, position }) => ({
        id: cid,
        corners: circleAround(position, location.radius),
        color: isOldLocation(location) ? ('gray' as const) : ('teal' as const),
      })),
      view: located.flatMap(({ location, position }) => circleAround(position, location.radius)),
      viewKey: located.map(({ cid }) => cid).join(),
    };
  }, [childList]);
  return (
    <MapView
      label={t('map')}
      height={{ base: '38dvh', md: 'calc(100dvh - 130px)' }}
      markers={markers}
      spread
      areas={areas}
      view={view}
      viewKey={viewKey}
    />
  );
}
