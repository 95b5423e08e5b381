import { Alert, Center, Loader } from '@mantine/core';
import type { BoxProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Component, lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../../app/texts.js';
import type { Position } from './coordinates.js';
import { mapConfigQuery } from './map-config.js';
import { texts } from './texts.js';

/** A point of the map, shown by `content`, whose first 44 px are centred on the position. */
export interface MapMarker {
  id: string;
  label: string;
  position: Position;
  content: ReactNode;
  /** The marker can be dragged; called with its new position. */
  onMove?: (position: Position) => void;
}

/** Name of a colour of the theme. */
export type MapColor = 'teal' | 'indigo' | 'gray';

export interface MapArea {
  id: string;
  corners: readonly Position[];
  color: MapColor;
}

export interface MapLine {
  id: string;
  positions: readonly Position[];
  color: MapColor;
}

/** What a map shows. All positions are in WGS 84. */
export interface MapViewProps {
  label: string;
  height: NonNullable<BoxProps['h']>;
  markers?: readonly MapMarker[];
  areas?: readonly MapArea[];
  lines?: readonly MapLine[];
  /** Positions that the map shows at first, and again when `viewKey` changes. */
  view: readonly Position[];
  viewKey: string;
  onClick?: ((position: Position) => void) | undefined;
}

/** MapLibre is large, so that it is loaded with the first map and not with the first page. */
const MapCanvas = lazy(() => import('./map-canvas.js'));

export function MapView(props: MapViewProps) {
  const t = useTexts(texts);
  const { data: config } = useQuery(mapConfigQuery);
  const loading = (
    <Center h={props.height}>
      <Loader aria-label={t('loading')} />
    </Center>
  );
  if (!config) return loading;
  const unavailable = (
    <Alert color="gray" role="status">
      {t('unavailable')}
    </Alert>
  );
  return (
    <MapBoundary fallback={unavailable}>
      <Suspense fallback={loading}>
        <MapCanvas config={config} {...props} />
      </Suspense>
    </MapBoundary>
  );
}

/** Replaces a map that fails: without WebGL, or because its files cannot be loaded. */
class MapBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
