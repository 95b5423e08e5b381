import { expect, test } from '@jest/globals';
import { mapLinksOf } from './map-links.js';

test('mapLinksOf returns a link for each map service, and tells Amap the coordinate system', () => {
  expect(mapLinksOf({ latitude: '31.2304', longitude: '121.4737' })).toEqual({
    apple: 'https://maps.apple.com/?q=31.2304,121.4737',
    google: 'https://www.google.com/maps/search/?api=1&query=31.2304,121.4737',
    amap: 'https://uri.amap.com/marker?position=121.4737,31.2304&coordinate=wgs84',
    openStreetMap: 'https://www.openstreetmap.org/?mlat=31.2304&mlon=121.4737#map=17/31.2304/121.4737',
  });
});
