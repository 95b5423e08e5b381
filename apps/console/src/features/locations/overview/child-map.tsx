import type { Schema } from '@family-watch/client';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useChildColor } from '../../families/children/child-color.js';
import { uniqueAreasOf } from '../fences/shape.js';
import { circleAround, positionOf } from '../map/geometry.js';
import { MapView } from '../map/map-view.js';
import type { TrackPoint } from '../track.js';
import { ChildMarker, isOldLocation } from './child-marker.js';

interface ChildMapProps {
  child: Schema<'ChildDto'>;
  location: Schema<'ChildLocationDto'>;
  fences: readonly Schema<'FenceDto'>[];
  /** Where the child has been since live tracking began, which the map shows while the page scrolls. */
  live: { isLive: boolean; points: readonly TrackPoint[] };
}

/** Where one child is, in its places. */
export function ChildMap({ child, location, fences, live: { isLive, points } }: ChildMapProps) {
  const { t } = useTranslation('overview');
  const { cid, name } = child;
  const color = useChildColor(cid);
  const { markers, areas, lines, view } = useMemo(() => {
    const position = positionOf(location);
    const accuracy = circleAround(position, location.radius);
    const trail = points.map(positionOf);
    return {
      markers: [{ id: cid, label: name, position, content: <ChildMarker child={child} location={location} /> }],
      areas: [
        ...uniqueAreasOf(fences),
        { id: cid, corners: accuracy, color: isOldLocation(location) ? ('gray' as const) : color },
      ],
      lines: trail.length > 1 ? [{ id: 'trail', positions: trail, color }] : [],
      view: [...accuracy, ...trail],
    };
  }, [child, cid, name, color, location, fences, points]);
  return (
    <MapView
      label={t('mapOf', { name })}
      height={{ base: 'max(38dvh, 280px)', md: 'calc(100dvh - 130px)' }}
      markers={markers}
      areas={areas}
      lines={lines}
      view={view}
      // The map follows the child.
      viewKey={`${cid} ${location.positionTime}`}
      sticky={isLive ? 'always' : 'wide'}
    />
  );
}
