import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/generated-workspace.js';

const APPS = ['userctx', 'gateway', 'mcdisk'];
const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');

/** Returns the workspaces of which turbo runs tasks. */
function workspacesOf(task: string, app: string): string[] {
  const output = execFileSync(process.execPath, [turbo, 'run', task, `--filter=@family-watch/${app}`, '--dry=json'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  });
  const { tasks } = JSON.parse(output) as { tasks: { package: string }[] };
  return tasks.map((each) => each.package.replace('@family-watch/', ''));
}

describe.each(APPS)('%s', (app) => {
  const others = [...APPS, 'console', 'standalone'].filter((other) => other !== app);

  test.each(['build', 'test', 'dev'])('runs turbo’s %s without another app', (task) => {
    const workspaces = workspacesOf(task, app);
    expect(workspaces).toContain(app);
    expect(workspaces.filter((workspace) => others.includes(workspace))).toEqual([]);
  });
});
