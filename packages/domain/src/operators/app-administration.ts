import type { PrincipalKey } from '../kernel/contracts/principal.js';
import type { AppStatusDto, DeadLetterDto } from './dto/event-bus.dto.js';
import type { DeliveriesDto, PrincipalDeliveryDto } from './dto/support.dto.js';

export interface DeadLetterQuery {
  /** Returns only dead letters of this handler. */
  handler: string | null;
  /** Returns only dead letters with a greater id; null for the first page. */
  after: string | null;
  limit: number;
}

/** What operators see and repair in one app. The methods may be called on every process of the app. */
export interface AppAdministration {
  getStatus(): Promise<AppStatusDto>;
  /** Returns dead letters in the order of their ids. */
  listDeadLetters(query: DeadLetterQuery): Promise<DeadLetterDto[]>;
  /**
   * Moves events back to the retry queue of their handler, which processes them out of order.
   * @returns for each id whether it was a dead letter with an event
   */
  replayDeadLetters(ids: readonly string[]): Promise<boolean[]>;
  /** Deletes dead letters. Returns for each id whether it existed. */
  dropDeadLetters(ids: readonly string[]): Promise<boolean[]>;
  /** Publishes the events again that were appended since `time` (Unix milliseconds). Returns their number. */
  republishSince(time: number): Promise<number>;
}

/** The state of deliveries to principals. Userctx adds the roles of members, which the gateway does not diagnose. */
export interface DeliveryDiagnosis extends Pick<DeliveriesDto, 'blocked' | 'unknownProjections'> {
  principals: Omit<PrincipalDeliveryDto, 'role'>[];
}

export interface DeliveryDiagnosisRequest {
  familyId: string | null;
  principals: PrincipalKey[];
}

/** Diagnoses deliveries; implemented by the gateway. Also the injection token, because it is not known to userctx. */
export abstract class DeliveryDiagnosisSource {
  abstract diagnose(request: DeliveryDiagnosisRequest): Promise<DeliveryDiagnosis>;
}
