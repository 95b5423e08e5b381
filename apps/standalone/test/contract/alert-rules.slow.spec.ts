import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROMETHEUS_CONFIGURATION } from '../support/prometheus.js';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { needs } from '@family-watch/testing/requirements/needs';

const RUNBOOK = resolve(import.meta.dirname, '../../../../docs/runbook.md');

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const readYaml = (name: string): unknown => parse(readFileSync(join(PROMETHEUS_CONFIGURATION, name), 'utf8'));

const { groups } = readYaml('alerts.yml') as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

needs('prometheus').describe('the alert rules', () => {
  const run = (...args: string[]) =>
    execFileSync(join(dirname(programPath('prometheus')), 'promtool'), args, {
      cwd: PROMETHEUS_CONFIGURATION,
      encoding: 'utf8',
      stdio: 'pipe',
    });

  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('promtool %s %s %s succeeds', (...args) => {
    expect(run(...args)).toContain('SUCCESS');
  });

  test('promtool tests that each alert fires', () => {
    const { tests } = readYaml('alerts.test.yml') as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
    };
    const firing = tests
      .flatMap(({ alert_rule_test }) => alert_rule_test)
      .filter(({ exp_alerts }) => exp_alerts.length > 0);
    expect(firing.map(({ alertname }) => alertname).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

test('each alert has a severity and a section of the runbook, in the same order', () => {
  const sections = [...readFileSync(RUNBOOK, 'utf8').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  }
});
