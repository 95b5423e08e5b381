import { Injectable } from '@nestjs/common';
import { CLOUD_TICKET, TICKET_SCOPE } from '@family-watch/domain/family-cloud/contracts/ticket';
import { TicketSigner } from './ticket-signer.js';

interface IssuedTicket {
  ticket: string;
  /** Unix milliseconds from which a new one is signed. */
  renewAt: number;
}

const HALF_LIFE_MS = (CLOUD_TICKET.lifetime * 1000) / 2;
const CACHE_SIZE = 50_000;

/**
 * Tickets for the family cloud, bound to watch and cloud. One is signed once per half-life and given to everybody who
 * may see the watch: it only restricts what a Bearer may do, so there is nothing personal in it.
 */
@Injectable()
export class CloudTicketsService {
  private readonly issued = new Map<string, IssuedTicket>();

  constructor(private readonly signer: TicketSigner) {}

  /** A ticket that is good for at least half an hour. */
  async issue(did: number, cloudID: string, now = Date.now()): Promise<string> {
    const key = `${cloudID}:${did}`;
    const known = this.issued.get(key);
    if (known && now < known.renewAt) return known.ticket;
    const ticket = await this.signer.sign({ did, cloudID, scope: Object.values(TICKET_SCOPE) });
    // Set anew, so that the oldest is always first in the map.
    this.issued.delete(key);
    if (this.issued.size >= CACHE_SIZE) this.forgetOldest();
    this.issued.set(key, { ticket, renewAt: now + HALF_LIFE_MS });
    return ticket;
  }

  private forgetOldest(): void {
    const oldest = this.issued.keys().next();
    if (!oldest.done) this.issued.delete(oldest.value);
  }
}
