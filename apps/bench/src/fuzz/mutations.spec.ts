import { expect, test } from '@jest/globals';
import { encodeJson, mutateText, mutateValue } from './mutations.js';
import { RandomChoice } from './random-choice.js';

const BODY = { cid: 'x', points: [{ latitude: '31.2', radius: 9 }], enabled: true };
const SEEDS = Array.from({ length: 500 }, (_, index) => index);

test('mutateValue changes almost every body, and never the original', () => {
  const texts = SEEDS.map((seed) => encodeJson(mutateValue(BODY, new RandomChoice(seed))));
  expect(BODY).toEqual({ cid: 'x', points: [{ latitude: '31.2', radius: 9 }], enabled: true });
  expect(texts.filter((text) => text === JSON.stringify(BODY)).length).toBeLessThan(SEEDS.length / 50);
  expect(new Set(texts).size).toBeGreaterThan(SEEDS.length / 2);
});

test('mutations of the same seed are the same', () => {
  for (const seed of SEEDS.slice(0, 50)) {
    const [one, other] = [new RandomChoice(seed), new RandomChoice(seed)].map((random) => [
      encodeJson(mutateValue(BODY, random)),
      mutateText(JSON.stringify(BODY), random).toString('hex'),
    ]);
    expect(one).toEqual(other);
  }
});

test('encodeJson inserts numbers and names that no JavaScript value yields', () => {
  const texts = SEEDS.map((seed) => encodeJson(mutateValue({ a: 1 }, new RandomChoice(seed))));
  for (const raw of ['1e400', '"__proto__":{"polluted":true}', '{"a":1,"a":2}'])
    expect(texts.some((text) => text.includes(raw))).toBe(true);
});
