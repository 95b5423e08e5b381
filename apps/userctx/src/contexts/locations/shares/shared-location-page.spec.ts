import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expiredLinkPage, PAGE_POLICY, sharedLocationPage } from './shared-location-page.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const location = {
  latitude: '31.2304',
  longitude: '121.4737',
  radius: 20,
  pointType: 1 as const,
  positionTime: NOW - 180_000,
};
const shown = { title: null, location, expiresAt: NOW + 600_000 };

describe('the page', () => {
  test('says where, how surely, when, and until when', () => {
    const page = sharedLocationPage(shown, NOW);
    expect(page).toContain('<a href="geo:31.2304,121.4737;u=20">31.2304,121.4737</a>, within 20 m');
    expect(page).toContain('3 minutes ago');
    expect(page).toContain('2026-03-10 12:10 UTC');
    expect(sharedLocationPage({ ...shown, location: null }, NOW)).toContain('not known');
  });

  test('asks nobody for anything, and its style is the one that the policy allows', () => {
    for (const page of [sharedLocationPage(shown, NOW), expiredLinkPage()]) {
      expect(page).not.toMatch(/<script|<img|<link|<iframe|https?:|src=|@import|url\(/i);
      const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
      expect(PAGE_POLICY).toContain(createHash('sha256').update(style).digest('base64'));
    }
    expect(PAGE_POLICY).toContain(`default-src 'none'`);
  });

  test('shows any title as text, and never as markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '/', ' ') }), (title) => {
        const [, heading = ''] = /<h1>([^]*)<\/h1>/.exec(sharedLocationPage({ ...shown, title }, NOW)) ?? [];
        expect(heading).not.toMatch(/[<>"']/);
        const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
        expect(heading.replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? '')).toBe(title);
      }),
    );
  });
});
