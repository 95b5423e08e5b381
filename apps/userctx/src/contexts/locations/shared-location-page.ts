import { createHash } from 'node:crypto';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { SharedLocationDto } from '@family-watch/domain/locations/dto/location-share.dto';

const PAGE_STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
dt{opacity:.7}dd{margin:0 0 1rem}`;

/** Content security policy that allows only the page's own style: no scripts, images, maps or external resources. */
export const PAGE_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Interval in seconds at which the browser reloads the page. */
const REFRESH_SECONDS = 30;
const MINUTE_MS = 60_000;

/**
 * Renders the HTML page of a location share.
 * @param now - Unix milliseconds
 */
export function renderSharedLocationPage({ title, location, expiresAt }: SharedLocationDto, now: number): string {
  const heading = title ?? 'Shared location';
  return renderPage(
    heading,
    `<h1>${escapeHtml(heading)}</h1>
${location ? renderLocation(location, now) : '<p>The location is currently unknown.</p>'}
<p>This page refreshes every ${REFRESH_SECONDS} seconds until ${formatTime(expiresAt)}.</p>`,
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
  );
}

export function renderExpiredLinkPage(): string {
  return renderPage('Link not available', '<h1>Link not available</h1>\n<p>This link is invalid or has expired.</p>');
}

/**
 * Links the location with a `geo:` URI (RFC 5870), which opens the map app of the person who reads the page. The page
 * itself sends the location to no map service.
 */
function renderLocation({ latitude, longitude, radius, positionTime }: Location, now: number): string {
  const coordinates = `${escapeHtml(latitude)},${escapeHtml(longitude)}`;
  return `<dl>
<dt>Location</dt><dd><a href="geo:${coordinates};u=${radius}">${coordinates}</a>, within ${radius} m</dd>
<dt>Updated</dt><dd>${formatAge(now - positionTime)}, at ${formatTime(positionTime)}</dd>
</dl>`;
}

function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  if (minutes < 1) return 'just now';
  return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
}

function formatTime(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T');
  return `<time datetime="${date}T${clock}">${date} ${clock.slice(0, 5)} UTC</time>`;
}

function renderPage(title: string, body: string, extraHead = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>${extraHead}</head>
<body>
${body}
</body>
</html>
`;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? '');
}
