import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOUD_TICKET, TICKET_SCOPE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { TokenSigner } from '../../accounts/keys/token-signer.js';

interface IssuedTicket {
  ticket: string;
  /** Unix milliseconds from which a new ticket is signed. */
  renewAt: number;
}

/** Age at which a cached ticket is replaced by a new one: half of its lifetime. */
const RENEWAL_AGE_MS = (CLOUD_TICKET.lifetime * 1000) / 2;
const MAX_CACHED_TICKETS = 50_000;

/**
 * Issues cloud tickets. A ticket names one watch and one family cloud. All callers who may see the watch share one
 * ticket, because a ticket contains no personal data and only restricts what the caller's access token permits.
 */
@Injectable()
export class CloudTicketsService {
  private readonly issuedTickets = new LRUCache<string, IssuedTicket>(entryLimit(MAX_CACHED_TICKETS));

  constructor(private readonly signer: TokenSigner) {}

  /** Returns a ticket that is valid for at least half an hour. */
  async issue(did: number, cloudID: string, now = Date.now()): Promise<string> {
    const key = `${cloudID}:${did}`;
    const cached = this.issuedTickets.get(key);
    if (cached && now < cached.renewAt) return cached.ticket;
    const ticket = await this.signer.signTicket({ did, cloudID, scope: Object.values(TICKET_SCOPE) });
    this.issuedTickets.set(key, { ticket, renewAt: now + RENEWAL_AGE_MS });
    return ticket;
  }
}
