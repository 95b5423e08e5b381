import { IsIn, IsOptional, IsUrl, Matches } from 'class-validator';
import { ORIGIN_LIST, URL_OPTIONS } from './text-values.js';

/**
 * Maps of the console that standalone and `npm run dev:split` serve. The edge reads the same settings from
 * `docker/edge/console-maps.conf`.
 */
export class ConsoleEnvironment {
  /**
   * URL of a MapLibre style, with tiles of any provider. If MAP_STYLE_URL is absent, the maps show an outline of the
   * continents, which needs no other server.
   */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  MAP_STYLE_URL?: string;

  /**
   * Comma-separated origins from which the style loads its tiles, fonts and icons, in addition to the origin of
   * MAP_STYLE_URL. The browser refuses all others.
   */
  @IsOptional()
  @Matches(ORIGIN_LIST, {
    message: 'must be comma-separated origins such as https://tiles.example.com, in lower case and without a path',
  })
  MAP_ORIGINS?: string;

  /** Coordinate system of the tiles: `gcj02` for maps of mainland China. */
  @IsIn(['wgs84', 'gcj02'])
  MAP_COORDINATES: 'wgs84' | 'gcj02' = 'wgs84';
}
