import { expect, test } from '@jest/globals';
import { parseEnrolmentFile } from './enrolment-csv.js';

const KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const OTHER_KEY = `${KEY.slice(0, -1)}A`;

test('lines are grouped by key, with their numbers; names of columns and empty lines are ignored', () => {
  const text = `\uFEFFIMEI,KEY\r\n490154203237518,${KEY}\r\n\r\n"490154203237526","${OTHER_KEY}"\n490154203237534 ; ${KEY}\n`;
  expect(parseEnrolmentFile(text)).toEqual({
    batches: [
      {
        makerKey: KEY,
        entries: [
          { imei: '490154203237518', line: 2 },
          { imei: '490154203237534', line: 5 },
        ],
      },
      { makerKey: OTHER_KEY, entries: [{ imei: '490154203237526', line: 4 }] },
    ],
    count: 3,
    invalidLines: [],
  });
});

test('lines that are no IMEI and key are reported', () => {
  const { count, invalidLines } = parseEnrolmentFile(`12345,${KEY}\n490154203237518\n490154203237518,short\n`);
  expect([count, invalidLines]).toEqual([0, [1, 2, 3]]);
});

test('a large file is divided into batches of 1,000', () => {
  const lines = Array.from({ length: 2_001 }, (_, index) => `${String(index).padStart(15, '4')},${KEY}`);
  const { batches, count } = parseEnrolmentFile(lines.join('\n'));
  expect([count, batches.map(({ entries }) => entries.length)]).toEqual([2_001, [1_000, 1_000, 1]]);
});
