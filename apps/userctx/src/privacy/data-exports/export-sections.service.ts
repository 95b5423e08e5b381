import { Injectable } from '@nestjs/common';
import {
  EXPORT_PAGE_SIZE,
  type DataExportSource,
  type ExportDocument,
  type ExportPage,
  type ExportPageRequest,
} from '@family-watch/domain/privacy/contracts/data-export';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccessLogService } from '../access-log/access-log.service.js';
import { AccountService } from '../../accounts/account.service.js';
import { ConsentsService } from '../../accounts/consents/consents.service.js';
import { SessionService } from '../../accounts/sessions/session.service.js';
import { ChildrenService } from '../../families/children/children.service.js';
import { ContactsService } from '../../families/contacts/contacts.service.js';
import { FamiliesService } from '../../families/memberships/families.service.js';
import { FencesService } from '../../locations/fences/fences.service.js';
import { FriendsService } from '../../families/friends/friends.service.js';
import { LocationService } from '../../locations/location.service.js';
import { EntitlementsService } from '../../payments/entitlements.service.js';
import { OrdersService } from '../../payments/orders.service.js';
import { RemoteControlService } from '../../watches/remote-control/remote-control.service.js';
import { SosService } from '../../sos/sos.service.js';
import { AlarmClocksService } from '../../watches/settings/alarm-clocks.service.js';
import { DeviceSettingsService } from '../../watches/settings/device-settings.service.js';
import { SchoolTimesService } from '../../watches/settings/school-times.service.js';
import { StrangersService } from '../../watches/settings/strangers.service.js';
import { WatchBindingService } from '../../watches/binding/watch-binding.service.js';
import { ExportScopeService } from './export-scope.service.js';

/** Reads a page of a section for the person; `id` is that of the family, child or watch, or empty. */
type SectionReader = (caller: Principal, id: string, page: SectionPage) => Promise<Page<unknown>>;

interface SectionPage {
  cursor?: string;
  limit: number;
}

/** The sections of one kind, each with its reader. */
type Sections = Readonly<Record<string, SectionReader>>;

/** Wraps a response that has no pages. */
const single = async (response: Promise<unknown>): Promise<Page<unknown>> => ({
  items: [await response],
  nextCursor: null,
});

/**
 * The data of userctx for exports. Each section calls the service of an operation with the person as caller, so that an
 * export contains only what the person could read by the operations.
 */
@Injectable()
export class ExportSectionsService implements DataExportSource {
  private readonly accountSections: Sections;
  private readonly familySections: Sections;
  private readonly childSections: Sections;
  private readonly watchSections: Sections;
  private readonly readers: ReadonlyMap<string, SectionReader>;

  constructor(
    private readonly scopes: ExportScopeService,
    accounts: AccountService,
    sessions: SessionService,
    consents: ConsentsService,
    families: FamiliesService,
    orders: OrdersService,
    entitlements: EntitlementsService,
    children: ChildrenService,
    locations: LocationService,
    fences: FencesService,
    sos: SosService,
    accessLog: AccessLogService,
    watches: WatchBindingService,
    contacts: ContactsService,
    alarmClocks: AlarmClocksService,
    deviceSettings: DeviceSettingsService,
    schoolTimes: SchoolTimesService,
    strangers: StrangersService,
    friends: FriendsService,
    remoteControl: RemoteControlService,
  ) {
    this.accountSections = {
      profile: (caller) => single(accounts.getProfile(caller)),
      sessions: (caller, _, page) => sessions.list(caller, page),
      consents: (caller) => consents.get(caller),
      families: (caller) => families.list(caller),
    };
    this.familySections = {
      members: (caller, familyId) => families.listMembers(caller, familyId),
      orders: (caller, familyId, page) => orders.list(caller, { familyId, ...page }),
      entitlements: (caller, familyId) => single(entitlements.list(caller, familyId)),
    };
    this.childSections = {
      child: (caller, cid) => single(children.detail(caller, cid)),
      locations: (caller, cid, page) => locations.findTrack(caller, { cid, from: 0, to: Date.now(), ...page }),
      fences: (caller, cid) => fences.list(caller, cid),
      'fence-events': (caller, cid, page) => fences.listEvents(caller, { cid, ...page }),
      sos: (caller, cid, page) => sos.list(caller, { cid, ...page }),
      'access-log': (caller, cid, page) => accessLog.list(caller, { cid, ...page }),
    };
    this.watchSections = {
      watch: (caller, did) => single(watches.get(caller, Number(did))),
      contacts: (caller, did) => contacts.list(caller, Number(did)),
      'alarm-clocks': (caller, did) => single(alarmClocks.get(caller, Number(did))),
      'device-settings': (caller, did) => single(deviceSettings.get(caller, Number(did))),
      'school-times': (caller, did) => single(schoolTimes.get(caller, Number(did))),
      'stranger-rule': (caller, did) => single(strangers.get(caller, Number(did))),
      'blocked-calls': (caller, did, page) => strangers.listBlockedCalls(caller, { did: Number(did), ...page }),
      friends: (caller, did) => friends.list(caller, Number(did)),
      commands: (caller, did, page) => remoteControl.list(caller, { did: Number(did), ...page }),
    };
    this.readers = new Map(
      [this.accountSections, this.familySections, this.childSections, this.watchSections].flatMap((sections) =>
        Object.entries(sections),
      ),
    );
  }

  hasSection(section: string): boolean {
    return this.readers.has(section);
  }

  async listDocuments(userId: string): Promise<ExportDocument[]> {
    const { families } = await this.scopes.find(userId);
    return [
      ...documentsOf(this.accountSections, 'account', ''),
      ...families.flatMap(({ familyId, children }) => [
        ...documentsOf(this.familySections, `families/${familyId}`, familyId),
        ...children.flatMap(({ cid, did }) => [
          ...documentsOf(this.childSections, `children/${cid}`, cid),
          ...(did === null ? [] : documentsOf(this.watchSections, `children/${cid}`, String(did))),
        ]),
      ]),
    ];
  }

  async readPage({ userId, section, id, cursor }: ExportPageRequest): Promise<ExportPage | null> {
    const caller: Principal = { type: 'user', id: userId, sessionId: '' };
    const page = { limit: EXPORT_PAGE_SIZE, ...(cursor !== null && { cursor }) };
    const read = this.readers.get(section);
    if (!read) return null;
    try {
      const { items, nextCursor } = await read(caller, id, page);
      return { records: items, nextCursor };
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return null;
      throw error;
    }
  }
}

function documentsOf(sections: Sections, directory: string, id: string): ExportDocument[] {
  return Object.keys(sections).map((section) => ({ path: `${directory}/${section}.json`, section, id }));
}
