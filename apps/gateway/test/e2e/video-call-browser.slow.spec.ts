import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import type { GatewayNode } from '../support/gateway-node.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { createFamily } from '../support/clients.js';
import { environment, node, otherNode, startGateway } from '../support/suite-gateway.js';

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-component-update',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  // Pages on one machine without a network reach each other only through loopback.
  '--allow-loopback-in-peer-connection',
];
const PAGE_PATH = join(import.meta.dirname, '../support/call-page.html');
const CLIENT_SCRIPT_PATH = join(
  dirname(createRequire(import.meta.url).resolve('socket.io-client/package.json')),
  'dist/socket.io.min.js',
);

interface PageReport {
  states: string[];
  receivedTexts: string[];
  ringing: string | null;
  hasPeer: boolean;
  connection: string | null;
  framesDecoded: number;
}

/** Two real browsers communicate only through the gateway's REST API and socket, and through their media connection. */
needs('chromium').describe('video call in browsers', () => {
  startGateway();
  let browsers: Browser[];

  beforeAll(async () => {
    const options = { headless: true, args: CHROMIUM_FLAGS, executablePath: programPath('chromium') };
    browsers = [await chromium.launch(options), await chromium.launch(options)];
  });

  afterAll(async () => {
    for (const browser of browsers) await browser.close();
  });

  /** Opens a page on the gateway's origin and connects it as this principal. */
  const openPage = async (browser: Browser | undefined, at: GatewayNode, principal: Principal): Promise<Page> => {
    if (!browser) throw new Error('No browser');
    const page = await browser.newPage();
    // The gateway serves no pages, so the test replaces the content of a gateway response to get a page with the
    // gateway's origin.
    await page.goto(`${at.url}/health/live`);
    await page.setContent(readFileSync(PAGE_PATH, 'utf8'));
    await page.addScriptTag({ path: CLIENT_SCRIPT_PATH });
    await page.evaluate(`connect(${JSON.stringify(await environment.tokenOf(principal))})`);
    return page;
  };

  const reportOf = (page: Page) => page.evaluate<PageReport>('report()');

  const untilReported = (page: Page, what: string, matches: (report: PageReport) => boolean): Promise<PageReport> => {
    let report: PageReport;
    const check = async () => {
      report = await reportOf(page);
      return matches(report) ? report : undefined;
    };
    return waitUntilFound(() => `${what}: ${JSON.stringify(report)}`, check);
  };

  test('two browsers exchange video and data messages only after the callee has accepted the call', async () => {
    const fixture = await createFamily();
    const ownerPage = await openPage(browsers[0], node, fixture.owner);
    const watchPage = await openPage(browsers[1], otherNode, fixture.watchPrincipal);
    await ownerPage.evaluate(`call({ cid: ${JSON.stringify(fixture.cid)} })`);
    await untilReported(watchPage, 'the ring', ({ ringing }) => ringing !== null);
    // Even after the offer has had time to arrive, the callee does not accept automatically.
    await sleep(1_000);
    expect(await reportOf(watchPage)).toMatchObject({ states: ['RINGING'], hasPeer: false, framesDecoded: 0 });
    expect(await reportOf(ownerPage)).toMatchObject({ receivedTexts: [], framesDecoded: 0 });
    await watchPage.evaluate('accept()');
    // Media can be decoded before the browser reports the connection as connected.
    const hasMedia = ({ connection, framesDecoded, receivedTexts }: PageReport) =>
      connection === 'connected' && framesDecoded >= 5 && receivedTexts.length > 0;
    const [ownerReport, watchReport] = [
      await untilReported(ownerPage, 'the media of the watch', hasMedia),
      await untilReported(watchPage, 'the media of the owner', hasMedia),
    ];
    expect(ownerReport.receivedTexts).toEqual(['hello from the callee']);
    expect(watchReport.receivedTexts).toEqual(['hello from the caller']);
    await ownerPage.evaluate('hangUp()');
    for (const page of [ownerPage, watchPage]) {
      const { states } = await untilReported(page, 'the end', (report) => report.connection === 'closed');
      expect(states).toEqual(['RINGING', 'ACCEPTED', 'ENDED']);
    }
  });
});
