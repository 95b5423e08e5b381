import 'maplibre-gl/dist/maplibre-gl.css';
import { ActionIcon, Alert, Box, Stack, useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { TbMinus, TbPlus } from 'react-icons/tb';
import type { GeoJSONSource } from 'maplibre-gl';
import { AttributionControl, LngLatBounds, Map, Marker, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTexts } from '../../app/texts.js';
import { fromMapPosition, toMapPosition } from './coordinates.js';
import type { MapCoordinates, Position } from './coordinates.js';
import { OUTLINE_MAP } from './map-config.js';
import type { MapConfig } from './map-config.js';
import type { MapMarker, MapViewProps } from './map-contents.js';
import { createOutlineStyle } from './outline-style.js';
import { spreadMarkers } from './spread-markers.js';
import { texts } from './texts.js';

setWorkerUrl(workerUrl);

/** Zoom at which a street is readable; the view is not closer at first. */
const MAX_VIEW_ZOOM = 16;
/** Space for markers with their captions, and for the buttons. */
const VIEW_PADDING_PIXELS = { top: 48, right: 92, bottom: 80, left: 92 };
const AREAS = 'family-watch-areas';
const LINES = 'family-watch-lines';
const SHADE = 6;
/** The first 44 px of a marker are centred on its position; a caption is below them. */
const MARKER_OFFSET: [number, number] = [0, -22];
const NO_MARKERS: readonly MapMarker[] = [];

/** A map with markers, areas and lines. The only part of the page that knows MapLibre and the coordinates of the map. */
export default function MapCanvas({ config, ...props }: MapViewProps & { config: MapConfig }) {
  const t = useTexts(texts);
  const { label, height, markers = NO_MARKERS, spread = false, areas = [], lines = [], view, viewKey, onClick } = props;
  const container = useRef<HTMLDivElement>(null);
  const colorScheme = useComputedColorScheme();
  const { colors } = useMantineTheme();
  // If the configured style cannot be loaded, the outline replaces it, which has its own coordinates.
  const [hasStyleFailed, setStyleFailed] = useState(false);
  const { styleUrl, coordinates } = hasStyleFailed ? OUTLINE_MAP : config;
  const map = useMap({ container, styleUrl, colorScheme, label, onStyleError: () => setStyleFailed(true) });

  const click = useRef(onClick);
  click.current = onClick;
  const canClick = onClick !== undefined;
  useEffect(() => {
    if (!map) return;
    const subscription = map.on('click', ({ lngLat }) =>
      click.current?.(fromMapPosition([lngLat.lng, lngLat.lat], coordinates)),
    );
    map.getCanvas().style.cursor = canClick ? 'crosshair' : '';
    return () => subscription.unsubscribe();
  }, [map, coordinates, canClick]);

  useEffect(() => {
    const toMap = (position: Position) => toMapPosition(position, coordinates);
    void map?.getSource<GeoJSONSource>(AREAS)?.setData({
      type: 'FeatureCollection',
      features: areas.map(({ corners, color }) => ({
        type: 'Feature',
        properties: { color: colors[color][SHADE] },
        geometry: { type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)].map(toMap)] },
      })),
    });
    void map?.getSource<GeoJSONSource>(LINES)?.setData({
      type: 'FeatureCollection',
      features: lines.map(({ positions, color }) => ({
        type: 'Feature',
        properties: { color: colors[color][SHADE] },
        geometry: { type: 'LineString', coordinates: positions.map(toMap) },
      })),
    });
  }, [map, areas, lines, colors, coordinates]);

  const shifts = useMarkerShifts(map, spread ? markers : NO_MARKERS, coordinates);

  const isFirstView = useRef(true);
  useEffect(() => {
    if (!map || view.length === 0) return;
    const bounds = new LngLatBounds();
    for (const position of view) bounds.extend(toMapPosition(position, coordinates));
    map.fitBounds(bounds, {
      padding: VIEW_PADDING_PIXELS,
      maxZoom: MAX_VIEW_ZOOM,
      animate: !isFirstView.current,
    });
    isFirstView.current = false;
    // The view follows its key, so that a person who has moved the map keeps what she looks at.
  }, [map, viewKey, coordinates]);

  return (
    <Box pos="relative">
      {/* The canvas of MapLibre is the region with the label of the map. */}
      <Box ref={container} h={height} style={{ borderRadius: 8, overflow: 'hidden' }} />
      {map && (
        <>
          {markers.map((marker) => (
            <MarkerOnMap
              key={marker.id}
              map={map}
              marker={marker}
              coordinates={coordinates}
              shift={shifts.get(marker.id) ?? 0}
            />
          ))}
          <Stack gap={4} pos="absolute" top={8} right={8}>
            {/* MapLibre's own buttons are smaller than a finger. */}
            <ActionIcon variant="default" aria-label={t('zoomIn')} onClick={() => map.zoomIn()}>
              <TbPlus aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" aria-label={t('zoomOut')} onClick={() => map.zoomOut()}>
              <TbMinus aria-hidden />
            </ActionIcon>
          </Stack>
        </>
      )}
      {hasStyleFailed && (
        <Alert color="gray" role="status" mt="xs">
          {t('styleFailed')}
        </Alert>
      )}
    </Box>
  );
}

interface MapOptions {
  container: React.RefObject<HTMLDivElement | null>;
  styleUrl: string | null;
  colorScheme: 'light' | 'dark';
  label: string;
  onStyleError: () => void;
}

/** Returns the map when its style is loaded. A failure to create it is thrown while rendering. */
function useMap({ container, styleUrl, colorScheme, label, onStyleError }: MapOptions): Map | undefined {
  const t = useTexts(texts);
  const [map, setMap] = useState<Map>();
  const [failure, setFailure] = useState<Error>();
  const styleError = useRef(onStyleError);
  styleError.current = onStyleError;
  useEffect(() => {
    let isEnded = false;
    let created: Map | undefined;
    const create = async () => {
      const style = styleUrl ?? (await createOutlineStyle(colorScheme));
      if (isEnded || !container.current) return;
      created = new Map({
        container: container.current,
        style,
        attributionControl: false,
        dragRotate: false,
        pitchWithRotate: false,
        touchPitch: false,
        locale: {
          'Map.Title': label,
          'AttributionControl.ToggleAttribution': t('attribution'),
          'ScaleControl.Meters': t('metres'),
          'ScaleControl.Kilometers': t('kilometres'),
        },
      });
      created.touchZoomRotate.disableRotation();
      created.addControl(new ScaleControl({}), 'bottom-left');
      created.addControl(new AttributionControl({ compact: true }), 'bottom-right');
      const ready = created;
      ready.on('error', () => {
        if (!isEnded && styleUrl !== null && !ready.isStyleLoaded()) styleError.current();
      });
      ready.once('style.load', () => {
        if (isEnded) return;
        addOverlays(ready);
        setMap(ready);
      });
    };
    create().catch((error: unknown) => {
      if (!isEnded) setFailure(error instanceof Error ? error : new Error('The map failed', { cause: error }));
    });
    return () => {
      isEnded = true;
      setMap(undefined);
      created?.remove();
    };
  }, [container, styleUrl, colorScheme, label, t]);
  if (failure) throw failure;
  return map;
}

function addOverlays(map: Map): void {
  const empty = { type: 'FeatureCollection' as const, features: [] };
  map.addSource(AREAS, { type: 'geojson', data: empty, tolerance: 0 });
  map.addSource(LINES, { type: 'geojson', data: empty, tolerance: 0 });
  const color = ['get', 'color'] as ['get', string];
  map.addLayer({
    id: `${AREAS}-fill`,
    type: 'fill',
    source: AREAS,
    paint: { 'fill-color': color, 'fill-opacity': 0.18 },
  });
  map.addLayer({ id: `${AREAS}-line`, type: 'line', source: AREAS, paint: { 'line-color': color, 'line-width': 2 } });
  map.addLayer({
    id: LINES,
    type: 'line',
    source: LINES,
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': 4 },
  });
}

/** Returns by how many pixels markers are moved to the right because another marker would cover them. */
function useMarkerShifts(
  map: Map | undefined,
  markers: readonly MapMarker[],
  coordinates: MapCoordinates,
): ReadonlyMap<string, number> {
  const [shifts, setShifts] = useState<ReadonlyMap<string, number>>(new globalThis.Map());
  useEffect(() => {
    if (!map) return;
    const update = () => {
      const next = spreadMarkers(
        markers.map(({ id, position }) => {
          const { x, y } = map.project(toMapPosition(position, coordinates));
          return { id, x, y };
        }),
      );
      setShifts((previous) => (previous.size === 0 && next.size === 0 ? previous : next));
    };
    update();
    const subscription = map.on('zoomend', update);
    return () => subscription.unsubscribe();
  }, [map, markers, coordinates]);
  return shifts;
}

interface MarkerProps {
  map: Map;
  marker: MapMarker;
  coordinates: MapCoordinates;
  /** Pixels to the right of the position. */
  shift: number;
}

function MarkerOnMap({ map, marker, coordinates, shift }: MarkerProps) {
  const { label, position, content, onMove } = marker;
  const [longitude, latitude] = toMapPosition(position, coordinates);
  const [element] = useState(() => document.createElement('div'));
  const [shown, setShown] = useState<Marker>();
  const move = useRef(onMove);
  move.current = onMove;
  const isDraggable = onMove !== undefined;
  useEffect(() => {
    const created = new Marker({ element, anchor: 'top', offset: MARKER_OFFSET, draggable: isDraggable })
      .setLngLat([longitude, latitude])
      .addTo(map);
    created.on('dragend', () => {
      const { lng, lat } = created.getLngLat();
      move.current?.(fromMapPosition([lng, lat], coordinates));
    });
    // A click on a marker that can be dragged is not one on the map below it.
    const stop = (event: Event) => isDraggable && event.stopPropagation();
    element.addEventListener('click', stop);
    setShown(created);
    return () => {
      element.removeEventListener('click', stop);
      created.remove();
    };
    // Its position and offset are set below, so that the marker stays the same element.
  }, [map, element, isDraggable, coordinates]);
  useEffect(() => {
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', label);
    shown?.setLngLat([longitude, latitude]).setOffset([MARKER_OFFSET[0] + shift, MARKER_OFFSET[1]]);
  }, [element, label, shown, longitude, latitude, shift]);
  return createPortal(content, element);
}
