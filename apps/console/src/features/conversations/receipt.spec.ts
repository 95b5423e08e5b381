import { expect, test } from '@jest/globals';
import { findReceipt } from './receipt.js';

const me = { userId: 'me', deliveredSeq: 9, readSeq: 9 };
const child = (deliveredSeq: number, readSeq: number) => ({ userId: null, deliveredSeq, readSeq });

test.each([
  ['sent', child(4, 4)],
  ['delivered', child(5, 4)],
  ['read', child(5, 5)],
])('a message of a direct conversation is %s', (status, member) => {
  expect(findReceipt(5, [me, member], 'me')).toMatchObject({ status, others: 1 });
});

test('counts the readers of a group without the sender', () => {
  const receipt = findReceipt(5, [me, child(5, 5), child(5, 3), child(2, 2)], 'me');
  expect(receipt).toEqual({ status: 'read', readers: 1, others: 3 });
});
