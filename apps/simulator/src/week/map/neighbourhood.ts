import type { Feature, LineString, Point, Polygon, Position } from 'geojson';
import { PLACES } from '../places.js';
import type { Bounds } from './map-archive.js';

/** Degrees WGS 84: latitude and longitude, like the places. */
type Corner = readonly [latitude: number, longitude: number];

type Shape = Feature<Point | LineString | Polygon, Properties>;
type Properties = Readonly<Record<string, string | number>>;

/** English and Chinese. */
type Names = readonly [english: string, chinese: string];

/** Layers of the schema of Protomaps, whose styles draw them. */
type LayerName = 'earth' | 'landuse' | 'water' | 'roads' | 'buildings' | 'pois' | 'places';

export const BOUNDS: Bounds = { west: 120.1215, south: 30.2615, east: 120.15, north: 30.2925 };

const MAJOR_ROADS: readonly (readonly [Names, readonly Corner[]])[] = [
  [
    ['Ginkgo Street', '银杏街'],
    [
      [30.2769, 120.1252],
      [30.2765, 120.129],
      [30.2764, 120.1318],
      [30.2762, 120.1387],
      [30.2759, 120.1475],
    ],
  ],
  [
    ['Osmanthus Road', '桂花路'],
    [
      [30.29, 120.1324],
      [30.279, 120.1319],
      [30.2764, 120.1318],
      [30.2739, 120.1311],
      [30.2691, 120.1313],
      [30.2655, 120.1315],
    ],
  ],
  [
    ['School Road', '学院路'],
    [
      [30.29, 120.1392],
      [30.281, 120.1388],
      [30.2762, 120.1387],
    ],
  ],
];

const MINOR_ROADS: readonly (readonly [Names, readonly Corner[]])[] = [
  [
    ['Willow Lane', '柳巷'],
    [
      [30.2848, 120.1252],
      [30.2851, 120.1322],
      [30.2849, 120.139],
      [30.2846, 120.1475],
    ],
  ],
  [
    ['Plum Street', '梅花街'],
    [
      [30.2788, 120.1251],
      [30.279, 120.1319],
      [30.2792, 120.1352],
      [30.2791, 120.1388],
      [30.2789, 120.1475],
    ],
  ],
  [
    ['Library Street', '书院街'],
    [
      [30.2811, 120.1321],
      [30.281, 120.1353],
      [30.281, 120.1388],
      [30.2812, 120.1475],
    ],
  ],
  [
    ['Bamboo Street', '竹林街'],
    [
      [30.2764, 120.1333],
      [30.2749, 120.133],
      [30.2724, 120.1333],
      [30.2691, 120.1336],
      [30.2655, 120.1338],
    ],
  ],
  [
    ['Lotus Lane', '荷花巷'],
    [
      [30.29, 120.1357],
      [30.281, 120.1353],
      [30.2792, 120.1352],
      [30.2763, 120.1351],
    ],
  ],
  [
    ['Canal Street', '运河街'],
    [
      [30.29, 120.1287],
      [30.2848, 120.1286],
      [30.2765, 120.129],
      [30.2748, 120.1291],
      [30.274, 120.1289],
      [30.2691, 120.1287],
      [30.2666, 120.1289],
    ],
  ],
  [
    ['Tea Street', '茶叶街'],
    [
      [30.2749, 120.1251],
      [30.2748, 120.1291],
      [30.2749, 120.133],
      [30.2751, 120.1358],
    ],
  ],
  [
    ['Park Street', '公园街'],
    [
      [30.2739, 120.1311],
      [30.274, 120.1289],
    ],
  ],
  [
    ['Park Street', '公园街'],
    [
      [30.2722, 120.1287],
      [30.2723, 120.1312],
      [30.2724, 120.1333],
      [30.2724, 120.136],
    ],
  ],
  [
    ['Harbour Street', '码头街'],
    [
      [30.269, 120.1258],
      [30.2691, 120.1313],
      [30.2691, 120.1336],
      [30.2688, 120.1475],
    ],
  ],
  [
    ['Orchard Road', '果园路'],
    [
      [30.29, 120.1432],
      [30.2812, 120.1429],
      [30.276, 120.1428],
      [30.2688, 120.1431],
    ],
  ],
];

const FOOTPATHS: readonly (readonly Corner[])[] = [
  [
    [30.2758, 120.1395],
    [30.274, 120.1398],
    [30.2725, 120.1391],
    [30.2724, 120.136],
  ],
  [
    [30.2725, 120.1391],
    [30.271, 120.1385],
    [30.269, 120.1388],
  ],
  [
    [30.2725, 120.1391],
    [30.2722, 120.1416],
    [30.2738, 120.1428],
  ],
];

/** The river with both banks: it comes from the north-west and turns to the east. */
const RIVER: readonly Corner[] = [
  [30.2925, 120.1236],
  [30.282, 120.1241],
  [30.2745, 120.124],
  [30.269, 120.1247],
  [30.2656, 120.1275],
  [30.264, 120.1328],
  [30.2636, 120.1405],
  [30.2641, 120.15],
  [30.2628, 120.15],
  [30.2622, 120.1405],
  [30.2627, 120.1324],
  [30.2646, 120.1266],
  [30.2684, 120.1236],
  [30.2744, 120.1227],
  [30.282, 120.1228],
  [30.2925, 120.1222],
];

const POND: readonly Corner[] = [
  [30.2722, 120.1398],
  [30.2718, 120.1408],
  [30.2709, 120.1411],
  [30.2704, 120.1404],
  [30.2707, 120.1395],
  [30.2716, 120.1393],
];

/** Blocks with houses; the boundaries are those of the streets around them. Houses stand in rows. */
const BLOCKS: readonly { south: number; west: number; north: number; east: number; rows: number; houses: number }[] = [
  { south: 30.2771, west: 120.1294, north: 30.2786, east: 120.1315, rows: 2, houses: 3 },
  { south: 30.2771, west: 120.1258, north: 30.2785, east: 120.1285, rows: 2, houses: 4 },
  { south: 30.2752, west: 120.1294, north: 30.2761, east: 120.1312, rows: 1, houses: 3 },
  { south: 30.2752, west: 120.1256, north: 30.2763, east: 120.1287, rows: 1, houses: 4 },
  { south: 30.2794, west: 120.1256, north: 30.2844, east: 120.1284, rows: 4, houses: 3 },
  { south: 30.2795, west: 120.1292, north: 30.2844, east: 120.1316, rows: 4, houses: 3 },
  { south: 30.2815, west: 120.1325, north: 30.2845, east: 120.135, rows: 2, houses: 3 },
  { south: 30.2768, west: 120.1323, north: 30.2786, east: 120.1348, rows: 2, houses: 3 },
  { south: 30.2767, west: 120.1356, north: 30.2788, east: 120.1384, rows: 2, houses: 3 },
  { south: 30.2766, west: 120.1393, north: 30.2786, east: 120.1424, rows: 2, houses: 4 },
  { south: 30.2816, west: 120.1394, north: 30.2843, east: 120.1425, rows: 2, houses: 4 },
  { south: 30.2694, west: 120.1292, north: 30.2719, east: 120.1308, rows: 2, houses: 2 },
  { south: 30.2695, west: 120.1317, north: 30.272, east: 120.133, rows: 2, houses: 2 },
  { south: 30.266, west: 120.1293, north: 30.2687, east: 120.131, rows: 2, houses: 2 },
  { south: 30.266, west: 120.1342, north: 30.2686, east: 120.14, rows: 2, houses: 5 },
  { south: 30.2728, west: 120.1337, north: 30.2746, east: 120.1355, rows: 2, houses: 2 },
];

/** Part of a house's space that it fills. */
const HOUSE_SHARE = 0.62;

const SCHOOL_GROUND = rectangle(30.2796, 120.1357, 30.2822, 120.1384);
const PARK_GROUND = rectangle(30.2695, 120.136, 30.2756, 120.1426);
const PITCH = rectangle(30.2798, 120.1372, 30.2805, 120.1382);
const SCHOOL_HOUSES = [
  rectangle(30.2813, 120.1359, 30.2816, 120.1374),
  rectangle(30.2806, 120.1359, 30.2813, 120.1362),
  rectangle(30.2799, 120.1359, 30.2802, 120.1369),
];

/**
 * The quarter around the places of the week, as the project has drawn it: nothing of it is from a real map. The features
 * have the properties of the schema of Protomaps.
 */
export const NEIGHBOURHOOD: Readonly<Record<LayerName, readonly Shape[]>> = {
  earth: [polygon(rectangle(BOUNDS.south, BOUNDS.west, BOUNDS.north, BOUNDS.east), { kind: 'earth' })],
  landuse: [
    polygon(PARK_GROUND, { kind: 'park' }),
    polygon(SCHOOL_GROUND, { kind: 'school' }),
    polygon(PITCH, { kind: 'pitch' }),
  ],
  water: [polygon(RIVER, { kind: 'river' }), polygon(POND, { kind: 'lake' })],
  roads: [
    ...FOOTPATHS.map((corners) => line(corners, { kind: 'path', kind_detail: 'footway', min_zoom: 13 })),
    ...MINOR_ROADS.map(([names, corners]) =>
      line(corners, { kind: 'minor_road', kind_detail: 'residential', min_zoom: 12, ...named(names) }),
    ),
    ...MAJOR_ROADS.map(([names, corners]) =>
      line(corners, { kind: 'major_road', kind_detail: 'secondary', min_zoom: 11, ...named(names) }),
    ),
  ],
  buildings: [...SCHOOL_HOUSES, ...BLOCKS.flatMap(housesOf)].map((corners) => polygon(corners, { kind: 'building' })),
  pois: [
    point(PLACES.school.corner, { kind: 'school', ...named(['Osmanthus School', '桂花小学']) }),
    point([30.2733, 120.1375], { kind: 'park', ...named(['Canal Park', '运河公园']) }),
  ].map((feature) => ({ ...feature, properties: { ...feature.properties, min_zoom: 13 } })),
  places: [
    point([30.2781, 120.1335], {
      kind: 'neighbourhood',
      kind_detail: 'neighbourhood',
      min_zoom: 12,
      ...named(['Osmanthus Quarter', '桂花里']),
    }),
  ],
};

function named([english, chinese]: Names) {
  return { name: chinese, 'name:en': english, 'name:zh': chinese };
}

function housesOf({ south, west, north, east, rows, houses }: (typeof BLOCKS)[number]): Corner[][] {
  const [height, width] = [(north - south) / rows, (east - west) / houses];
  return Array.from({ length: rows * houses }, (_, index) => {
    const [bottom, left] = [south + Math.floor(index / houses) * height, west + (index % houses) * width];
    // Each third house is shorter, so that a row does not look like a barcode.
    const share = index % 3 === 0 ? HOUSE_SHARE * 0.7 : HOUSE_SHARE;
    return rectangle(bottom, left, bottom + height * share, left + width * HOUSE_SHARE);
  });
}

function rectangle(south: number, west: number, north: number, east: number): Corner[] {
  return [
    [south, west],
    [south, east],
    [north, east],
    [north, west],
  ];
}

function polygon(corners: readonly Corner[], properties: Properties): Shape {
  return feature({ type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)].map(toPosition)] }, properties);
}

function line(corners: readonly Corner[], properties: Properties): Shape {
  return feature({ type: 'LineString', coordinates: corners.map(toPosition) }, properties);
}

function point(corner: Corner, properties: Properties): Shape {
  return feature({ type: 'Point', coordinates: toPosition(corner) }, properties);
}

function feature(geometry: Shape['geometry'], properties: Properties): Shape {
  return { type: 'Feature', geometry, properties };
}

function toPosition([latitude, longitude]: Corner): Position {
  return [longitude, latitude];
}
