import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { MAP_SERVICES, mapLinksOf, type MapService } from '@family-watch/domain/locations/contracts/map-links';
import { SharedLocationDto } from '@family-watch/domain/locations/dto/location-share.dto';
import { escapeHtml } from '@family-watch/platform/http/escape-html';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { LocationSharesService, type ShareDetails } from './location-shares.service.js';
import { drawLocation } from './shared-location-drawing.js';

const PAGE_STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
dt{opacity:.7}dd{margin:0 0 1rem}
:root{color-scheme:light dark}a{display:inline-block;padding:.4rem 0}a[rel]{margin-right:1rem}
svg{display:block;width:100%;border:1px solid;border-radius:.5rem;margin:1rem 0}
text,.ink{fill:currentColor;font-size:14px}.ink{stroke:currentColor;stroke-width:2}path.ink{fill-opacity:0}
.grid{stroke:currentColor;stroke-opacity:.12;fill:none}
.area{fill:#12b886;fill-opacity:.25;stroke:#0ca678}.dot{fill:#0ca678;stroke:#fff;stroke-width:2}`;

/** Content security policy that allows the style of the page, and no scripts, images or external resources. */
export const PAGE_SECURITY_POLICY = [
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
export function renderSharedLocationPage(
  { title, location, expiresAt, sharedBy, timeZone, battery, charging }: SharedLocationDto & Partial<ShareDetails>,
  now: number,
): string {
  const heading = title ?? 'Shared location';
  const zone = timeZone ?? 'UTC';
  const rows = [
    ...(location ? locationRows(location, now, zone) : []),
    ...(typeof battery === 'number' ? [['Battery', `${battery} %${charging === true ? ', charging' : ''}`]] : []),
    ...(typeof sharedBy === 'string' ? [['Shared by', escapeHtml(sharedBy)]] : []),
  ];
  return renderPage(
    heading,
    `<h1>${escapeHtml(heading)}</h1>
${location ? drawLocation(location.radius) : '<p>The location is currently unknown.</p>'}
<dl>
${rows.map(([term, description]) => `<dt>${term}</dt><dd>${description}</dd>`).join('\n')}
</dl>
<p>This page refreshes every ${REFRESH_SECONDS} seconds until ${formatTime(expiresAt, zone)}.</p>`,
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
  );
}

export function renderExpiredLinkPage(): string {
  return renderPage('Link not available', '<h1>Link not available</h1>\n<p>This link is invalid or has expired.</p>');
}

const MAP_NAMES: Readonly<Record<MapService, string>> = {
  apple: 'Apple Maps',
  google: 'Google Maps',
  amap: 'Amap',
  openStreetMap: 'OpenStreetMap',
};

/**
 * The coordinates open the map app of a phone by a `geo:` URI (RFC 5870), and links open map services in any browser. The
 * page itself sends the location to no map service.
 */
function locationRows(location: Location, now: number, timeZone: string): string[][] {
  const { latitude, longitude, radius, positionTime } = location;
  const coordinates = `${escapeHtml(latitude)},${escapeHtml(longitude)}`;
  const links = mapLinksOf(location);
  return [
    ['Location', `<a href="geo:${coordinates};u=${radius}">${coordinates}</a>, within ${radius} m`],
    [
      'Open in (the map service then learns the location)',
      MAP_SERVICES.map((name) => `<a href="${escapeHtml(links[name])}" rel="noreferrer">${MAP_NAMES[name]}</a>`).join(
        ' ',
      ),
    ],
    ['Updated', `${formatAge(now - positionTime)}, at ${formatTime(positionTime, timeZone)}`],
  ];
}

function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  if (minutes < 1) return 'just now';
  return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
}

/** The page has no script that would know the time zone of the reader, so that it names the one of its times. */
function formatTime(time: number, timeZone: string): string {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(time);
  return `<time datetime="${new Date(time).toISOString()}">${local} ${timeZone.replaceAll('_', ' ')}</time>`;
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

/** Headers of every response, which prevent caching, indexing and passing the URL on as a referrer. */
const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': PAGE_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  vary: 'accept',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

@ApiTags('Locations')
@Controller('share')
export class SharedLocationController {
  constructor(private readonly shares: LocationSharesService) {}

  @Get(':token')
  @ApiProduces('application/json', 'text/html')
  @Operation({
    id: 'getSharedLocation',
    access: 'public',
    summary: 'Get a shared location',
    description: 'Returns an HTML page to browsers and JSON otherwise.',
    response: SharedLocationDto,
    errors: ['LINK_NOT_FOUND'],
  })
  async show(
    @Param('token') token: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SharedLocationDto | string> {
    void reply.headers(RESPONSE_HEADERS);
    if (accept?.includes('text/html') !== true) return this.shares.resolve(token);
    void reply.type('text/html; charset=utf-8');
    try {
      return renderSharedLocationPage(await this.shares.resolveForPage(token), Date.now());
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'LINK_NOT_FOUND') throw error;
      void reply.code(error.status);
      return renderExpiredLinkPage();
    }
  }
}
