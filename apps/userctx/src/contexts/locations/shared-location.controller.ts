import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { SharedLocationDto } from '@family-watch/domain/locations/dto/location-share.dto';
import { escapeHtml } from '@family-watch/platform/http/escape-html';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { LocationSharesService } from './location-shares.service.js';

const PAGE_STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
dt{opacity:.7}dd{margin:0 0 1rem}`;

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
      return renderSharedLocationPage(await this.shares.resolve(token), Date.now());
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'LINK_NOT_FOUND') throw error;
      void reply.code(error.status);
      return renderExpiredLinkPage();
    }
  }
}
