import type { BoxProps } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChildColor } from '../../families/children/child-color.js';
import type { Position } from './coordinates.js';
import type { MapConfig } from './map-config.js';

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
export type MapColor = ChildColor | 'indigo' | 'gray';

export interface MapArea {
  id: string;
  corners: readonly Position[];
  color: MapColor;
  /** Drawn at the northern end. */
  name?: string;
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
  /** Whether markers that would cover each other are put side by side. */
  spread?: boolean;
  areas?: readonly MapArea[];
  lines?: readonly MapLine[];
  /** Positions that the map shows at first, and again when `viewKey` changes. */
  view: readonly Position[];
  viewKey: string;
  onClick?: ((position: Position) => void) | undefined;
  /** Whether the map stays on the display while the page scrolls: also on a phone, or beside other contents only. */
  sticky?: 'always' | 'wide';
}

/** What the part that knows MapLibre gets. */
export interface MapCanvasProps extends Omit<MapViewProps, 'sticky'> {
  config: MapConfig;
  isFullScreen: boolean;
  onFullScreen: (isFullScreen: boolean) => void;
}
