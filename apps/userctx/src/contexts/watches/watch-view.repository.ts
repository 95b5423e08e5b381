import { Injectable } from '@nestjs/common';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { WatchDto } from '@family-watch/domain/watches/dto/device.dto';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

/** A bound watch as it is shown. */
export type WatchView = WatchDto;

/** The same with the caller's place in its family. */
export type MemberWatchView = WatchView & Omit<MemberSnapshot, 'userId'>;

/** Reads over the tables of families and watches, which lie in one schema; each is written by its own context. */
@Injectable()
export class WatchViewRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** The watches of every family that the person is a member of, from `afterDid` on, in order of their `did`. */
  findByMember(userId: string, afterDid: number): Promise<MemberWatchView[]> {
    return this.unitOfWork.executor.query<MemberWatchView>(
      `select ${COLUMNS}, member.role, member.permissions, member.child_permissions as "childPermissions"
         from userctx.family_member member
         join userctx.family_child link on link.family_id = member.family_id ${JOINS}
        where member.user_id = $1 and link.did > $2
        order by link.did`,
      [userId, afterDid],
    );
  }

  /** The watch, if it is bound to a child of this family. */
  async find(familyId: string, did: number): Promise<WatchView | undefined> {
    const [view] = await this.unitOfWork.executor.query<WatchView>(
      `select ${COLUMNS} from userctx.family_child link ${JOINS} where link.family_id = $1 and link.did = $2`,
      [familyId, did],
    );
    return view;
  }
}

const COLUMNS = `link.did, link.cid, link.family_id as "familyId", watch.model,
  coalesce(status.firmware_version, watch.firmware_version) as "firmwareVersion", binding.bound_at as "boundAt",
  status.online, status.last_seen as "lastSeen", status.battery, status.charging, status.worn, status.signal,
  status.signal_max as "signalMax", status.step_total as "stepTotal"`;

const JOINS = `
  join userctx.watch watch on watch.did = link.did
  join userctx.watch_binding binding on binding.did = link.did and binding.unbound_at is null
  left join userctx.watch_status status on status.did = link.did`;
