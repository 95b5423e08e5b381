import { Alert, Box, Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Component, lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mapConfigQuery } from './map-config.js';
import type { MapCanvasProps, MapViewProps } from './map-contents.js';

/** MapLibre is large, so that it is loaded with the first map and not with the first page. */
const MapCanvas = lazy(() => import('./map-canvas.js'));

/** Above the bar of the page and below dialogs. */
const FULL_SCREEN_Z_INDEX = 150;

export function MapView({ sticky, ...props }: MapViewProps) {
  const [isFullScreen, setFullScreen] = useState(false);
  const map = <LoadedMap {...props} isFullScreen={isFullScreen} onFullScreen={setFullScreen} />;
  if (!sticky) return map;
  return (
    <Box
      flex={1}
      miw={0}
      bg="var(--mantine-color-body)"
      w={{ base: '100%', md: 'auto' }}
      pos={{ base: sticky === 'always' ? 'sticky' : 'static', md: 'sticky' }}
      top={{ base: 0, md: 16 }}
      // An element that is sticky has its own layers, so that the full screen needs the whole of it above the bar.
      style={{ zIndex: isFullScreen ? FULL_SCREEN_Z_INDEX : 1 }}
    >
      {map}
    </Box>
  );
}

function LoadedMap(props: Omit<MapCanvasProps, 'config'>) {
  const { t } = useTranslation('map');
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
