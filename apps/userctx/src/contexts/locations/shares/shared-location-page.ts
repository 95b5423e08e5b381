import { createHash } from 'node:crypto';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { SharedLocationDto } from '@family-watch/domain/locations/dto/location-share.dto';

const STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
dt{opacity:.7}dd{margin:0 0 1rem}`;

/** The page has its own style and nothing else: no script, no picture, no map, and nothing from elsewhere. */
export const PAGE_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Seconds after which a browser looks again. */
const REFRESH = 30;
const MINUTE = 60_000;

/** @param now - Unix milliseconds */
export function sharedLocationPage({ title, location, expiresAt }: SharedLocationDto, now: number): string {
  const heading = title ?? 'Shared position';
  return page(
    heading,
    `<h1>${escaped(heading)}</h1>
${location ? placeOf(location, now) : '<p>The position is not known at the moment.</p>'}
<p>This page looks again every ${REFRESH} seconds until ${timeOf(expiresAt)}.</p>`,
    `<meta http-equiv="refresh" content="${REFRESH}">`,
  );
}

export function expiredLinkPage(): string {
  return page('Nothing here', '<h1>Nothing here</h1>\n<p>This link is unknown or has expired.</p>');
}

/** The reader's own map opens by a `geo:` address (RFC 5870), so that no map service is told of it by this page. */
function placeOf({ latitude, longitude, radius, positionTime }: Location, now: number): string {
  const place = `${escaped(latitude)},${escaped(longitude)}`;
  return `<dl>
<dt>Place</dt><dd><a href="geo:${place};u=${radius}">${place}</a>, within ${radius} m</dd>
<dt>Seen</dt><dd>${ageOf(now - positionTime)}, at ${timeOf(positionTime)}</dd>
</dl>`;
}

function ageOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE);
  if (minutes < 1) return 'just now';
  return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
}

function timeOf(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T');
  return `<time datetime="${date}T${clock}">${date} ${clock.slice(0, 5)} UTC</time>`;
}

function page(title: string, body: string, more = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${STYLE}</style>${more}</head>
<body>
${body}
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
