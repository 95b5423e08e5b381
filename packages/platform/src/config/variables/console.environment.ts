import { IsIn, IsOptional, IsString, IsUrl, Matches } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { ORIGIN_LIST, URL_OPTIONS } from './text-values.js';

/**
 * Maps of the console that standalone and `npm run dev -- --split` serve. The edge reads the same settings from
 * `docker/edge/console-maps.conf`.
 */
export class ConsoleEnvironment {
  /**
   * URL of a MapLibre style, with tiles of any provider. If MAP_STYLE_URL is absent, the maps show MAP_FILE.
   */
  @SetBy('every operator')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  MAP_STYLE_URL?: string;

  /**
   * Comma-separated origins from which the style loads its tiles, fonts and icons, in addition to the origin of
   * MAP_STYLE_URL. The browser refuses all others.
   */
  @SetBy('every operator')
  @IsOptional()
  @Matches(ORIGIN_LIST, {
    message: 'must be comma-separated origins such as https://tiles.example.com, in lower case and without a path',
  })
  MAP_ORIGINS?: string;

  /**
   * Streets of an area in one PMTiles file with the schema of Protomaps, relative to DATA_DIR; `map.pmtiles` by default,
   * if it exists. Without file and MAP_STYLE_URL, the maps show an outline of the continents, and ask each person about
   * MAP_PUBLIC_TILES.
   */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  MAP_FILE?: string;

  /**
   * Whether a person may choose the streets of OpenFreeMap (tiles.openfreemap.org), which the browser then requests from
   * there. Only without MAP_STYLE_URL and MAP_FILE.
   */
  @SetBy('every operator')
  @IsIn(['yes', 'no'])
  MAP_PUBLIC_TILES: 'yes' | 'no' = 'yes';

  /** Coordinate system of MAP_STYLE_URL: `gcj02` for maps of mainland China. */
  @SetBy('every operator')
  @IsIn(['wgs84', 'gcj02'])
  MAP_COORDINATES: 'wgs84' | 'gcj02' = 'wgs84';
}
