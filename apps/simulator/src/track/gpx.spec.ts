import { describe, expect, test } from '@jest/globals';
import { GpxError, parseGpx } from './gpx.js';

const toGpx10 = (content: string) =>
  `<?xml version="1.0"?>\n<gpx version="1.0" xmlns="http://www.topografix.com/GPX/1/0">${content}</gpx>\n`;

const toTrack = (points: string) => toGpx10(`<trk><trkseg>${points}</trkseg></trk>`);

describe('parseGpx', () => {
  test('reads points and times of GPX 1.0 and ignores waypoints and routes', () => {
    const text = toGpx10(`
      <time>2010-10-04T05:13:19Z</time>
      <wpt lat="1" lon="2"><name>001</name></wpt>
      <rte><rtept lat="3" lon="4"/></rte>
      <trk><name>walk</name><trkseg>
        <trkpt lat="45.380600095" lon="-14.144491442"><ele>733.6</ele><time>2010-10-03T09:36:30Z</time></trkpt>
        <trkpt lat="45.380618451" lon="14.144523293"/>
      </trkseg></trk>`);
    expect(parseGpx(text)).toEqual([
      [
        { latitude: 45.380600095, longitude: -14.144491442, time: Date.UTC(2010, 9, 3, 9, 36, 30) },
        { latitude: 45.380618451, longitude: 14.144523293 },
      ],
    ]);
  });

  test('reads GPX 1.1 with a namespace prefix, a single point, a byte order mark and times with an offset', () => {
    const text = `\uFEFF<g:gpx version="1.1" xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:trkseg>
      <g:trkpt lon="7" lat="46"><g:time> 2020-12-18T08:15:50.5+02:00 </g:time></g:trkpt></g:trkseg></g:trk></g:gpx>`;
    expect(parseGpx(text)).toEqual([[{ latitude: 46, longitude: 7, time: Date.UTC(2020, 11, 18, 6, 15, 50, 500) }]]);
  });

  test('skips empty tracks and segments, and keeps the order of the others', () => {
    const point = (latitude: number) => `<trkpt lat="${latitude}" lon="0"/>`;
    const text = toGpx10(`
      <trk/><trk><name>none</name></trk>
      <trk><trkseg/><trkseg>
      </trkseg><trkseg>${point(1)}</trkseg></trk>
      <trk><trkseg>${point(2)}${point(3)}</trkseg></trk>`);
    expect(parseGpx(text).map((segment) => segment.map(({ latitude }) => latitude))).toEqual([[1], [2, 3]]);
  });

  test('reads a point with a malformed time as a point without a time', () => {
    expect(parseGpx(toTrack('<trkpt lat="1" lon="2"><time>yesterday</time></trkpt>'))).toEqual([
      [{ latitude: 1, longitude: 2 }],
    ]);
  });

  test.each([
    ['a latitude beyond the pole', toTrack('<trkpt lat="90.1" lon="0"/>'), 'no valid coordinates'],
    ['a longitude beyond the date line', toTrack('<trkpt lat="0" lon="-180.1"/>'), 'no valid coordinates'],
    ['a latitude that is not a number', toTrack('<trkpt lat="north" lon="0"/>'), 'no valid coordinates'],
    ['a point without a latitude', toTrack('<trkpt lon="0"/>'), 'no valid coordinates'],
    ['a file without a track', toGpx10('<wpt lat="1" lon="2"/>'), 'contains no track points'],
    ['an empty gpx element', '<gpx/>', 'contains no track points'],
    ['an XML file of another format', '<kml></kml>', 'not GPX'],
    ['a file that is not XML', 'latitude,longitude\n1,2\n', 'not GPX'],
    ['an empty file', '', 'not GPX'],
    [
      'a file that ends after a point',
      toTrack('<trkpt lat="1" lon="2"/>').replace('</trkseg></trk></gpx>', ''),
      'not complete',
    ],
    ['a file that ends in a point', toTrack('<trkpt lat="1" lon="2"/>').slice(0, -30), 'not XML'],
  ])('rejects %s', (_, text, message) => {
    expect(() => parseGpx(text)).toThrow(GpxError);
    expect(() => parseGpx(text)).toThrow(message);
  });
});
