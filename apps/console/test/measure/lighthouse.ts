import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { freePort } from '@family-watch/testing/network/free-ports';
import { programPath } from '@family-watch/testing/requirements/requirements';
import type { SharedService } from '@family-watch/testing/service/shared-services';
import { signInBrowser, type Person } from '../support/accounts.js';
import { shown } from '../support/test-browser.js';
import { REPETITIONS } from './first-visit.js';
import { ofMedian, type Measurement } from './measurement.js';

/** Not among the dependencies, because only this measurement needs its hundred packages. */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const CATEGORIES = { performance: 95, accessibility: 100, 'best-practices': 100 } as const;
type Category = keyof typeof CATEGORIES;

interface Report {
  categories: Record<Category, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string }>;
}

/** Scores of Lighthouse, which npm downloads, for a phone: the sign-in and the children's page without a cache. */
export async function measureWithLighthouse(service: SharedService, parent: Person): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'console-lighthouse-'));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(directory, 'profile'), {
    executablePath: programPath('chromium'),
    args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`],
    locale: 'en-GB',
  });
  const run = async (path: string): Promise<Report> => {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    // The session of the person stays, but no file of the console.
    await session.send('Network.clearBrowserCache');
    const storageTypes = 'cache_storage,service_workers,indexeddb';
    await session.send('Storage.clearDataForOrigin', { origin: service.url, storageTypes });
    await page.close();
    const file = join(directory, 'report.json');
    await promisify(execFile)('npm', [
      ...['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', service.url + path, '--quiet'],
      ...[`--port=${port}`, '--disable-storage-reset', '--output=json', `--output-path=${file}`],
      `--only-categories=${Object.keys(CATEGORIES).join(',')}`,
    ]);
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  };
  const repeat = async (path: string): Promise<Report[]> => {
    const reports: Report[] = [];
    for (let index = 0; index < REPETITIONS; index += 1) reports.push(await run(path));
    return reports;
  };
  try {
    const signIn = toMeasurements('sign-in', await repeat('/sign-in'));
    await signInBrowser(context, service, parent);
    const page = await context.newPage();
    await page.goto(`${service.url}/children`);
    await shown(page.getByRole('article'));
    await page.close();
    return [...signIn, ...toMeasurements('children', await repeat('/children'))];
  } finally {
    await context.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function toMeasurements(name: string, reports: readonly Report[]): Measurement[] {
  return (Object.keys(CATEGORIES) as Category[]).map((category) => {
    const scores = reports.map(({ categories }) => categories[category].score * 100);
    const measurement = ofMedian(scores, {
      what: `Lighthouse, mobile: ${category} of ${name}`,
      budget: CATEGORIES[category],
      unit: 'points',
      atLeast: true,
    });
    const [report] = reports;
    const failed = (report?.categories[category].auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (report?.audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${id} ${report?.audits[id]?.displayValue ?? ''}`.trim());
    return failed.length === 0
      ? measurement
      : { ...measurement, details: `${measurement.details}; ${failed.join(', ')}` };
  });
}
