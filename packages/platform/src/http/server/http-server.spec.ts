import { expect, jest, test } from '@jest/globals';
import { Environment } from '../../config/environment.js';
import { createHttpServer } from './http-server.js';

test('the open-file limit is read without resolving the addresses of open connections', () => {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  report.excludeNetwork = false;
  const options: boolean[] = [];
  const getReport = report.getReport.bind(report);
  const spy = jest.spyOn(report, 'getReport').mockImplementation(() => {
    options.push(report.excludeNetwork);
    return getReport();
  });
  createHttpServer(() => undefined, new Environment());
  spy.mockRestore();
  expect(options).toEqual([true]);
});
