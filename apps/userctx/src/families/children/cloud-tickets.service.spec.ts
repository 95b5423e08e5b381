import { expect, test } from '@jest/globals';
import type { CloudTicketClaims } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { TokenSigner } from '../../accounts/keys/token-signer.js';
import { CloudTicketsService } from './cloud-tickets.service.js';

const MINUTE_MS = 60_000;

function createTicketService() {
  const signed: CloudTicketClaims[] = [];
  const signer = {
    signTicket: (claims: CloudTicketClaims) => Promise.resolve(`ticket ${signed.push(claims)}`),
  } as unknown as TokenSigner;
  return { signed, tickets: new CloudTicketsService(signer) };
}

test('CloudTicketsService returns the same ticket of a watch and cloud for half an hour, then a new one', async () => {
  const { signed, tickets } = createTicketService();
  const first = await tickets.issue(7, 'family', 0);
  expect(await tickets.issue(7, 'family', 30 * MINUTE_MS - 1)).toBe(first);
  expect(await tickets.issue(7, 'family', 30 * MINUTE_MS)).not.toBe(first);
  expect(signed).toHaveLength(2);
});

test('CloudTicketsService issues different tickets for different watches and different clouds', async () => {
  const { signed, tickets } = createTicketService();
  const issuedTickets = new Set([
    await tickets.issue(7, 'family', 0),
    await tickets.issue(8, 'family', 0),
    await tickets.issue(7, 'other', 0),
  ]);
  expect(issuedTickets.size).toBe(3);
  expect(signed[0]).toEqual({ did: 7, cloudID: 'family', scope: ['read', 'add', 'delete'] });
});
