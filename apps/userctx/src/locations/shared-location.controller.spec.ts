import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderExpiredLinkPage, PAGE_SECURITY_POLICY, renderSharedLocationPage } from './shared-location.controller.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const location = {
  latitude: '31.2304',
  longitude: '121.4737',
  radius: 20,
  pointType: 1 as const,
  positionTime: NOW - 180_000,
};
const PAGE_CONTENT = { title: null, location, expiresAt: NOW + 600_000 };

describe('renderSharedLocationPage', () => {
  test('shows the location, its accuracy, its time and the expiry of the share', () => {
    const page = renderSharedLocationPage(PAGE_CONTENT, NOW);
    expect(page).toContain('<a href="geo:31.2304,121.4737;u=20">31.2304,121.4737</a>, within 20 m');
    expect(page).toContain('3 minutes ago');
    expect(page).toContain('2026-03-10 12:10 UTC');
    expect(renderSharedLocationPage({ ...PAGE_CONTENT, location: null }, NOW)).toContain('currently unknown');
  });

  test('shows who shares, the battery, and times in the time zone of the child', () => {
    const details = { sharedBy: 'Anna <3', timeZone: 'America/New_York', battery: 83, charging: true };
    const page = renderSharedLocationPage({ ...PAGE_CONTENT, ...details }, NOW);
    expect(page).toContain('<dd>Anna &lt;3</dd>');
    expect(page).toContain('<dd>83 %, charging</dd>');
    expect(page).toContain('2026-03-10 08:10 America/New York');
    expect(page).not.toContain('UTC');
  });

  test('draws the location and links it with map services', () => {
    const page = renderSharedLocationPage(PAGE_CONTENT, NOW);
    expect(page).toMatch(/<svg [^>]*aria-label="The watch is within 20 m/);
    const links = [...page.matchAll(/<a href="(https:[^"]*)" rel="noreferrer">([^<]*)</g)];
    expect(links.map(([, , name]) => name)).toEqual(['Apple Maps', 'Google Maps', 'Amap', 'OpenStreetMap']);
    for (const [, url = ''] of links) expect(URL.canParse(url)).toBe(true);
  });

  test('loads no external resources and uses only the style that the content security policy allows', () => {
    for (const page of [renderSharedLocationPage(PAGE_CONTENT, NOW), renderExpiredLinkPage()]) {
      const resources = page.replaceAll(/<a href="https:[^"]*"/g, '');
      expect(resources).not.toMatch(/<script|<img|<link|<iframe|https?:|src=|@import|url\(/i);
      const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
      expect(PAGE_SECURITY_POLICY).toContain(createHash('sha256').update(style).digest('base64'));
    }
    expect(PAGE_SECURITY_POLICY).toContain(`default-src 'none'`);
  });

  test('escapes HTML characters in any title', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '/', ' ') }), (title) => {
        const [, heading = ''] =
          /<h1>([^]*)<\/h1>/.exec(renderSharedLocationPage({ ...PAGE_CONTENT, title }, NOW)) ?? [];
        expect(heading).not.toMatch(/[<>"']/);
        const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
        expect(heading.replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? '')).toBe(title);
      }),
    );
  });
});
