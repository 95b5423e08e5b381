import 'maplibre-gl/dist/maplibre-gl.css';
import { ActionIcon, Alert, Box, Stack, useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { TbFocusCentered, TbMap2, TbMaximize, TbMinimize, TbMinus, TbPlus } from 'react-icons/tb';
import { AttributionControl, LngLatBounds, Map, Marker, ScaleControl, type GeoJSONSource } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { AREA_SOURCE, createAreaStyle } from './area-style.js';
import { fromMapPosition, toMapPosition, type MapCoordinates, type Position } from './coordinates.js';
import { OUTLINE_MAP } from './map-config.js';
import type { MapCanvasProps, MapMarker } from './map-contents.js';
import { createOutlineStyle, loadLand } from './outline-style.js';
import { PUBLIC_STYLES, PublicTilesQuestion, usePublicTilesChoice } from './public-tiles.js';
import { spreadMarkers } from './spread-markers.js';

/** Zoom at which a street is readable; the view is not closer at first. */
const MAX_VIEW_ZOOM = 16;
/** Space for markers with their captions, and for the buttons. */
const VIEW_PADDING_PIXELS = { top: 48, right: 92, bottom: 80, left: 92 };
const AREAS = 'family-watch-areas';
const LINES = 'family-watch-lines';
const NAMES = 'family-watch-names';
const SHADE = 6;
const [LIGHT_SHADE, DARK_SHADE] = [2, 9];
/** The first 44 px of a marker are centred on its position; a caption is below them. */
const MARKER_OFFSET: [number, number] = [0, -22];
/** Above the bar of the page and below dialogs. Phones of Apple have no full screen for a part of a page. */
const FULL_SCREEN = { pos: 'fixed', inset: 0, bg: 'body', style: { zIndex: 150 } } as const;
const NO_MARKERS: readonly MapMarker[] = [];

/** A map with markers, areas and lines. The only part of the page that knows MapLibre and the coordinates of the map. */
export default function MapCanvas({ config, isFullScreen, onFullScreen: setFullScreen, ...props }: MapCanvasProps) {
  const { t } = useTranslation('map');
  const { label, height, markers = NO_MARKERS, spread = false, areas = [], lines = [], view, viewKey, onClick } = props;
  const container = useRef<HTMLDivElement>(null);
  const colorScheme = useComputedColorScheme();
  const { colors } = useMantineTheme();
  const [choice, choose] = usePublicTilesChoice();
  const configured = config.hasPublicTiles && choice === 'yes' ? PUBLIC_STYLES[colorScheme] : config.styleUrl;
  // If the style or the file cannot be loaded, the outline replaces it, which has its own coordinates.
  const [failedStyle, setFailedStyle] = useState<string>();
  const hasStyleFailed = failedStyle !== undefined && failedStyle === (configured ?? config.file);
  const { file, coordinates } = hasStyleFailed ? OUTLINE_MAP : config;
  const styleUrl = hasStyleFailed ? null : configured;
  const map = useMap({ container, styleUrl, file, colorScheme, label, onStyleError: setFailedStyle });
  useHotkeys(isFullScreen ? [['Escape', () => setFullScreen(false)]] : []);
  useEffect(() => {
    // On a page that scrolls, one finger scrolls the page and not the map.
    if (isFullScreen) map?.cooperativeGestures.disable();
    else map?.cooperativeGestures.enable();
  }, [map, isFullScreen]);

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
    void map?.getSource<GeoJSONSource>(NAMES)?.setData({
      type: 'FeatureCollection',
      features: areas.flatMap(({ name, corners, color }) => {
        const [first, ...others] = corners;
        if (name === undefined || !first) return [];
        const northmost = others.reduce((north, corner) => (corner[1] > north[1] ? corner : north), first);
        const geometry = { type: 'Point' as const, coordinates: toMap(northmost) };
        const [dark, light] = [colors[color][DARK_SHADE], colors[color][LIGHT_SHADE]];
        const [text, halo] = colorScheme === 'light' ? [dark, 'white'] : [light, 'black'];
        return [{ type: 'Feature' as const, properties: { name, text, halo }, geometry }];
      }),
    });
    void map?.getSource<GeoJSONSource>(LINES)?.setData({
      type: 'FeatureCollection',
      features: lines.map(({ positions, color }) => ({
        type: 'Feature',
        properties: { color: colors[color][SHADE] },
        geometry: { type: 'LineString', coordinates: positions.map(toMap) },
      })),
    });
  }, [map, areas, lines, colors, colorScheme, coordinates]);

  const shifts = useMarkerShifts(map, spread ? markers : NO_MARKERS, coordinates);

  const showView = (animate: boolean) => {
    if (!map || view.length === 0) return;
    const bounds = new LngLatBounds();
    for (const position of view) bounds.extend(toMapPosition(position, coordinates));
    map.fitBounds(bounds, { padding: VIEW_PADDING_PIXELS, maxZoom: MAX_VIEW_ZOOM, animate });
  };
  const isFirstView = useRef(true);
  useEffect(() => {
    if (!map || view.length === 0) return;
    showView(!isFirstView.current);
    isFirstView.current = false;
    // The view follows its key, so that a person who has moved the map keeps what she looks at.
  }, [map, viewKey, coordinates]);
  // After the first view, which decides whether the outline can be seen.
  useEffect(() => (map && styleUrl == null ? loadLand(map) : undefined), [map, styleUrl]);

  return (
    <>
      <Box {...(isFullScreen ? FULL_SCREEN : { pos: 'relative' })}>
        {/* The canvas of MapLibre is the region with the label of the map. */}
        <Box
          ref={container}
          h={isFullScreen ? '100dvh' : height}
          style={{ borderRadius: isFullScreen ? 0 : 8, overflow: 'hidden' }}
        />
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
              {view.length > 0 && (
                <ActionIcon variant="default" aria-label={t('recentre')} onClick={() => showView(true)}>
                  <TbFocusCentered aria-hidden />
                </ActionIcon>
              )}
              <ActionIcon
                variant="default"
                aria-label={t(isFullScreen ? 'endFullScreen' : 'fullScreen')}
                onClick={() => setFullScreen(!isFullScreen)}
              >
                {isFullScreen ? <TbMinimize aria-hidden /> : <TbMaximize aria-hidden />}
              </ActionIcon>
              {config.hasPublicTiles && choice !== 'undecided' && (
                <ActionIcon
                  variant={choice === 'yes' ? 'filled' : 'default'}
                  aria-label={t('publicTiles')}
                  aria-pressed={choice === 'yes'}
                  onClick={() => choose(choice === 'yes' ? 'no' : 'yes')}
                >
                  <TbMap2 aria-hidden />
                </ActionIcon>
              )}
            </Stack>
          </>
        )}
      </Box>
      {config.hasPublicTiles && choice === 'undecided' && <PublicTilesQuestion onChoose={choose} />}
      {hasStyleFailed && (
        <Alert color="gray" role="status" mt="xs">
          {t('styleFailed')}
        </Alert>
      )}
    </>
  );
}

interface MapOptions {
  container: React.RefObject<HTMLDivElement | null>;
  styleUrl: string | null;
  /** Path of the streets of an area, without a style. */
  file: string | null;
  colorScheme: 'light' | 'dark';
  label: string;
  onStyleError: (failed: string) => void;
}

/** Returns the map when its style is loaded. A failure to create it is thrown while rendering. */
function useMap({ container, styleUrl, file, colorScheme, label, onStyleError }: MapOptions): Map | undefined {
  const { t } = useTranslation('map');
  const [language] = useLanguage();
  // A map of earlier options is removed: it must not be used even once more.
  const key = JSON.stringify([styleUrl, file, colorScheme, label, language]);
  const [loaded, setLoaded] = useState<{ map: Map; key: string }>();
  const [failure, setFailure] = useState<Error>();
  const styleError = useRef(onStyleError);
  styleError.current = onStyleError;
  useEffect(() => {
    if (!container.current) return undefined;
    const ownStyle = () =>
      file === null ? createOutlineStyle(colorScheme) : createAreaStyle(file, colorScheme, language);
    let created: Map;
    try {
      created = new Map({
        container: container.current,
        style: styleUrl ?? ownStyle(),
        attributionControl: false,
        dragRotate: false,
        pitchWithRotate: false,
        touchPitch: false,
        locale: {
          'Map.Title': label,
          'AttributionControl.ToggleAttribution': t('attribution'),
          'ScaleControl.Meters': t('metres'),
          'ScaleControl.Kilometers': t('kilometres'),
          'CooperativeGesturesHandler.MobileHelpText': t('twoFingers'),
          'CooperativeGesturesHandler.WindowsHelpText': t('ctrlScroll'),
          'CooperativeGesturesHandler.MacHelpText': t('commandScroll'),
        },
      });
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error('The map failed', { cause: error }));
      return undefined;
    }
    let isEnded = false;
    created.touchZoomRotate.disableRotation();
    created.addControl(new ScaleControl({}), 'bottom-left');
    created.addControl(new AttributionControl({ compact: true }), 'bottom-right');
    created.on('error', (event) => {
      if (isEnded) return;
      // A tile that cannot be loaded, such as without a connection, leaves the others on the map.
      const hasFailed = styleUrl === null ? isAreaFailure(event) : !created.isStyleLoaded();
      const source = styleUrl ?? file;
      if (hasFailed && source !== null) styleError.current(source);
    });
    void created.once('style.load', () => {
      if (isEnded) return;
      addOverlays(created);
      setLoaded({ map: created, key });
    });
    return () => {
      isEnded = true;
      setLoaded(undefined);
      created.remove();
    };
  }, [container, styleUrl, file, colorScheme, label, language, t, key]);
  if (failure) throw failure;
  return loaded?.key === key ? loaded.map : undefined;
}

function isAreaFailure(event: object): boolean {
  return 'sourceId' in event && event.sourceId === AREA_SOURCE && !('tile' in event);
}

function addOverlays(map: Map): void {
  const empty = { type: 'FeatureCollection' as const, features: [] };
  map.addSource(AREAS, { type: 'geojson', data: empty, tolerance: 0 });
  map.addSource(NAMES, { type: 'geojson', data: empty });
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
  map.addLayer({
    id: NAMES,
    type: 'symbol',
    source: NAMES,
    // OpenFreeMap has this font. The browser draws the text of a style without fonts.
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['Noto Sans Regular'],
      'text-size': 14,
      'text-anchor': 'bottom',
    },
    paint: { 'text-color': ['get', 'text'], 'text-halo-color': ['get', 'halo'], 'text-halo-width': 1.5 },
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
