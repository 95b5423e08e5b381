import { Alert, Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Component, lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../../app/texts.js';
import { mapConfigQuery } from './map-config.js';
import type { MapViewProps } from './map-contents.js';
import { texts } from './texts.js';

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
