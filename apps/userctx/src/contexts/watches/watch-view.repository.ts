import { Injectable } from '@nestjs/common';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { WatchDto } from '@family-watch/domain/watches/dto/watch.dto';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A bound watch as returned to members. */
export type WatchView = WatchDto;

/** A bound watch with the caller's membership in its family. */
export type MemberWatchView = WatchView & Omit<MemberSnapshot, 'userId'>;

/**
 * Joins the tables of families and watches for reading. The tables share one schema; each table is written by its own
 * context.
 */
@Injectable()
export class WatchViewRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the watches of every family that the user is a member of, after `afterDid` in order of `did`. */
  findByMember(userId: string, afterDid: number): Promise<MemberWatchView[]> {
    return this.unitOfWork.executor.query<MemberWatchView>(
      `select ${COLUMNS}, member.role, member.permissions, member.child_permissions as "childPermissions"
         from userctx.family_member member
         join userctx.family_child link on link.family_id = member.family_id ${WATCH_JOINS}
        where member.user_id = $1 and link.did > $2
        order by link.did`,
      [userId, afterDid],
    );
  }

  /** Returns the watch if it is bound to a child of this family. */
  async find(familyId: string, did: number): Promise<WatchView | undefined> {
    const [view] = await this.unitOfWork.executor.query<WatchView>(
      `select ${COLUMNS} from userctx.family_child link ${WATCH_JOINS} where link.family_id = $1 and link.did = $2`,
      [familyId, did],
    );
    return view;
  }
}

const COLUMNS = `link.did, link.cid, link.family_id as "familyId", watch.model,
  coalesce(status.firmware_version, watch.firmware_version) as "firmwareVersion", binding.bound_at as "boundAt",
  status.online, status.last_seen as "lastSeen", status.battery, status.charging, status.worn, status.signal,
  status.signal_max as "signalMax", status.step_total as "stepTotal"`;

const WATCH_JOINS = `
  join userctx.watch watch on watch.did = link.did
  join userctx.watch_binding binding on binding.did = link.did and binding.unbound_at is null
  left join userctx.watch_status status on status.did = link.did`;
