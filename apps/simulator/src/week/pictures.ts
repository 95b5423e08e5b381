import sharp from 'sharp';
import type { Temporal } from 'temporal-polyfill';

export const PICTURE_SIZE = { width: 960, height: 720 } as const;

const { width: WIDTH, height: HEIGHT } = PICTURE_SIZE;
const HORIZON = 430;
const JPEG_QUALITY = 82;

/** Colours of the sky, from top to horizon, and the hour from which they apply. */
type Sky = readonly [hour: number, top: string, horizon: string];
const NIGHT_SKY: Sky = [0, '#0b1533', '#24365e'];
const SKIES: readonly Sky[] = [
  NIGHT_SKY,
  [6, '#f6a56b', '#fde3b4'],
  [9, '#4ea3e0', '#cfeaf9'],
  [16, '#6f9fd8', '#f9d9a8'],
  [18, '#5b4b8a', '#f08a5d'],
  [20, '#101c3f', '#2f3f6b'],
];
const GROUNDS = ['#5f9e4f', '#7bb661', '#8fae4b', '#4f8f6b', '#a3b86c'];
const BRIGHT = ['#e4572e', '#f2b134', '#2e86ab', '#a23b72', '#ef6f9b', '#3bb273'];

/** Draws the foreground of a picture. @param random - returns a number from 0 until before 1 that differs per call */
type Motif = (random: () => number) => string;

const MOTIFS: readonly Motif[] = [drawTrees, drawHouses, drawKites, drawFlowers, drawBoat, drawBalloons];

/**
 * Draws a picture as a phone would take it: a JPEG file with the local capture time in its metadata. Different numbers
 * and times give different pictures; the same ones give the same picture.
 */
export function drawPicture(number: number, capturedAt: Temporal.ZonedDateTime): Promise<Buffer> {
  const random = randomNumbers(number + 1);
  const motif = MOTIFS[number % MOTIFS.length] ?? drawTrees;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">`,
    drawSky(capturedAt.hour, random),
    drawHills(random),
    motif(random),
    '</svg>',
  ].join('');
  const [date, time] = [
    capturedAt.toPlainDate().toString(),
    capturedAt.toPlainTime().toString({ smallestUnit: 'second' }),
  ];
  const exif = { DateTimeOriginal: `${date.replaceAll('-', ':')} ${time}`, OffsetTimeOriginal: capturedAt.offset };
  return sharp(Buffer.from(svg)).withExif({ IFD2: exif }).jpeg({ quality: JPEG_QUALITY }).toBuffer();
}

function drawSky(hour: number, random: () => number): string {
  const [, top, horizon] = SKIES.findLast(([from]) => hour >= from) ?? NIGHT_SKY;
  const isNight = hour >= 20 || hour < 6;
  const [x, y] = [120 + random() * 720, 80 + random() * 160];
  const gradient = `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${horizon}"/></linearGradient>`;
  const clouds = Array.from({ length: isNight ? 0 : 3 }, () => {
    const [cloudX, cloudY] = [random() * WIDTH, 60 + random() * 180];
    return `<g fill="#fff" opacity="0.75">${ellipse(cloudX, cloudY, 90, 26)}${ellipse(cloudX + 50, cloudY - 20, 60, 30)}</g>`;
  });
  return [
    `<defs>${gradient}</defs><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>`,
    `<g fill="${isNight ? '#f4f1de' : '#ffe08a'}">${ellipse(x, y, 48, 48)}</g>`,
    ...clouds,
  ].join('');
}

function drawHills(random: () => number): string {
  const ground = choose(GROUNDS, random);
  const hills = Array.from({ length: 4 }, (_, index) =>
    ellipse(index * 300 + random() * 120, HORIZON + 60, 260 + random() * 120, 90 + random() * 130),
  );
  return [
    `<g fill="${choose(GROUNDS, random)}" opacity="0.7">${hills.join('')}</g>`,
    `<rect y="${HORIZON}" width="${WIDTH}" height="${HEIGHT - HORIZON}" fill="${ground}"/>`,
  ].join('');
}

function drawTrees(random: () => number): string {
  return repeat(7, () => {
    const [x, y] = [random() * WIDTH, HORIZON + 40 + random() * 180];
    const crown = `<g fill="${choose(['#2f6b3a', '#3f8a4a', '#c96f2b', '#d9a441'], random)}">${ellipse(x, y - 110, 58, 76)}</g>`;
    return `<rect x="${x - 9}" y="${y - 60}" width="18" height="70" fill="#6b4a2f"/>${crown}`;
  });
}

function drawHouses(random: () => number): string {
  return repeat(4, (index) => {
    const [x, height] = [60 + index * 225, 120 + random() * 130];
    const y = HORIZON + 120 - height;
    const windows = repeat(4, (window) => {
      const [windowX, windowY] = [x + 25 + (window % 2) * 70, y + 25 + Math.floor(window / 2) * 55];
      return `<rect x="${windowX}" y="${windowY}" width="38" height="32" fill="#fff3c4"/>`;
    });
    return [
      `<rect x="${x}" y="${y}" width="160" height="${height}" fill="${choose(BRIGHT, random)}"/>`,
      `<path d="M${x - 18} ${y} L${x + 80} ${y - 80} L${x + 178} ${y} Z" fill="#7a3b2e"/>${windows}`,
    ].join('');
  });
}

function drawKites(random: () => number): string {
  return repeat(4, () => {
    const [x, y] = [100 + random() * 760, 90 + random() * 260];
    return [
      `<path d="M${x} ${y + 70} Q${x - 80} ${y + 220} ${WIDTH / 2} ${HEIGHT - 90}" stroke="#fff" fill="none" stroke-width="2"/>`,
      `<path d="M${x} ${y - 70} L${x + 52} ${y} L${x} ${y + 70} L${x - 52} ${y} Z" fill="${choose(BRIGHT, random)}"/>`,
    ].join('');
  });
}

function drawFlowers(random: () => number): string {
  return repeat(16, () => {
    const [x, y, size] = [random() * WIDTH, HORIZON + 60 + random() * 230, 14 + random() * 16];
    const petals = repeat(5, (index) => {
      const angle = (index * 2 * Math.PI) / 5;
      return ellipse(x + Math.cos(angle) * size, y + Math.sin(angle) * size, size * 0.7, size * 0.7);
    });
    return `<g fill="${choose(BRIGHT, random)}">${petals}</g><g fill="#ffd166">${ellipse(x, y, size * 0.6, size * 0.6)}</g>`;
  });
}

function drawBoat(random: () => number): string {
  const x = 220 + random() * 420;
  const y = HORIZON + 130;
  return [
    `<rect y="${HORIZON}" width="${WIDTH}" height="${HEIGHT - HORIZON}" fill="#4f91b5"/>`,
    `<path d="M${x} ${y - 20} L${x} ${y - 230} L${x + 150} ${y - 40} Z" fill="${choose(BRIGHT, random)}"/>`,
    `<path d="M${x - 120} ${y - 10} L${x + 170} ${y - 10} L${x + 110} ${y + 50} L${x - 70} ${y + 50} Z" fill="#7a3b2e"/>`,
    `<g fill="#fff" opacity="0.35">${repeat(6, () => ellipse(random() * WIDTH, y + 60 + random() * 110, 70, 5))}</g>`,
  ].join('');
}

function drawBalloons(random: () => number): string {
  return repeat(9, () => {
    const [x, y] = [80 + random() * 800, 120 + random() * 330];
    const string = `<path d="M${x} ${y + 62} q14 60 0 120" stroke="#444" fill="none" stroke-width="2"/>`;
    return `${string}<g fill="${choose(BRIGHT, random)}">${ellipse(x, y, 48, 62)}</g>`;
  });
}

const ellipse = (x: number, y: number, radiusX: number, radiusY: number): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${radiusX}" ry="${radiusY}"/>`;

const repeat = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('');

function choose(values: readonly string[], random: () => number): string {
  return values[Math.floor(random() * values.length)] ?? '';
}

/** Returns a generator of numbers from 0 until before 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed * 7_919;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
